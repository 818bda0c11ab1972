import { cleanRelativePath } from "@octavo/site/core";
import { isFullCommit } from "./ref.ts";
import { readGit } from "../program/tools.ts";
import type { GitTools } from "../program/tools.ts";
import type { Mirror } from "../repository.ts";

export interface FileAtCommit {
  /** The full hash of a commit in the repository. */
  readonly commit: string;
  /** The path from the repository's root. */
  readonly path: string;
  /** Larger files are not read. */
  readonly maxBytes: number;
}

/**
 * Returns a regular file's text at a commit. Undefined for anything else: links, folders, submodules, missing files and
 * files that are too large.
 */
export async function readFileAt(
  tools: GitTools,
  mirror: Mirror,
  { commit, path, maxBytes }: FileAtCommit,
  signal?: AbortSignal,
): Promise<string | undefined> {
  if (!isFullCommit(commit) || cleanRelativePath(path) !== path || path === "") return undefined;
  const list = await readGit(
    tools,
    mirror,
    ["ls-tree", "-z", "--format=%(objectmode) %(objectsize) %(objectname) %(path)", commit, path],
    { signal },
  );
  const [mode = "", size = "", object = "", ...named] = list.replace(/\0$/, "").split(" ");
  const isFile = /^100(?:644|755)$/.test(mode) && named.join(" ") === path;
  if (!isFile || Number(size) > maxBytes) return undefined;
  return await readGit(tools, mirror, ["cat-file", "blob", object], { signal });
}

export interface FolderAtCommit {
  /** The full hash of a commit in the repository. */
  readonly commit: string;
  /** The path from the repository's root; empty for the root. */
  readonly folder: string;
}

/** The names in a folder. Each list is sorted. */
export interface FolderEntries {
  /** Regular files. */
  readonly files: readonly string[];
  readonly folders: readonly string[];
}

/** Lists a folder's entries at a commit; empty if the folder does not exist. Omits links and submodules. */
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
