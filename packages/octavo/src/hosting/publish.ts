import { join } from "node:path";
import { OctavoError } from "@octavo/site/core";
import { openTemporaryFolder, packObjects } from "../git/index.ts";
import type { HostingTools } from "./tools.ts";
import { readCurrent, updateCopy } from "./copy/hosted-copy.ts";
import { placePack } from "./copy/pack-file.ts";
import { publishState, storePack } from "./publish-state.ts";
import type { NewRefs } from "./publish-state.ts";
import type { HostedRepository } from "./store/repository-store.ts";

/** Times that the state may be outdated before its objects are stored. */
const maxAttempts = 20;

/**
 * The only way to move refs of a hosted repository: the objects that the new commits add are packed and stored, then
 * the refs change in one transaction. Every node sees an acknowledged change, even if a node fails. Returns the names
 * of the refs that did not move because they were not at their expected commits.
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
      // The state is published; the next reader updates the copy.
      tools.log("A copy could not be brought up", { path: hosted.path, error });
    });
    if (published.packs > tools.limits.storedPacks) repackLater(tools, hosted);
    return published.lost;
  }
  throw new OctavoError("unavailable", "The repository changes too fast; try again soon.");
}

/** Runs in the background. If it fails, the next caller of `publishRefs` tries again. */
function repackLater(tools: HostingTools, hosted: HostedRepository): void {
  repackShared(tools, hosted).catch((error: unknown) => {
    tools.log("The packs of a repository could not be gathered", { path: hosted.path, error });
  });
}

/**
 * Packs all objects that the refs of a hosted repository reach into one pack in the storage, which replaces all others.
 * The replaced packs stay readable for a day. Does nothing if a ref moves in the meantime.
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
  // The copy has these objects already, but git finds them faster in one pack; the copy's older packs are removed when
  // git combines them.
  if (isReplaced) await placePack(hosted, pack.key, file).catch(() => undefined);
}
