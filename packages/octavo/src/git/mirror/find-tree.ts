import { cleanRelativePath } from "@octavo/site/core";
import { queryObjects } from "./ref.ts";
import type { Mirror } from "../repository.ts";
import type { GitCaller } from "../program/tools.ts";

interface TreeLocation {
  /** The full hash of a commit in the repository. */
  readonly commit: string;
  /** The path in the repository; `.` is its root. */
  readonly directory: string;
}

/** Returns the tree of a directory at a commit; undefined if the directory does not exist. */
export async function findTree(
  tools: GitCaller,
  mirror: Mirror,
  { commit, directory }: TreeLocation,
): Promise<string | undefined> {
  const path = cleanRelativePath(directory);
  if (path === undefined || /[\n\r]/.test(path)) return undefined;
  const [line = ""] = await queryObjects(tools, mirror, [`${commit}:${path}`]);
  return /^([0-9a-f]{40,64}) tree /.exec(line)?.[1];
}
