import { randomUUID } from "node:crypto";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { acquireLock, isAbandoned } from "./lock.ts";

/** A folder for one operation. It is removed when disposed of, or by `removeAbandonedFolders` after a crash. */
export interface TemporaryFolder extends AsyncDisposable {
  readonly path: string;
}

const lockEnding = ".lock";

export async function openTemporaryFolder(cacheDir: string): Promise<TemporaryFolder> {
  const path = join(getRootFolder(cacheDir), randomUUID());
  await mkdir(getRootFolder(cacheDir), { recursive: true });
  const lock = await acquireLock(path + lockEnding);
  await mkdir(path);
  return {
    path,
    async [Symbol.asyncDispose]() {
      await rm(path, { recursive: true, force: true });
      await lock[Symbol.asyncDispose]();
    },
  };
}

/** Removes the folders of dead processes, but not the folders of running processes that share `cacheDir`. */
export async function removeAbandonedFolders(cacheDir: string): Promise<void> {
  const root = getRootFolder(cacheDir);
  const names = await readdir(root).catch(() => []);
  for (const name of names.filter((one) => one.endsWith(lockEnding))) {
    const lock = join(root, name);
    if (!(await isAbandoned(lock))) continue;
    await rm(lock.slice(0, -lockEnding.length), { recursive: true, force: true });
    await rm(lock, { force: true });
  }
}

function getRootFolder(cacheDir: string): string {
  return join(cacheDir, "temporary");
}
