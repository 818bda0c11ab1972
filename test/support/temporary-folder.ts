import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export interface TemporaryFolder extends AsyncDisposable {
  readonly path: string;
}

/** An empty folder that is gone at the end of the scope: `await using folder = await temporaryFolder()`. */
export async function temporaryFolder(): Promise<TemporaryFolder> {
  const path = await realpath(await mkdtemp(join(tmpdir(), "octavo-test-")));
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** Writes files by their paths below `folder`. */
export async function writeFiles(
  folder: string,
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}
