import { randomUUID } from "node:crypto";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { publishState } from "../publish-state.ts";
import { currentBranch, listRefs } from "../../git/index.ts";
import type { GitTools } from "../../git/index.ts";
import type { HostedRepository } from "../store/repository-store.ts";

/**
 * Publishes a folder that was the repository itself, before there was a store, and makes it a copy. If another node
 * has published its own already, the folder is set aside under another name: its commits may be nowhere else.
 */
export async function importUnpublished(
  tools: GitTools,
  hosted: HostedRepository,
  signal: AbortSignal | undefined,
): Promise<void> {
  const refs = await listRefs(tools, hosted, ["refs/heads", "refs/tags", "refs/pull"]);
  if (refs.size > 0 && !(await publishFolder(tools, hosted, { refs, signal }))) {
    const aside = `${hosted.path}.unpublished-${randomUUID()}`;
    await rename(hosted.path, aside);
    tools.log("Another node's folder of a repository was published; this node's is kept aside", {
      path: aside,
    });
    return;
  }
  // From now on, all refs are in one file.
  await rm(join(hosted.path, "refs"), { recursive: true, force: true });
  await mkdir(join(hosted.path, "refs"));
}

async function publishFolder(
  tools: GitTools,
  hosted: HostedRepository,
  { refs, signal }: { refs: Map<string, string>; signal: AbortSignal | undefined },
): Promise<boolean> {
  const state = await hosted.store.read(0);
  // A node that died when it had published the folder, and not yet said so in it, has nothing else in it.
  if (state.generation > 0) return [...refs].every(([name, to]) => state.refs.get(name) === to);
  const branch = await currentBranch(tools, hosted, signal);
  const updates = Array.from(refs, ([name, to]) => ({ name, to, expected: null }));
  const published = await publishState(tools, hosted, {
    state,
    updates,
    head: branch === undefined ? undefined : `refs/heads/${branch}`,
    isAtomic: true,
    signal,
  });
  return published.kind === "published" && published.lost.length === 0;
}
