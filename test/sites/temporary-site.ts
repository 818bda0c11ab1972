import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";

/** Writes files (path to text) into a new folder that is removed after the test; gives its path. */
export async function writeSite(
  t: TestContext,
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "octavo-site-"));
  t.after(() => rm(root, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  return root;
}

/** The folder of a golden site that stands beside this file. */
export function goldenSite(name: string): string {
  return join(import.meta.dirname, name, "docs");
}
