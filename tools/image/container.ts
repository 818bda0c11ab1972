import { setTimeout as wait } from "node:timers/promises";
import { freePort } from "../../test/support/free-port.ts";
import type { Podman } from "./podman.ts";

const healthTimeoutMs = 120_000;

/** A running service, on a read-only file system and without root privileges. */
export interface Container {
  readonly url: string;
  /** Runs a program in the container as the service's user and returns its output. */
  execute(...command: readonly string[]): Promise<string>;
  /** Returns the service's output so far. */
  readLog(): Promise<string>;
  /**
   * Waits until the image's own health check succeeds. Throws an error with the log if the check does not succeed
   * within two minutes.
   */
  waitForHealth(): Promise<void>;
  /**
   * Sends SIGTERM, and kills the service after `graceSeconds`. Returns its exit code, which is 137 if it was killed.
   */
  stop(graceSeconds: number): Promise<number>;
}

export interface ContainerOptions {
  readonly image: string;
  /** The name of a volume, which is created if it does not exist and outlives the container. */
  readonly volume: string;
  /** The path of a seccomp profile that replaces Podman's own profile. */
  readonly systemCalls?: string;
}

export async function startContainer(
  podman: Podman,
  { image, volume, systemCalls }: ContainerOptions,
): Promise<Container> {
  const port = await freePort();
  const id = await podman.ask(
    "run",
    "--detach",
    "--read-only",
    "--read-only-tmpfs=false",
    "--tmpfs=/tmp",
    "--cap-drop=ALL",
    "--security-opt=no-new-privileges",
    ...(systemCalls === undefined ? [] : [`--security-opt=seccomp=${systemCalls}`]),
    // Some machines do not allow a test to create a network.
    "--network=host",
    "--env=OCTAVO_HOST=127.0.0.1",
    `--env=OCTAVO_PORT=${port}`,
    "--log-driver=k8s-file",
    `--volume=${volume}:/data`,
    image,
    "serve",
    "--demo",
  );
  const isHealthy = () =>
    podman.ask("healthcheck", "run", id).then(
      () => true,
      () => false,
    );
  const readLog = () => podman.readLog(id);
  return {
    url: `http://127.0.0.1:${port}`,
    readLog,
    execute: (...command) => podman.ask("exec", id, ...command),
    async waitForHealth() {
      const end = Date.now() + healthTimeoutMs;
      while (!(await isHealthy())) {
        if (Date.now() > end) throw new Error(`Not healthy:\n${await readLog()}`);
        await wait(500);
      }
    },
    async stop(graceSeconds) {
      await podman.ask("stop", `--time=${graceSeconds}`, id);
      return Number(await podman.ask("inspect", "--format={{.State.ExitCode}}", id));
    },
  };
}
