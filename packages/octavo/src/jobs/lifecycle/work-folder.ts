import { randomUUID } from "node:crypto";
import { mkdir, readdir, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import type { JobLog } from "../ports.ts";

const heartbeatIntervalMs = 60_000;
/** The time without a heartbeat after which a process is considered dead, even on a slow machine. */
const heartbeatTimeoutMs = 15 * 60_000;

/** Opens a folder for one attempt. Disposing of it removes the folder with its contents. */
export async function openWorkFolder(path: string): Promise<{ path: string } & AsyncDisposable> {
  await mkdir(path, { recursive: true });
  return { path, [Symbol.asyncDispose]: () => remove(path) };
}

/** This process's folder for the attempts of its jobs. */
export interface ProcessFolder extends AsyncDisposable {
  readonly path: string;
}

/**
 * Opens a folder for this process in `root`, which other processes may share. Removes the folders of dead processes,
 * both now and periodically.
 */
export async function openProcessFolder(
  root: string,
  log: Pick<JobLog, "warn">,
): Promise<ProcessFolder> {
  const path = join(root, randomUUID());
  await mkdir(path, { recursive: true });
  const clean = async () => {
    try {
      const now = new Date();
      await utimes(path, now, now);
      await removeDeadFolders(root, now.getTime() - heartbeatTimeoutMs);
    } catch (err) {
      log.warn({ err }, "Folders of dead processes could not be removed");
    }
  };
  await clean();
  const timer = setInterval(() => void clean(), heartbeatIntervalMs).unref();
  return {
    path,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await remove(path);
    },
  };
}

async function removeDeadFolders(root: string, cutoffMs: number): Promise<void> {
  for (const name of await readdir(root)) {
    const folder = join(root, name);
    const stats = await stat(folder).catch(() => undefined);
    if (stats && stats.mtimeMs < cutoffMs) await remove(folder);
  }
}

function remove(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true, maxRetries: 3 });
}
