import { isOctavoError } from "@octavo/site/core";
import { readBlame } from "./blame.ts";
import type { BlamedLines, LineRange } from "./blame.ts";
import { readChanges } from "./file-changes.ts";
import type { ChangesOptions, FileChanges } from "./file-changes.ts";
import { openHistoryReader } from "./history-reader.ts";
import type { ContentLocation, HistoryReader, HistoryTools } from "./history-reader.ts";
import { findCurrentPath, findLostFiles } from "./lost-files.ts";
import type { LostFile } from "./lost-files.ts";
import { createMergeFinder } from "./merged-files.ts";
import { ownProcesses } from "../program/processes.ts";
import { readDepartures } from "./renames.ts";
import type { Departure } from "./renames.ts";

/**
 * Git's knowledge of the content of one directory up to one commit. All paths are relative to that directory; paths
 * outside it are never returned. Only reads the repository: hooks, filters and drivers do not run, nothing is fetched,
 * and time and output are bounded. Throws `cancelled`; after any other failure, the history is empty.
 */
export interface ContentHistory {
  /** Used to read the same history in another process, with `openContentHistory`. */
  readonly place: HistoryContext;
  /** Returns the last commits that changed a file that exists at the commit, newest first, across renames. */
  changes(path: string, options: ChangesOptions): Promise<FileChanges>;
  /**
   * Finds where a former file went; undefined for a file that exists, never existed, or is not known to have existed.
   */
  findLost(path: string, signal?: AbortSignal): Promise<LostFile | undefined>;
  /**
   * Finds the commit that last changed each of the lines, as they are at the commit. Returns runs of lines from one
   * commit.
   */
  blame(path: string, lines: LineRange, signal?: AbortSignal): Promise<readonly BlamedLines[]>;
  /** False for a clone made without the older commits. */
  isComplete(signal?: AbortSignal): Promise<boolean>;
}

/** A history in a form that can be sent to another process: its location, and how git is called. */
export interface HistoryContext {
  readonly tools: Omit<HistoryTools, "processes">;
  readonly location: ContentLocation;
}

/** Opens a history. Runs nothing until the first query. */
export function openContentHistory(place: HistoryContext): ContentHistory {
  return createContentHistory({ ...place.tools, processes: ownProcesses }, place.location);
}

/** Creates a history as `openContentHistory` does, but with tools that cannot be sent to another process. */
export function createContentHistory(
  { processes, home, limits }: HistoryTools,
  { mirror, commit, directory }: ContentLocation,
): ContentHistory {
  const settings = { home: { environment: home.environment }, limits };
  const tools: HistoryTools = { processes, ...settings };
  const location: ContentLocation = { mirror: { path: mirror.path }, commit, directory };
  let opening: Promise<HistoryReader | undefined> | undefined;
  const departures = createLazy(readDepartures);
  const lost = createLazy(async (reader, signal) =>
    findLostFiles(reader, await departures(reader, signal), signal),
  );
  const findMerge = createMergeFinder();
  const arrivals = createLazy(async (reader, signal) =>
    findArrivals(await departures(reader, signal)),
  );

  async function ask<T>(question: (reader: HistoryReader) => Promise<T>, nothing: T): Promise<T> {
    try {
      opening ??= openHistoryReader(tools, location);
      const reader = await opening;
      return reader === undefined ? nothing : await question(reader);
    } catch (error) {
      opening = undefined;
      if (!isOctavoError(error) || isOctavoError(error, "cancelled")) throw error;
      return nothing;
    }
  }

  return {
    place: { tools: settings, location },
    changes: (path, options) =>
      ask(
        (reader) => {
          const cameFrom = async (commit: string, to: string) =>
            (await arrivals(reader, options.signal)).get(commit)?.get(to);
          return readChanges(reader, { cameFrom }, { ...options, path });
        },
        { commits: [], isWhole: false },
      ),
    findLost: (path, signal) =>
      ask<LostFile | undefined>(async (reader) => {
        const all = await lost(reader, signal);
        const found = all.get(path);
        if (found === undefined || found.renamedTo !== undefined) return found;
        const merged = await findMerge(reader, { ...found, path: reader.prefix + path }, signal);
        const into = merged && findCurrentPath(merged.into, reader, all);
        return into === undefined ? found : { ...found, mergedInto: into };
      }, undefined),
    blame: (path, lines, signal) => ask((reader) => readBlame(reader, path, lines, signal), []),
    isComplete: () => ask(async ({ shallow }) => shallow.size === 0, false),
  };
}

type Lazy<T> = (reader: HistoryReader, signal: AbortSignal | undefined) => Promise<T>;

/** Caches the result of `read` unless it fails. */
function createLazy<T>(read: Lazy<T>): Lazy<T> {
  let reading: Promise<T> | undefined;
  return async (reader, signal) => {
    reading ??= read(reader, signal);
    try {
      return await reading;
    } catch (error) {
      reading = undefined;
      throw error;
    }
  };
}

/** Returns the former paths of files that a commit renamed, by commit and path. */
function findArrivals(
  departures: readonly Departure[],
): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const arrivals = new Map<string, Map<string, string>>();
  for (const { path, at, to } of departures) {
    if (to === undefined) continue;
    const own = arrivals.get(at.commit) ?? new Map<string, string>();
    arrivals.set(at.commit, own.set(to, path));
  }
  return arrivals;
}
