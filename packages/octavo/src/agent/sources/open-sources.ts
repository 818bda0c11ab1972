import { isOctavoError, createTimeoutSignal } from "@octavo/site/core";
import { createCancelledError } from "../ask-model.ts";
import { getCurrentTurn, getTimestamp } from "../transcript.ts";
import type { Transcript } from "../transcript.ts";
import type { FixedSource, OpenedSource, TurnSource } from "./turn-source.ts";

/** The maximum number of repositories that are fetched at the same time. */
const maxParallelFetches = 3;
/** The maximum total time for all sources, so that they do not use up the turn's time. */
const timeoutMs = 8 * 60_000;

const maxNameLength = 60;

/**
 * Opens the sources of the current turn, in order. The transcript records the commits that the turn's first run found,
 * and later runs read the same commits. A source that cannot be read does not end the turn; its `reader` is then the
 * reason. Throws `cancelled`.
 */
export async function openSources(
  sources: readonly TurnSource[],
  transcript: Transcript,
  signal: AbortSignal,
): Promise<readonly OpenedSource[]> {
  const recorded = getCurrentTurn(transcript.entries()).find(({ type }) => type === "sources");
  if (recorded?.type === "sources") return await reopenSources(sources, recorded.sources, signal);
  if (sources.length === 0) return [];
  const names = createSourceNames(sources.map(({ repository }) => repository));
  const opened = await openEach(sources, signal, (source, index, signals) =>
    openSource(source, names[index] ?? "source", signals),
  );
  await transcript.append({
    type: "sources",
    at: getTimestamp(),
    sources: opened.map(removeReader),
  });
  return opened;
}

/** Returns the source in the form that is stored as JSON. */
function removeReader(source: OpenedSource): FixedSource {
  const { name, repository, ref, directory, commit, error } = source;
  return { name, repository, ref, directory, commit, error };
}

async function reopenSources(
  sources: readonly TurnSource[],
  recorded: readonly FixedSource[],
  signal: AbortSignal,
): Promise<readonly OpenedSource[]> {
  return await openEach(recorded, signal, async (fixed, _, signals) => {
    if (fixed.commit === null) return { ...fixed, reader: fixed.error ?? "" };
    const source = sources.find((one) => isSameSource(one, fixed));
    if (!source) return { ...fixed, reader: "It is no longer a source of the project." };
    const { commit } = fixed;
    return {
      ...fixed,
      reader: await runOrExplain(() => source.open(commit, signals.signal), signals),
    };
  });
}

function isSameSource(source: TurnSource, { repository, ref, directory }: FixedSource): boolean {
  return source.repository === repository && source.ref === ref && source.directory === directory;
}

async function openSource(
  source: TurnSource,
  name: string,
  signals: OpenSignals,
): Promise<OpenedSource> {
  const { repository, ref, directory } = source;
  const reader = await runOrExplain(() => source.open(undefined, signals.signal), signals);
  const shared = { name, repository, ref, directory, reader };
  if (typeof reader === "string") return { ...shared, commit: null, error: reader };
  return { ...shared, commit: reader.at.commit, error: null };
}

interface OpenSignals {
  /** Aborts with the turn, and when the time for all sources has elapsed. */
  readonly signal: AbortSignal;
  readonly turnSignal: AbortSignal;
}

/** Returns the result of `work`, or a sentence that says why it failed. */
async function runOrExplain<T>(
  work: () => Promise<T>,
  { turnSignal }: OpenSignals,
): Promise<T | string> {
  try {
    return await work();
  } catch (error) {
    if (turnSignal.aborted) throw createCancelledError();
    if (!isOctavoError(error)) throw error;
    if (error.code !== "cancelled") return error.message;
    return `Fetching the sources took longer than ${timeoutMs / 60_000} minutes.`;
  }
}

/** Opens the sources in order, several at a time. */
async function openEach<T>(
  sources: readonly T[],
  turnSignal: AbortSignal,
  open: (source: T, index: number, limited: OpenSignals) => Promise<OpenedSource>,
): Promise<readonly OpenedSource[]> {
  const signals = {
    turnSignal,
    signal: AbortSignal.any([turnSignal, createTimeoutSignal(timeoutMs)]),
  };
  const opened: OpenedSource[] = [];
  const remaining = sources.entries();
  const openNext = async (): Promise<void> => {
    for (const [index, source] of remaining) opened[index] = await open(source, index, signals);
  };
  await Promise.all(Array.from({ length: maxParallelFetches }, openNext));
  return opened;
}

/**
 * Returns a name for each repository, in order. The name is the last segment of the address, or as many segments as
 * distinguish it from the others, with a number if all segments are equal. Names contain only ASCII letters, digits,
 * `.`, `_`, `-` and `/`.
 */
export function createSourceNames(repositories: readonly string[]): readonly string[] {
  const addresses = repositories.map(splitAddress);
  const names = addresses.map((parts, index) =>
    findShortestName(parts, addresses.toSpliced(index, 1)),
  );
  const useCounts = new Map<string, number>();
  return names.map((name) => {
    const count = (useCounts.get(name) ?? 0) + 1;
    useCounts.set(name, count);
    return count === 1 ? name : `${name}-${count}`;
  });
}

function findShortestName(
  parts: readonly string[],
  others: readonly (readonly string[])[],
): string {
  const different = others.filter((other) => other.join("/") !== parts.join("/"));
  for (let count = 1; count < parts.length; count++) {
    const name = joinLastParts(parts, count);
    if (different.every((other) => joinLastParts(other, count) !== name)) return name;
  }
  return joinLastParts(parts, parts.length);
}

function joinLastParts(parts: readonly string[], count: number): string {
  return (
    parts
      .slice(-count)
      .join("/")
      .slice(-maxNameLength)
      .replace(/^[^a-z\d]+/i, "") || "source"
  );
}

/** Returns the segments of an address after its scheme. */
function splitAddress(repository: string): readonly string[] {
  return repository
    .replace(/^[a-z]+:\/\//i, "")
    .replace(/^[^/]*@/, "")
    .replace(/\/+$/, "")
    .replace(/\.git$/, "")
    .split(/[/:]/)
    .map((part) => part.replaceAll(/[^\w.-]+/g, "-"))
    .filter((part) => part !== "");
}
