import { access, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { addressOf } from "../corpus.ts";
import type { Corpus } from "../corpus.ts";

/** A site on the disk. */
export interface BuiltSite {
  /** The size of all its files. */
  readonly bytes: number;
  /** Pages of the corpus that it has. */
  readonly pages: number;
}

/** Looks at the folder that a generator wrote. */
export async function inspectSite(output: string, corpus: Corpus): Promise<BuiltSite> {
  let bytes = 0;
  for (const entry of await readdir(output, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  }
  let pages = 0;
  for (const { name } of corpus) {
    if ((await fileAt(output, addressOf(name))) !== undefined) pages += 1;
  }
  return { bytes, pages };
}

/** The file that a static host answers with at an address without slashes at its ends. */
export async function fileAt(output: string, address: string): Promise<string | undefined> {
  const names = address === "" ? ["index.html"] : [`${address}.html`, `${address}/index.html`];
  for (const name of names) {
    const file = join(output, name);
    if (
      await access(file).then(
        () => true,
        () => false,
      )
    )
      return file;
  }
  return undefined;
}
