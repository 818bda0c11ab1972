import { cleanRelativePath } from "@octavo/site/core";
import { isFullCommit } from "./ref.ts";
import type { Mirror } from "./repository.ts";
import { readGit } from "./tools.ts";
import type { GitTools } from "./tools.ts";

export interface FolderAtCommit {
  /** A full commit that the repository holds. */
  readonly commit: string;
  /** Relative to the repository's root; empty for the root. */
  readonly folder: string;
}

/** Names of the regular files in a folder at a commit, sorted; empty if there is no such folder. */
export async function listFolderAt(
  tools: GitTools,
  mirror: Mirror,
  { commit, folder }: FolderAtCommit,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const isClean = folder === "" || cleanRelativePath(folder) === folder;
  if (!isFullCommit(commit) || !isClean) return [];
  const place = folder === "" ? [] : [`${folder}/`];
  const args = ["ls-tree", "-z", "--format=%(objectmode) %(path)", commit, ...place];
  const entries = (await readGit(tools, mirror, args, { signal })).split("\0");
  const files = entries.filter((entry) => /^100(?:644|755) /.test(entry));
  const prefix = "100644 ".length + (folder === "" ? 0 : folder.length + 1);
  return files.map((entry) => entry.slice(prefix)).toSorted();
}
