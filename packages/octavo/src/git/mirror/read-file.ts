import { cleanRelativePath } from "@octavo/site/core";
import { isFullCommit } from "./ref.ts";
import type { Mirror } from "../repository.ts";
import { readGit } from "../program/tools.ts";
import type { GitTools } from "../program/tools.ts";

export interface FileAtCommit {
  /** A full commit that the repository holds. */
  readonly commit: string;
  /** Relative to the repository's root. */
  readonly path: string;
  /** A larger file is not read. */
  readonly maxBytes: number;
}

/** A plain file's text at a commit; undefined for all else: links, folders, submodules, nothing, too much. */
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
