import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { randomUUID } from "node:crypto";
import { OctavoError } from "@octavo/site/core";
import { findTree } from "./ref.ts";
import type { Commit, Mirror } from "../repository.ts";
import { readGit } from "../program/tools.ts";
import type { GitTools } from "../program/tools.ts";

interface CheckoutPlan {
  readonly mirror: Mirror;
  readonly at: Commit;
  /** The path in the repository; `.` is its root. */
  readonly directory: string;
  /** The folder to write. It is created if missing; otherwise, it must be empty. */
  readonly targetDir: string;
  readonly signal: AbortSignal | undefined;
}

/**
 * Writes the files of one directory at one commit into `targetDir`, exactly as committed. Symbolic links remain links;
 * submodules are omitted; filters and hooks do not run. Throws `site_invalid` if the directory does not exist, and
 * `too_large` before anything is written.
 */
export async function checkOut(tools: GitTools, plan: CheckoutPlan): Promise<void> {
  const { mirror, targetDir, signal } = plan;
  const tree = await siteTree(tools, plan);
  await refuseSize(tools, plan, tree);
  await mkdir(targetDir, { recursive: true });
  const index = join(tools.home.folder, `index-${randomUUID()}`);
  try {
    await readGit(tools, mirror, ["read-tree", "--reset", "-u", tree], {
      environment: { GIT_INDEX_FILE: index, GIT_WORK_TREE: targetDir },
      signal,
    });
  } finally {
    await rm(index, { force: true });
  }
}

async function siteTree(tools: GitTools, { mirror, at, directory }: CheckoutPlan): Promise<string> {
  const tree = await findTree(tools, mirror, { commit: at.commit, directory });
  if (tree !== undefined) return tree;
  throw new OctavoError(
    "site_invalid",
    `There is no folder ${JSON.stringify(directory)} in the repository at ${at.ref} (${at.commit.slice(0, 12)}). ` +
      "Correct the project's directory, or push the folder.",
  );
}

/**
 * Checks the number of files and bytes before anything is written. A tree of a few kilobytes can represent millions of
 * files.
 */
async function refuseSize(
  tools: GitTools,
  { mirror, signal }: CheckoutPlan,
  tree: string,
): Promise<void> {
  const { checkoutFiles, checkoutBytes } = tools.limits;
  const list = await readGit(tools, mirror, ["ls-tree", "-r", "--format=%(objectsize)", tree], {
    signal,
  });
  let [files, bytes] = [0, 0];
  for (const line of list.split("\n")) {
    files++;
    // The size of a submodule is `-`.
    bytes += Number.parseInt(line, 10) || 0;
  }
  if (files > checkoutFiles || bytes > checkoutBytes) {
    throw new OctavoError(
      "too_large",
      `The site's folder contains more than ${checkoutFiles.toLocaleString("en")} files or ` +
        `${Math.round(checkoutBytes / 1024 ** 2).toLocaleString("en")} MB; it is too large to export.`,
    );
  }
}
