import { randomUUID } from "node:crypto";
import { mkdir, readFile, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { OctavoError, isOctavoError } from "@octavo/site/core";
import {
  acquireLock,
  findCurrentBranch,
  discardRepository,
  combinePacks,
  initializeBare,
  isComplete,
  listRefs,
  placeFile,
} from "../../git/index.ts";
import type { HostingTools } from "../tools.ts";
import { addPack, flushPacks, hasPack } from "./pack-file.ts";
import { formatPackedRefs } from "./packed-refs.ts";
import { publishState } from "../publish-state.ts";
import type { HostedRepository, RepositoryState, StoredPack } from "../repository-store.ts";

/**
 * This node's copy of a hosted repository. Before each use, it is updated to the store's state: first the packs, then
 * the refs, then the generation, each in one step. The next reader therefore completes an interrupted update, and
 * creates a deleted copy again.
 */

/** The maximum number of packs in a copy; above it, git combines them. */
const maxCopyPacks = 50;
/** The number of times that packs may be replaced while they are fetched before this is treated as a failure. */
const maxAttempts = 5;

/**
 * Updates the copy to the store's state at the time of the call, or to a newer state. If the copy is current, this
 * takes a single statement.
 */
export async function updateCopy(
  tools: HostingTools,
  hosted: HostedRepository,
  signal?: AbortSignal,
): Promise<void> {
  const [generation, currentGeneration] = await Promise.all([
    readCopyGeneration(hosted),
    hosted.store.readGeneration(),
  ]);
  if (generation === undefined || generation !== currentGeneration)
    await syncCopy(tools, hosted, signal);
}

/** Returns the store's state, and updates the copy so that it contains all objects of that state. */
export async function readCurrentState(
  tools: HostingTools,
  hosted: HostedRepository,
  signal?: AbortSignal,
): Promise<RepositoryState> {
  const generation = await readCopyGeneration(hosted);
  if (generation !== undefined) {
    const state = await hosted.store.read(generation);
    if (state.generation === generation) return state;
  }
  return await syncCopy(tools, hosted, signal);
}

/** Removes a copy that can be created again. Keeps a folder that predates the store. */
export async function removeCopy(hosted: Pick<HostedRepository, "path">): Promise<void> {
  await using _lock = await acquireLock(`${hosted.path}.lock`);
  if ((await readCopyGeneration(hosted)) !== undefined) await discardRepository(hosted);
}

async function syncCopy(
  tools: HostingTools,
  hosted: HostedRepository,
  signal: AbortSignal | undefined,
): Promise<RepositoryState> {
  await mkdir(dirname(hosted.path), { recursive: true });
  await using _lock = await acquireLock(`${hosted.path}.lock`, signal);
  if ((await readCopyGeneration(hosted)) === undefined) await createCopy(tools, hosted, signal);
  const state = await fetchState(tools, hosted, signal);
  await combineCopyPacks(tools, hosted);
  return state;
}

async function createCopy(
  tools: HostingTools,
  hosted: HostedRepository,
  signal: AbortSignal | undefined,
): Promise<void> {
  await hosted.store.create();
  if (await isComplete(hosted.path)) await importUnpublished(tools, hosted, signal);
  // If git was killed while it created the repository, it would reject the repository because of the locks in it.
  else await discardRepository(hosted);
  await initializeBare(tools, hosted.path, signal);
}

async function fetchState(
  tools: HostingTools,
  hosted: HostedRepository,
  signal: AbortSignal | undefined,
): Promise<RepositoryState> {
  const since = (await readCopyGeneration(hosted)) ?? 0;
  for (let attempt = 1; ; attempt++) {
    const state = await hosted.store.read(since);
    if (state.generation === since && (await readCopyGeneration(hosted)) === since) return state;
    try {
      await fetchPacks(tools, hosted, { packs: state.packs, signal });
    } catch (error) {
      // The pack has been replaced by another pack since the state was read.
      if (!isOctavoError(error, "not_found")) throw error;
      if (attempt === maxAttempts) throw createPackMissingError(error);
      continue;
    }
    await flushPacks(hosted);
    await writeState(hosted, state);
    return state;
  }
}

function createPackMissingError(cause: OctavoError): OctavoError {
  return new OctavoError(
    "unavailable",
    "The storage has lost commits of the repository; restore the storage's files from a backup.",
    { cause },
  );
}

async function fetchPacks(
  tools: HostingTools,
  hosted: HostedRepository,
  { packs, signal }: { packs: readonly StoredPack[]; signal: AbortSignal | undefined },
): Promise<void> {
  for (const { key } of packs) {
    if (await hasPack(hosted, key)) continue;
    const content = await hosted.store.readPack(key);
    await addPack(tools, hosted, { key, content, signal });
  }
}

/**
 * Writes the state's refs, HEAD and generation. Only this function writes a copy's refs, so all of them are in one
 * file, which git also replaces as a whole.
 */
async function writeState({ path }: HostedRepository, state: RepositoryState): Promise<void> {
  await placeFile(join(path, "packed-refs"), formatPackedRefs(state.refs));
  await placeFile(join(path, "HEAD"), `ref: ${state.head}\n`);
  await placeFile(getGenerationFile(path), `${state.generation}\n`);
}

/** Returns the generation of the copy, or undefined if there is no copy, or if it was never complete. */
async function readCopyGeneration({
  path,
}: Pick<HostedRepository, "path">): Promise<number | undefined> {
  const text = await readFile(getGenerationFile(path), "utf8").catch(() => "");
  return /^\d+\n$/.test(text) ? Number(text) : undefined;
}

function getGenerationFile(path: string): string {
  return join(path, "octavo-generation");
}

/** Combines the packs of a copy. Does not change refs; only `writeState` writes them. */
async function combineCopyPacks(tools: HostingTools, hosted: HostedRepository): Promise<void> {
  const names = await readdir(join(hosted.path, "objects", "pack"));
  if (names.filter((name) => name.endsWith(".pack")).length <= maxCopyPacks) return;
  await combinePacks(tools, hosted, maxCopyPacks);
}

/**
 * Publishes a folder that predates the store, when it was the repository itself, and makes it a copy. If another node
 * has already published its own folder, this folder is kept under a different name, because its commits may not exist
 * elsewhere.
 */
async function importUnpublished(
  tools: HostingTools,
  hosted: HostedRepository,
  signal: AbortSignal | undefined,
): Promise<void> {
  const refs = await listRefs(tools, hosted, ["refs/heads", "refs/tags", "refs/pull"]);
  if (refs.size > 0 && !(await publishFolder(tools, hosted, { refs, signal }))) {
    const keptPath = `${hosted.path}.unpublished-${randomUUID()}`;
    await rename(hosted.path, keptPath);
    tools.log(
      "Another node's folder of a repository was published; this node's folder is kept under a different name",
      {
        path: keptPath,
      },
    );
    return;
  }
  // From now on, all refs are in one file.
  await rm(join(hosted.path, "refs"), { recursive: true, force: true });
  await mkdir(join(hosted.path, "refs"));
}

async function publishFolder(
  tools: HostingTools,
  hosted: HostedRepository,
  { refs, signal }: { refs: Map<string, string>; signal: AbortSignal | undefined },
): Promise<boolean> {
  const state = await hosted.store.read(0);
  // If a node stopped after publishing the folder but before recording this in the folder, the folder and the store
  // have the same refs.
  if (state.generation > 0) return [...refs].every(([name, to]) => state.refs.get(name) === to);
  const branch = await findCurrentBranch(tools, hosted, signal);
  const updates = Array.from(refs, ([name, to]) => ({ name, to, expected: null }));
  const published = await publishState(tools, hosted, {
    state,
    updates,
    head: branch === undefined ? undefined : `refs/heads/${branch}`,
    isAtomic: true,
    signal,
  });
  return published.kind === "published" && published.unmovedRefs.length === 0;
}
