import { join } from "node:path";
import { OctavoError } from "@octavo/site/core";
import { openTemporaryFolder, packObjects } from "../git/index.ts";
import type { HostingTools } from "./tools.ts";
import { readCurrentState, updateCopy } from "./copy/hosted-copy.ts";
import { placePack } from "./copy/pack-file.ts";
import { publishState, storePack } from "./publish-state.ts";
import type { NewRefs } from "./publish-state.ts";
import type { HostedRepository } from "./repository-store.ts";

/** The maximum number of attempts. An attempt fails if the state is outdated by the time its objects are stored. */
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
    const givenState = attempt === 1 ? refs.state : undefined;
    const state = givenState ?? (await readCurrentState(tools, hosted, refs.signal));
    const result = await publishState(tools, hosted, { ...refs, state });
    if (result.kind === "outdated") continue;
    await updateCopy(tools, hosted).catch((error: unknown) => {
      // The state is published. The next reader updates the copy.
      tools.log("A copy could not be updated", { path: hosted.path, error });
    });
    const lostNames = new Set(result.unmovedRefs);
    const isRejected = (refs.isAtomic ?? true) && lostNames.size > 0;
    const movedRefs = isRejected ? [] : refs.updates.filter(({ name }) => !lostNames.has(name));
    if (movedRefs.length > 0) hosted.onMoved?.(movedRefs.map(({ name }) => name));
    if (result.packs > tools.limits.storedPacks) repackLater(tools, hosted);
    return result.unmovedRefs;
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
  const { generation, refs } = await readCurrentState(tools, hosted);
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
