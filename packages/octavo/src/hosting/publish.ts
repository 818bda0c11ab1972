import { OctavoError } from "@octavo/site/core";
import { readCurrent, updateCopy } from "./copy/hosted-copy.ts";
import { publishState } from "./publish-state.ts";
import type { NewRefs } from "./publish-state.ts";
import { repackShared } from "./repack.ts";
import type { GitTools } from "../git/index.ts";
import type { HostedRepository } from "./store/repository-store.ts";

/** How often a state may be outdated before the objects for it are stored. */
const maxAttempts = 20;

/**
 * The only way that refs of a hosted repository move: the objects that the new commits add are packed and stored,
 * then the refs change in one transaction. What this acknowledges is seen by every node, whichever dies. Returns the
 * names of the refs that were not where they were expected and did not move.
 */
export async function publishRefs(
  tools: GitTools,
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
function repackLater(tools: GitTools, hosted: HostedRepository): void {
  repackShared(tools, hosted).catch((error: unknown) => {
    tools.log("The packs of a repository could not be gathered", { path: hosted.path, error });
  });
}
