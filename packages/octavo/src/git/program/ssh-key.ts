import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { acquireLock, isAbandoned } from "./lock.ts";

/** A private key in a file of mode 0600. Disposing of it deletes the file. */
interface TemporaryKey extends AsyncDisposable {
  readonly file: string;
}

const prefix = "ssh-";

/**
 * Writes a key for ssh, which reads keys only from files, into a separate folder below `home`. `removeAbandonedKeys`
 * deletes the keys of a service that was killed.
 */
export async function openTemporaryKey(home: string, privateKey: string): Promise<TemporaryKey> {
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

/** Removes the keys of dead processes, but not those of other processes that share the folder. */
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
