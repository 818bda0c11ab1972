import { copyFile, link } from "node:fs/promises";
import { join } from "node:path";
import { hasUnreachable, openTemporaryFolder, packObjects } from "../git/index.ts";
import type { HostingTools } from "./tools.ts";
import { placePack } from "./copy/pack-file.ts";
import type {
  HostedRepository,
  PublishResult,
  RefUpdate,
  RepositoryState,
  StoredPack,
} from "./repository-store.ts";

export interface NewRefs {
  /** The updates, each of a different ref. */
  readonly updates: readonly RefUpdate[];
  /** Whether a single ref that is not at its expected commit prevents all updates. Defaults to true. */
  readonly isAtomic?: boolean;
  /** The full name of HEAD's new branch. By default, HEAD does not change. */
  readonly head?: string | undefined;
  /** Object folders, in addition to the copy's own, that contain the new commits. */
  readonly objects?: readonly string[] | undefined;
  /** The state for the first attempt. Defaults to the current state. */
  readonly state?: RepositoryState;
  readonly signal?: AbortSignal | undefined;
}

/** Makes one attempt to publish. The copy must contain the objects of `state`. */
export async function publishState(
  tools: HostingTools,
  hosted: HostedRepository,
  plan: NewRefs & { readonly state: RepositoryState },
): Promise<PublishResult> {
  const { state, updates, isAtomic = true, head, objects = [], signal } = plan;
  const known = new Set(state.refs.values());
  const wanted = updates.flatMap(({ to }) => (to === null || known.has(to) ? [] : [to]));
  await using folder = await openTemporaryFolder(tools.cacheDir);
  const target = join(folder.path, "new");
  const file =
    wanted.length === 0
      ? undefined
      : await packObjects(tools, hosted, { wanted, known, target, objects, signal });
  const pack = file === undefined ? undefined : await storePack(hosted, file);
  const canLoseCommits = await areCommitsLost(tools, hosted, plan);
  const published = await hosted.store.publish({
    basis: state.generation,
    updates,
    pack,
    isAtomic,
    canLoseCommits,
    head,
    maxBytes: tools.limits.repositoryBytes,
  });
  // Saves this node the download; a failure is not an error.
  if (file && pack) await placePack(hosted, pack.key, file).catch(() => undefined);
  return published;
}

/**
 * Stores a pack. The storage removes the source file, but this node's copy needs it, so a link to it is stored instead.
 */
export async function storePack(hosted: HostedRepository, file: string): Promise<StoredPack> {
  await linkFile(`${file}.pack`, `${file}.stored`);
  return await hosted.store.putPack(`${file}.stored`);
}

/** Reports whether commits that are reachable from the refs in `state` become unreachable after the updates. */
async function areCommitsLost(
  tools: HostingTools,
  hosted: HostedRepository,
  { state, updates, objects = [], signal }: NewRefs & { readonly state: RepositoryState },
): Promise<boolean> {
  const refsAfter = new Map(state.refs);
  for (const { name, to } of updates) {
    if (to === null) refsAfter.delete(name);
    else refsAfter.set(name, to);
  }
  const keptCommits = new Set(refsAfter.values());
  const movedUpdates = updates.filter(({ name }) => state.refs.has(name));
  // A tag may be a separate object, which cannot be reached from any commit.
  if (movedUpdates.some(({ name }) => !name.startsWith("refs/heads/"))) return true;
  const previousCommits = movedUpdates.flatMap(({ name }) => state.refs.get(name) ?? []);
  const droppedCommits = previousCommits.filter((commit) => !keptCommits.has(commit));
  if (droppedCommits.length === 0) return false;
  return await hasUnreachable(tools, hosted, {
    commits: droppedCommits,
    from: [...keptCommits],
    objects,
    signal,
  });
}

/** Creates a hard link to a file, or a copy if the file system does not support links. */
async function linkFile(from: string, to: string): Promise<void> {
  await link(from, to).catch(async () => copyFile(from, to));
}
