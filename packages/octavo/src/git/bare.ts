import { access, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { OctavoError } from "@octavo/site/core";
import { gitError } from "./failure.ts";
import { placeFile } from "./place-file.ts";
import { callGit } from "./tools.ts";
import type { GitTools } from "./tools.ts";

/**
 * Stands above every `.gitattributes` of the repository: files are checked out as the bytes that were
 * committed. No filter runs (LFS included), no line ending, keyword or encoding is changed.
 */
const attributes = "* -text -ident !filter !working-tree-encoding !eol\n";

/** Makes an empty bare repository at `path`; leaves one that is there as it is. */
export async function initializeBare(
  tools: GitTools,
  path: string,
  signal?: AbortSignal,
): Promise<void> {
  const args = ["init", "--quiet", "--bare", "--template=", "--initial-branch=main", path];
  const result = await callGit(tools, args, { signal });
  if (result.exitCode !== 0) {
    throw new OctavoError("internal", "A repository could not be made in the data folder.", {
      cause: gitError(result),
    });
  }
  await mkdir(join(path, "info"), { recursive: true });
  await placeFile(join(path, "info", "attributes"), attributes);
}

/** Whether one was made to its end: its attributes are what is written last. */
export async function isWhole(path: string): Promise<boolean> {
  return await access(join(path, "info", "attributes")).then(
    () => true,
    () => false,
  );
}
