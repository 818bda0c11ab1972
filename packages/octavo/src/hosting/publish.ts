import { join } from "node:path";
import { OctavoError } from "@octavo/site/core";
import { openTemporaryFolder, packObjects } from "../git/index.ts";
import type { HostingTools } from "./tools.ts";
import { readCurrent, updateCopy } from "./copy/hosted-copy.ts";
import { placePack } from "./copy/pack-file.ts";
import { publishState, storePack } from "./publish-state.ts";
import type { NewRefs } from "./publish-state.ts";
import type { HostedRepository } from "./store/repository-store.ts";

/** How often a state may be outdated before the objects for it are stored. */
const maxAttempts = 20;

/**
 * The only way that refs of a hosted repository move: the objects that the new commits add are packed and stored,
 * then the refs change in one transaction. What this acknowledges is seen by every node, whichever dies. Returns the
 * names of the refs that were not where they were expected and did not move.
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
      // It is published; the next reader brings the copy up.
      tools.log("A copy could not be brought up", { path: hosted.path, error });
    });
    if (published.packs > tools.limits.storedPacks) repackLater(tools, hosted);
    return published.lost;
  }
  throw new OctavoError("unavailable", "The repository changes too fast; try again soon.");
}

/** Nobody waits for it, and whoever publishes next tries again where it fails. */
function repackLater(tools: HostingTools, hosted: HostedRepository): void {
  repackShared(tools, hosted).catch((error: unknown) => {
    tools.log("The packs of a repository could not be gathered", { path: hosted.path, error });
  });
}

/**
 * Puts everything that the refs of a hosted repository reach into one pack of the storage, in place of all others.
 * Readers that still fetch one of those have a day for it. Does nothing if a ref moves meanwhile.
 */
export async function repackShared(tools: HostingTools, hosted: HostedRepository): Promise<void> {
  const { generation, refs } = await readCurrent(tools, hosted);
  await using folder = await openTemporaryFolder(tools.cacheDir);
  const wanted = [...new Set(refs.values())];
  const target = join(folder.path, "all");
  const file = await packObjects(tools, hosted, { wanted, known: [], target });
  if (file === undefined) return;
  const pack = await storePack(hosted, file);
  const isReplaced = await hosted.store.replacePacks(generation, pack);
  // The copy has these objects, and git finds them faster here; its own packs go when it gathers them.
  if (isReplaced) await placePack(hosted, pack.key, file).catch(() => undefined);
}
