import { join } from "node:path";
import { OctavoError } from "@octavo/site/core";
import { openTemporaryFolder, packObjects } from "../git/index.ts";
import type { HostingTools } from "./tools.ts";
import { readCurrent, updateCopy } from "./copy/hosted-copy.ts";
import { placePack } from "./copy/pack-file.ts";
import { publishState, storePack } from "./publish-state.ts";
import type { NewRefs } from "./publish-state.ts";
import type { HostedRepository } from "./repository-store.ts";

/** The number of times that the state may be outdated by the time its objects are stored. */
const maxAttempts = 20;

/**
 * Moves refs of a hosted repository, whose refs move only through this function. Packs and stores the objects that the
 * new commits add, then changes the refs in one transaction. Every node sees an acknowledged change, even if a node
 * fails. Returns the names of the refs that did not move because they were not at their expected commits.
 */
export async function publishRefs(
  tools: HostingTools,
  hosted: HostedRepository,
  refs: NewRefs,
): Promise<readonly string[]> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const known = attempt === 1 ? refs.state : undefined;
    const state = known ?? (await readCurrent(tools, hosted, refs.signal));
    const published = await publishState(tools, hosted, { ...refs, state });
    if (published.kind === "outdated") continue;
    await updateCopy(tools, hosted).catch((error: unknown) => {
      // The state is published. The next reader updates the copy.
      tools.log("A copy could not be updated", { path: hosted.path, error });
    });
    const lost = new Set(published.lost);
    const isNone = (refs.isAtomic ?? true) && lost.size > 0;
    const moved = isNone ? [] : refs.updates.filter(({ name }) => !lost.has(name));
    if (moved.length > 0) hosted.onMoved?.(moved.map(({ name }) => name));
    if (published.packs > tools.limits.storedPacks) repackLater(tools, hosted);
    return published.lost;
  }
  throw new OctavoError("unavailable", "The repository is changing too often; try again soon.");
}

/** Repacks in the background. If that fails, the next caller of `publishRefs` tries again. */
function repackLater(tools: HostingTools, hosted: HostedRepository): void {
  repackShared(tools, hosted).catch((error: unknown) => {
    tools.log("The packs of a repository could not be combined", { path: hosted.path, error });
  });
}

/**
 * Combines all objects that are reachable from the refs of a hosted repository into one pack in the storage, which
 * replaces all other packs. The replaced packs remain readable for a day. Does nothing if a ref moves in the meantime.
 */
async function repackShared(tools: HostingTools, hosted: HostedRepository): Promise<void> {
  const { generation, refs } = await readCurrent(tools, hosted);
  await using folder = await openTemporaryFolder(tools.cacheDir);
  const wanted = [...new Set(refs.values())];
  const target = join(folder.path, "all");
  const file = await packObjects(tools, hosted, { wanted, known: [], target });
  if (file === undefined) return;
  const pack = await storePack(hosted, file);
  const isReplaced = await hosted.store.replacePacks(generation, pack);
  // The copy already contains these objects, but git finds them faster in one pack. The copy's older packs are removed
  // when git combines them.
  if (isReplaced) await placePack(hosted, pack.key, file).catch(() => undefined);
}
