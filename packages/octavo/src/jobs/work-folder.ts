import { mkdir, rm } from "node:fs/promises";

/** A folder for one attempt, removed with its content when disposed. */
export async function openWorkFolder(path: string): Promise<{ path: string } & AsyncDisposable> {
  await mkdir(path, { recursive: true });
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 3 }),
  };
}
