import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { packFiles } from "../../packages/site/src/export/testing.ts";
import type { PackedArchive } from "../../packages/site/src/export/index.ts";
import type { PackOptions } from "../../packages/site/src/export/testing.ts";

/** Packs every file below `folder`, at the path that it has there, as an export packs the files of a bundle. */
export async function packFolder(
  folder: string,
  format: "tar.gz" | "zip",
  outFile: string,
  options: PackOptions = {},
): Promise<PackedArchive> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sources = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const files = sources.map((source) => ({ path: relative(folder, source), source }));
  return await packFiles(files, format, outFile, options);
}
