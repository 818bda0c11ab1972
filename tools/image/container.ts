import { setTimeout as wait } from "node:timers/promises";
import { freePort } from "../../test/support/free-port.ts";
import type { Podman } from "./podman.ts";

const healthTimeoutMs = 120_000;

/** A running service, on a read-only file system and without any right of root. */
export interface Container {
  readonly url: string;
  /** Gives what a program printed that was run in it, as the service's user. */
  execute(...command: readonly string[]): Promise<string>;
  /** Returns the service's output so far. */
  readLog(): Promise<string>;
  /** Returns once the image's own health check succeeds. Throws with the log where it does not in two minutes. */
  waitForHealth(): Promise<void>;
  /** Sends SIGTERM; after `graceSeconds` the service is killed. Gives its exit code: 137 where it was. */
  stop(graceSeconds: number): Promise<number>;
}

export interface ContainerOptions {
  readonly image: string;
  /** Name of a volume, which is made where there is none and outlives the container. */
  readonly volume: string;
  /** File with the system calls that are refused, where those are not Podman's own. */
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
    // Not every machine lets a test make a network.
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
