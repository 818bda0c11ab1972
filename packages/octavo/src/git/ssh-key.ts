import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { acquireLock, isAbandoned } from "./lock.ts";

/** A private key in a file of mode 0600, which is gone when it is given back. */
export interface LentKey extends AsyncDisposable {
  readonly file: string;
}

const prefix = "ssh-";

/**
 * Writes a key for ssh, which takes keys from files only, into a folder of its own below `home`. A service
 * that was killed gave its keys back to nobody: `removeAbandonedKeys` does.
 */
export async function lendKey(home: string, privateKey: string): Promise<LentKey> {
  await removeAbandonedKeys(home);
  const folder = await mkdtemp(join(home, prefix));
  const lock = await acquireLock(lockOf(folder));
  const file = join(folder, "key");
  await writeFile(file, `${privateKey.trimEnd()}\n`, { mode: 0o600 });
  return {
    file,
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true, force: true });
      await lock[Symbol.asyncDispose]();
    },
  };
}

/** Takes away the keys of processes that are no more; those of others that share the folder stay. */
export async function removeAbandonedKeys(home: string): Promise<void> {
  const names = await readdir(home);
  for (const name of names) {
    const folder = join(home, name);
    if (!name.startsWith(prefix) || !(await isAbandoned(lockOf(folder)))) continue;
    await rm(folder, { recursive: true, force: true });
  }
}

function lockOf(folder: string): string {
  return join(folder, "lock");
}
