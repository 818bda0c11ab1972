import { join } from "node:path";
import { OctavoError } from "@octavo/site/core";
import { defaultBranchPrefix, isRefName, parseAgentBranch } from "../core/index.ts";
import { readCurrent } from "./copy/hosted-copy.ts";
import { publishRefs } from "./publish.ts";
import { findCurrentBranch, isFullCommit, listRefs } from "../git/index.ts";
import type { Mirror } from "../git/index.ts";
import type { HostingTools } from "./tools.ts";
import type { HostedRepository, RefUpdate } from "./store/repository-store.ts";

/** Moves one ref of a hosted repository. Throws `conflict` if it is not at `expected`, or if its name conflicts. */
export async function updateHostedRef(
  tools: HostingTools,
  hosted: HostedRepository,
  update: RefUpdate,
): Promise<void> {
  const { name, to, expected } = update;
  if (!/^refs\/(?:heads|tags|pull)\/./.test(name) || !isRefName(name)) {
    throw new OctavoError(
      "invalid_input",
      `${JSON.stringify(name)} is not a valid name of a branch or tag.`,
    );
  }
  for (const commit of [to, expected]) {
    if (typeof commit !== "string" || isFullCommit(commit)) continue;
    throw new OctavoError(
      "invalid_input",
      "The new commit of a branch must be a full commit name.",
    );
  }
  const lost = await publishRefs(tools, hosted, { updates: [update] });
  if (lost.length === 0) return;
  throw new OctavoError(
    "conflict",
    `The branch ${name.replace(/^refs\/[^/]+\//, "")} was changed at the same time; try again.`,
  );
}

/** Attempts to follow a mirror while other callers move the hosted repository's refs. */
const maxAttempts = 5;

/**
 * Makes a hosted repository follow a mirror: its branches and tags become the mirror's, except for the service's own
 * branches, which exist here only. HEAD follows, too.
 */
export async function followMirror(
  tools: HostingTools,
  hosted: HostedRepository,
  { mirror, signal }: { readonly mirror: Mirror; readonly signal?: AbortSignal | undefined },
): Promise<void> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const state = await readCurrent(tools, hosted, signal);
    const { refs, head } = await readMirror(tools, mirror, signal);
    const updates = listDifferences(state.refs, refs);
    const newHead = head ?? state.head;
    if (updates.length === 0 && newHead === state.head) return;
    const objects = [join(mirror.path, "objects")];
    const plan = { state, updates, head: newHead, objects, signal };
    if ((await publishRefs(tools, hosted, plan)).length === 0) return;
  }
  throw new OctavoError(
    "unavailable",
    "The service's copy of the repository is being updated elsewhere; try again soon.",
  );
}

/** The updates that make all refs which follow the mirror equal to it. */
function listDifferences(
  current: ReadonlyMap<string, string>,
  mirrored: ReadonlyMap<string, string>,
): RefUpdate[] {
  const changed = [...mirrored].filter(
    ([name, commit]) => follows(name, current) && current.get(name) !== commit,
  );
  const gone = [...current.keys()].filter((name) => follows(name, current) && !mirrored.has(name));
  return [
    ...gone.map((name) => ({ name, to: null, expected: current.get(name) ?? null })),
    ...changed.map(([name, to]) => ({ name, to, expected: current.get(name) ?? null })),
  ];
}

/**
 * Reports whether a ref follows the mirror. The service's own branches have its prefix, or exist here under another
 * one.
 */
function follows(name: string, current: ReadonlyMap<string, string>): boolean {
  if (name.startsWith("refs/tags/")) return true;
  if (!name.startsWith("refs/heads/")) return false;
  const branch = name.slice("refs/heads/".length);
  if (branch.startsWith(defaultBranchPrefix)) return false;
  return !current.has(name) || parseAgentBranch(branch) === undefined;
}

async function readMirror(
  tools: HostingTools,
  mirror: Mirror,
  signal: AbortSignal | undefined,
): Promise<{ readonly refs: Map<string, string>; readonly head: string | undefined }> {
  const refs = await listRefs(tools, mirror, ["refs/heads", "refs/tags"], signal);
  const branch = await findCurrentBranch(tools, mirror, signal);
  return { refs, head: branch === undefined ? undefined : `refs/heads/${branch}` };
}
