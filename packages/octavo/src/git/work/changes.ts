import { cleanRelativePath, OctavoError } from "@octavo/site/core";
import { readNameStatus } from "./compare.ts";
import type { GitFileChange } from "./compare.ts";
import { createGitError } from "../program/failure.ts";
import { isFullCommit } from "../mirror/ref.ts";
import type { Mirror } from "../repository.ts";
import { callGit, readGit } from "../program/tools.ts";
import type { GitTools } from "../program/tools.ts";
import { openWorkIndex } from "./work-index.ts";

export interface CheckoutState {
  /** The full hash of the commit that was checked out. */
  readonly commit: string;
  readonly dir: string;
  readonly directory: string;
}

/**
 * Returns the differences between a checkout's files and its commit: new files (including ignored ones), changed files
 * and deleted files. Sorted by path, relative to `dir`. A moved file appears as one deleted and one new file.
 */
export async function findChanges(
  tools: GitTools,
  mirror: Mirror,
  { commit, dir, directory }: CheckoutState,
  signal?: AbortSignal,
): Promise<GitFileChange[]> {
  const path = cleanRelativePath(directory);
  if (path === undefined || !isFullCommit(commit)) {
    throw new OctavoError("invalid_input", "A checkout requires a full commit hash and a folder.");
  }
  await using index = openWorkIndex(tools);
  const environment = { GIT_INDEX_FILE: index.file, GIT_WORK_TREE: dir };
  await readGit(tools, mirror, ["read-tree", `${commit}:${path}`], { environment, signal });
  // Exit code 1 means that some files differ; the next command lists them.
  const refresh = await callGit(tools, ["update-index", "-q", "--refresh"], {
    environment: { ...environment, GIT_DIR: mirror.path },
    signal,
  });
  if (refresh.exitCode > 1) {
    throw new OctavoError("internal", "The files of a checkout could not be compared.", {
      cause: createGitError(refresh),
    });
  }
  const known = ["diff-files", "--name-status", "-z", "--no-renames", "--ignore-submodules=all"];
  const [changed, others] = await Promise.all([
    readGit(tools, mirror, known, { environment, signal }),
    readGit(tools, mirror, ["ls-files", "--others", "-z"], { environment, signal }),
  ]);
  const added = others.split("\0").filter((name) => name !== "");
  return [
    ...readNameStatus(changed),
    ...added.map((name): GitFileChange => ({ kind: "added", path: name })),
  ].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}
