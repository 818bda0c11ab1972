import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Mirror } from "../repository.ts";
import { readGit } from "../program/tools.ts";
import type { GitCaller } from "../program/tools.ts";

/**
 * Returns the commits at which a shallow clone begins. They appear to add every file, so they do not show when a file
 * was really added.
 */
export async function readShallowCommits(
  tools: GitCaller,
  mirror: Mirror,
  signal: AbortSignal | undefined,
): Promise<ReadonlySet<string>> {
  const args = ["rev-parse", "--git-common-dir"];
  const folder = (await readGit(tools, mirror, args, { signal })).replace(/\n$/, "");
  try {
    const list = await readFile(join(folder, "shallow"), "utf8");
    return new Set(list.split("\n").filter((line) => line !== ""));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return new Set();
    throw error;
  }
}
