import { isOctavoError } from "@octavo/site/core";
import { ownProcesses } from "../program/processes.ts";
import { readChanges, type ChangesOptions, type FileChanges } from "./file-changes.ts";
import {
  openHistoryReader,
  type ContentLocation,
  type HistoryReader,
  type HistoryTools,
  isInDirectory,
  diffArguments,
} from "./history-reader.ts";
import type { PastCommit } from "./history-reader.ts";
import { readDepartures, type Departure } from "./renames.ts";

/** A file that existed at an earlier commit. */
export interface LostFile {
  /** The commit that removed the file. */
  readonly removal: PastCommit;
  /** The file's current path, followed across later renames; undefined if it was deleted. */
  readonly renamedTo?: string;
  /** The share of the content that stayed the same in the renames, from 0 to 1; 1 if the file was deleted. */
  readonly similarity: number;
  /** The page that now contains most of a deleted page's text. */
  readonly mergedInto?: string;
}

/** The first and last line of a range, counted from 1. */
export interface LineRange {
  readonly from: number;
  readonly to: number;
}

/** Consecutive lines from the same commit. */
export interface BlamedLines extends LineRange {
  /** Undefined if a shallow clone does not contain the commit. */
  readonly by: PastCommit | undefined;
}

/**
 * The history of one directory's content up to one commit. All paths are relative to that directory; paths outside it
 * are never returned. The repository is only read. Hooks, filters and drivers do not run, nothing is fetched, and time
 * and output are bounded. Throws `cancelled`; after any other failure, the history is empty.
 */
export interface ContentHistory {
  /** Used to read the same history in another process, with `openContentHistory`. */
  readonly context: HistoryContext;
  /**
   * Returns the last commits that changed a file, newest first, across renames. The file must exist at the history's
   * commit.
   */
  listChanges(path: string, options: ChangesOptions): Promise<FileChanges>;
  /**
   * Finds the new location of a former file. Returns undefined for a file that exists, never existed, or is not known
   * to have existed.
   */
  findLost(path: string, signal?: AbortSignal): Promise<LostFile | undefined>;
  /**
   * Finds the commit that last changed each of the lines of the file at the history's commit. Returns runs of
   * consecutive lines from the same commit.
   */
  blame(path: string, lines: LineRange, signal?: AbortSignal): Promise<readonly BlamedLines[]>;
  /**
   * Reports whether the history is complete. Returns false for a shallow clone, which does not contain the older
   * commits.
   */
  isComplete(signal?: AbortSignal): Promise<boolean>;
}

/**
 * A history in a form that can be sent to another process: the location of the repository, and the settings for calling
 * git.
 */
export interface HistoryContext {
  readonly tools: Omit<HistoryTools, "processes">;
  readonly location: ContentLocation;
}

/** Opens a history. Does not run git before the first query. */
export function openContentHistory(context: HistoryContext): ContentHistory {
  return createContentHistory({ ...context.tools, processes: ownProcesses }, context.location);
}

/** Creates a history as `openContentHistory` does, but with tools that cannot be sent to another process. */
export function createContentHistory(
  { processes, home, limits }: HistoryTools,
  { mirror, commit, directory }: ContentLocation,
): ContentHistory {
  const settings = { home: { environment: home.environment }, limits };
  const tools: HistoryTools = { processes, ...settings };
  const location: ContentLocation = { mirror: { path: mirror.path }, commit, directory };
  let readerPromise: Promise<HistoryReader | undefined> | undefined;
  const listDepartures = createLazy(readDepartures);
  const listLostFiles = createLazy(async (reader, signal) =>
    findLostFiles(reader, await listDepartures(reader, signal), signal),
  );
  const findMerge = createMergeFinder();
  const listArrivals = createLazy(async (reader, signal) =>
    findArrivals(await listDepartures(reader, signal)),
  );

  async function ask<T>(query: (reader: HistoryReader) => Promise<T>, fallback: T): Promise<T> {
    try {
      readerPromise ??= openHistoryReader(tools, location);
      const reader = await readerPromise;
      return reader === undefined ? fallback : await query(reader);
    } catch (error) {
      readerPromise = undefined;
      if (!isOctavoError(error) || isOctavoError(error, "cancelled")) throw error;
      return fallback;
    }
  }

  return {
    context: { tools: settings, location },
    listChanges: (path, options) =>
      ask(
        (reader) => {
          const findFormerPath = async (commit: string, to: string) =>
            (await listArrivals(reader, options.signal)).get(commit)?.get(to);
          return readChanges(reader, { findFormerPath }, { ...options, path });
        },
        { commits: [], isWhole: false },
      ),
    findLost: (path, signal) =>
      ask<LostFile | undefined>(async (reader) => {
        const lostFiles = await listLostFiles(reader, signal);
        const lostFile = lostFiles.get(path);
        if (lostFile === undefined || lostFile.renamedTo !== undefined) return lostFile;
        const merged = await findMerge(reader, { ...lostFile, path: reader.prefix + path }, signal);
        const target = merged && findCurrentPath(merged.target, reader, lostFiles);
        return target === undefined ? lostFile : { ...lostFile, mergedInto: target };
      }, undefined),
    blame: (path, lines, signal) => ask((reader) => readBlame(reader, path, lines, signal), []),
    isComplete: () => ask(async ({ shallowCommits }) => shallowCommits.size === 0, false),
  };
}

type LazyQuery<T> = (reader: HistoryReader, signal: AbortSignal | undefined) => Promise<T>;

/** Caches the result of `read` unless it fails. */
function createLazy<T>(read: LazyQuery<T>): LazyQuery<T> {
  let result: Promise<T> | undefined;
  return async (reader, signal) => {
    result ??= read(reader, signal);
    try {
      return await result;
    } catch (error) {
      result = undefined;
      throw error;
    }
  };
}

/** Returns the former paths of files that a commit renamed, by commit and path. */
function findArrivals(
  departures: readonly Departure[],
): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const arrivals = new Map<string, Map<string, string>>();
  for (const { path, removal, to } of departures) {
    if (to === undefined) continue;
    const paths = arrivals.get(removal.commit) ?? new Map<string, string>();
    arrivals.set(removal.commit, paths.set(to, path));
  }
  return arrivals;
}

/** The page that now contains the text of a deleted page. */
interface MergedFile {
  /** The path in the repository. */
  readonly target: string;
  /** The share of the deleted page's distinctive lines that the page contains, from 0 to 1. */
  readonly share: number;
}

/** The lines that a commit removed from and added to files, by path. */
interface CommitLines {
  readonly removed: ReadonlyMap<string, ReadonlySet<string>>;
  readonly added: ReadonlyMap<string, ReadonlySet<string>>;
}

/** The minimum length of a distinctive line. Shorter lines occur in many pages. */
const minDistinctiveLength = 20;
/** Pages with fewer distinctive lines are not matched. */
const minDistinctiveLines = 3;
const minMatchShare = 0.6;
/** The maximum share in the second-best page; above it, the match is ambiguous. */
const maxOtherShare = 0.3;

/**
 * Creates a function that finds the page that received the text of a page deleted by a commit. Caches the lines of the
 * last requested commit.
 */
function createMergeFinder(): (
  reader: HistoryReader,
  lost: Pick<LostFile, "removal"> & { readonly path: string },
  signal: AbortSignal | undefined,
) => Promise<MergedFile | undefined> {
  let cached: { readonly commit: string; readonly lines: Promise<CommitLines> } | undefined;
  return async (reader, { removal: { commit }, path }, signal) => {
    if (cached?.commit !== commit)
      cached = { commit, lines: readCommitLines(reader, commit, signal) };
    try {
      return findMerged(path, await cached.lines);
    } catch (error) {
      cached = undefined;
      throw error;
    }
  };
}

function findMerged(path: string, { removed, added }: CommitLines): MergedFile | undefined {
  const removedLines = removed.get(path);
  if (removedLines === undefined || removedLines.size < minDistinctiveLines) return undefined;
  const shares = [...added]
    .filter(([target]) => target !== path)
    .map(([target, lines]) => ({
      target,
      share: countShared(removedLines, lines) / removedLines.size,
    }))
    .toSorted((a, b) => b.share - a.share);
  const [best, second] = shares;
  const isClear = best !== undefined && best.share >= minMatchShare;
  return isClear && (second?.share ?? 0) <= maxOtherShare ? best : undefined;
}

function countShared(removedLines: ReadonlySet<string>, lines: ReadonlySet<string>): number {
  return [...removedLines].filter((line) => lines.has(line)).length;
}

async function readCommitLines(
  reader: HistoryReader,
  commit: string,
  signal: AbortSignal | undefined,
): Promise<CommitLines> {
  const options = ["-r", "-p", "--unified=0", "--no-renames", "--no-prefix", "--no-commit-id"];
  const pathspecs = reader.prefix === "" ? [] : [reader.prefix];
  const args = ["diff-tree", ...diffArguments, ...options, commit, "--", ...pathspecs];
  return parseLines(await reader.readSome(args, { signal }));
}

/**
 * Parses a patch. The two lines before a file's first hunk contain its name. Omits files whose names git quotes because
 * they contain unusual characters.
 */
function parseLines(patch: string): CommitLines {
  const removed = new Map<string, Set<string>>();
  const added = new Map<string, Set<string>>();
  let files: readonly (Set<string> | undefined)[] = [];
  let isInHeader = true;
  for (const line of patch.split("\n")) {
    if (line.startsWith("diff --git ")) [isInHeader, files] = [true, []];
    else if (line.startsWith("@@")) isInHeader = false;
    else if (isInHeader && line.startsWith("--- ")) files = [openLines(removed, line.slice(4))];
    else if (isInHeader && line.startsWith("+++ "))
      files = [files[0], openLines(added, line.slice(4))];
    else if (!isInHeader) {
      const distinctiveLine = normalizeLine(line.slice(1));
      if (distinctiveLine.length >= minDistinctiveLength)
        files[line.startsWith("-") ? 0 : 1]?.add(distinctiveLine);
    }
  }
  return { removed, added };
}

/**
 * Returns the set for a page's lines, which it creates if needed, or undefined for other files. Git appends a tab to a
 * name that contains spaces.
 */
function openLines(linesByPath: Map<string, Set<string>>, name: string): Set<string> | undefined {
  const path = name.replace(/\t$/, "");
  if (path === "/dev/null" || !/\.(?:mdx?|markdown)$/i.test(path)) return undefined;
  const lines = linesByPath.get(path) ?? new Set<string>();
  linesByPath.set(path, lines);
  return lines;
}

/** Normalizes a line: removes the heading's markers, because a merged page may have a different heading level. */
function normalizeLine(line: string): string {
  return line.replace(/^\s*#+\s+/, "").trim();
}

/** Finds every file that a commit renamed or deleted and that no longer exists. The result is keyed by path. */
async function findLostFiles(
  reader: HistoryReader,
  departures: readonly Departure[],
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, LostFile>> {
  const { prefix, commit } = reader;
  const pathspecs = prefix === "" ? [] : [prefix];
  const tree = ["ls-tree", "-r", "-z", "--full-tree", "--name-only", commit, "--", ...pathspecs];
  const present = new Set((await reader.readAll(tree, { signal })).split("\0"));
  const lost = new Map<string, LostFile>();
  // Newest first: the later renames of a file are known by the time an earlier one is read.
  for (const departure of departures) {
    if (present.has(departure.path) || !isInDirectory(departure.path, prefix)) continue;
    const path = departure.path.slice(prefix.length);
    if (lost.has(path)) continue;
    lost.set(path, {
      removal: departure.removal,
      ...resolveDestination(departure, { present, prefix, lost }),
    });
  }
  return lost;
}

function resolveDestination(
  { to, similarity }: Departure,
  context: {
    readonly present: ReadonlySet<string>;
    readonly prefix: string;
    readonly lost: ReadonlyMap<string, LostFile>;
  },
): Omit<LostFile, "removal"> {
  if (to === undefined) return { similarity: 1 };
  const path = to.slice(context.prefix.length);
  if (context.present.has(to)) return { renamedTo: path, similarity };
  const next = context.lost.get(path);
  if (next?.renamedTo === undefined) return { similarity: 1 };
  return { renamedTo: next.renamedTo, similarity: Math.min(similarity, next.similarity) };
}

/**
 * Returns the current path of a repository's file, relative to the directory, or undefined if the file was removed or
 * is now outside the directory.
 */
function findCurrentPath(
  path: string,
  { prefix }: Pick<HistoryReader, "prefix">,
  lost: ReadonlyMap<string, LostFile>,
): string | undefined {
  if (!isInDirectory(path, prefix)) return undefined;
  const relativePath = path.slice(prefix.length);
  const lostFile = lost.get(relativePath);
  return lostFile === undefined ? relativePath : lostFile.renamedTo;
}

/**
 * Returns the commits that last changed the given lines of the file at the reader's commit. The result is empty if that
 * commit does not contain the file.
 */
async function readBlame(
  reader: HistoryReader,
  path: string,
  { from, to }: LineRange,
  signal: AbortSignal | undefined,
): Promise<readonly BlamedLines[]> {
  const { prefix, commit, shallowCommits } = reader;
  const options = ["--porcelain", "--no-textconv", "--no-ignore-revs-file", "--root"];
  const args = [...options, "-L", `${from},${to}`, commit, "--", prefix + path];
  const text = await readBlameOutput(reader, args, signal);
  return joinRuns(readPorcelain(text)).map(({ from, to, at, past }) => ({
    from,
    to,
    by: shallowCommits.has(at) ? undefined : past(),
  }));
}

/**
 * Runs `git blame` across renames. If that fails because a commit removed too many files to compare, runs it again
 * without following renames, which attributes the lines to that commit.
 */
async function readBlameOutput(
  reader: HistoryReader,
  args: readonly string[],
  signal: AbortSignal | undefined,
): Promise<string> {
  try {
    return await reader.readSome(["blame", ...args], { signal });
  } catch (error) {
    if (isOctavoError(error, "cancelled")) throw error;
    return await reader.readSome(["blame", "--no-follow", ...args], { signal });
  }
}

interface LineOrigin extends LineRange {
  readonly at: string;
  readonly past: () => PastCommit;
}

/** Parses the porcelain format. A commit's details follow its first mention; each line's content begins with a tab. */
function readPorcelain(text: string): LineOrigin[] {
  const detailsByCommit = new Map<string, Map<string, string>>();
  const lines: LineOrigin[] = [];
  let details = new Map<string, string>();
  for (const row of text.split("\n")) {
    if (row.startsWith("\t")) continue;
    const [, commit, line] = /^([0-9a-f]{40,64}) \d+ (\d+)(?: \d+)?$/.exec(row) ?? [];
    if (commit === undefined) {
      const end = row.indexOf(" ");
      details.set(row.slice(0, end), row.slice(end + 1));
      continue;
    }
    details = detailsByCommit.get(commit) ?? new Map<string, string>();
    detailsByCommit.set(commit, details);
    const [commitDetails, number] = [details, Number(line)];
    lines.push({
      from: number,
      to: number,
      at: commit,
      past: () => toPastCommit(commit, commitDetails),
    });
  }
  return lines;
}

function toPastCommit(commit: string, details: ReadonlyMap<string, string>): PastCommit {
  const zone = details.get("committer-tz") ?? "+0000";
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3, 5));
  const seconds =
    Number(details.get("committer-time")) + (zone.startsWith("-") ? -60 : 60) * minutes;
  const day = new Date(Number.isFinite(seconds) && Math.abs(seconds) < 8e12 ? seconds * 1_000 : 0);
  return { commit, date: day.toISOString().slice(0, 10), subject: details.get("summary") ?? "" };
}

function joinRuns(lines: readonly LineOrigin[]): LineOrigin[] {
  const runs: LineOrigin[] = [];
  for (const line of lines) {
    const last = runs.at(-1);
    const isNext = last !== undefined && last.at === line.at && last.to + 1 === line.from;
    if (isNext) runs[runs.length - 1] = { ...last, to: line.to };
    else runs.push(line);
  }
  return runs;
}
