import { randomUUID } from "node:crypto";
import { access, mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { OctavoError, isSystemError } from "@octavo/site/core";
import { flushTree } from "../../core/index.ts";
import { createGitError } from "../program/failure.ts";
import { placeFile } from "../program/place-file.ts";
import type { Mirror } from "../repository.ts";
import { callGit } from "../program/tools.ts";
import type { GitTools } from "../program/tools.ts";

/**
 * The attributes of all files. They take precedence over every `.gitattributes` file in the repository, so files are
 * checked out byte for byte as committed. Filters (including LFS) do not run, and line endings, keywords and encodings
 * do not change.
 */
const attributes = "* -text -ident !filter !working-tree-encoding !eol\n";

/** Creates an empty bare repository at `path`; leaves an existing one unchanged. */
export async function initializeBare(
  tools: GitTools,
  path: string,
  signal?: AbortSignal,
): Promise<void> {
  const args = ["init", "--quiet", "--bare", "--template=", "--initial-branch=main", path];
  const result = await callGit(tools, args, { signal });
  if (result.exitCode !== 0) {
    throw new OctavoError("internal", "A repository could not be created in the data folder.", {
      cause: createGitError(result),
    });
  }
  await mkdir(join(path, "info"), { recursive: true });
  // Git does not flush these files, and the attributes file written next marks them as complete.
  if (!(await isComplete(path))) await flushTree(path);
  await placeFile(join(path, "info", "attributes"), attributes);
}

/** Reports whether a repository was created completely, by checking its attributes file, which is written last. */
export async function isComplete(path: string): Promise<boolean> {
  return await access(join(path, "info", "attributes")).then(
    () => true,
    () => false,
  );
}

/**
 * Removes a repository in one step, so that no process sees a partial repository. Does nothing if it does not exist.
 */
export async function discardRepository({ path }: Mirror): Promise<void> {
  const removedPath = `${path}.removed-${randomUUID()}`;
  await rename(path, removedPath).catch((error: unknown) => {
    if (!isSystemError(error, "ENOENT")) throw error;
  });
  await rm(removedPath, { recursive: true, force: true });
}
