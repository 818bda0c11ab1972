import { mkdir, rm } from "node:fs/promises";

/** A folder for one attempt, removed with all that is in it. */
export async function makeWorkFolder(path: string): Promise<{ path: string } & AsyncDisposable> {
  await mkdir(path, { recursive: true });
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 3 }),
  };
}
