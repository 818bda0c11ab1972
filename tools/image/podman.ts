import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const execute = promisify(execFile);

/** Podman with its own images and containers, isolated from the machine's images and containers. */
export interface Podman extends AsyncDisposable {
  /** Returns the command's output. If it fails, throws with its standard error. */
  ask(...args: readonly string[]): Promise<string>;
  /** Returns a container's output so far: standard output, then standard error. */
  readLog(container: string): Promise<string>;
  /** Runs the command with its output on the terminal. Throws if it fails. */
  show(...args: readonly string[]): Promise<void>;
}

/**
 * Opens Podman with all of its data in `folder`. It works without systemd, an overlay file system and the permission to
 * raise limits, which test machines often lack. Disposing of it ends its containers; the caller must remove the folder.
 */
export async function openPodman(folder: string): Promise<Podman> {
  await mkdir(folder, { recursive: true });
  const configuration = join(folder, "containers.conf");
  await writeFile(
    configuration,
    '[containers]\ndefault_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]\n',
  );
  const env = { ...process.env, CONTAINERS_CONF: configuration };
  const settings = [
    `--root=${join(folder, "storage")}`,
    `--runroot=${join(folder, "run")}`,
    "--storage-driver=vfs",
    "--cgroup-manager=cgroupfs",
    "--events-backend=none",
    // crun does not support the combination of both versions of cgroups that some machines use.
    "--runtime=runc",
  ];
  async function ask(...args: readonly string[]): Promise<string> {
    const { stdout } = await execute("podman", [...settings, ...args], { env });
    return stdout.trim();
  }
  async function readLog(container: string): Promise<string> {
    const { stdout, stderr } = await execute("podman", [...settings, "logs", container], { env });
    return stdout + stderr;
  }
  async function show(...args: readonly string[]): Promise<void> {
    const child = spawn("podman", [...settings, ...args], { env, stdio: ["ignore", 2, 2] });
    const [code] = (await once(child, "exit")) as [number | null];
    if (code !== 0) throw new Error(`podman ${args[0] ?? ""} ended with ${code ?? "a signal"}`);
  }
  return {
    ask,
    readLog,
    show,
    async [Symbol.asyncDispose]() {
      await ask("rm", "--all", "--force", "--time=0");
    },
  };
}
