import { cleanRelativePath } from "@octavo/site/core";
import { isFullCommit } from "./ref.ts";
import type { Mirror } from "../repository.ts";
import { readGit } from "../program/tools.ts";
import type { GitTools } from "../program/tools.ts";

export interface FolderAtCommit {
  /** A full commit that the repository holds. */
  readonly commit: string;
  /** Relative to the repository's root; empty for the root. */
  readonly folder: string;
}

/** Names, each sorted. */
export interface FolderEntries {
  /** Regular files. */
  readonly files: readonly string[];
  readonly folders: readonly string[];
}

/** What a folder holds at a commit; nothing if there is no such folder. Links and submodules are left out. */
export async function listFolderAt(
  tools: GitTools,
  mirror: Mirror,
  { commit, folder }: FolderAtCommit,
  signal?: AbortSignal,
): Promise<FolderEntries> {
  const isClean = folder === "" || cleanRelativePath(folder) === folder;
  if (!isFullCommit(commit) || !isClean) return { files: [], folders: [] };
  const place = folder === "" ? [] : [`${folder}/`];
  const args = ["ls-tree", "-z", "--format=%(objectmode) %(path)", commit, ...place];
  const entries = (await readGit(tools, mirror, args, { signal })).split("\0");
  const prefix = "100644 ".length + (folder === "" ? 0 : folder.length + 1);
  const namesOf = (mode: RegExp): string[] =>
    entries
      .filter((entry) => mode.test(entry))
      .map((entry) => entry.slice(prefix))
      .toSorted();
  return { files: namesOf(/^100(?:644|755) /), folders: namesOf(/^040000 /) };
}
