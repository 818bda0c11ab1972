import { posix } from "node:path";
import { isOctavoError } from "@octavo/site/core";
import { diffArguments, headFormat, logHeadArguments, readHead } from "./history-reader.ts";
import type { HistoryReader, PastCommit, ReadOptions } from "./history-reader.ts";

/** A file that a commit removed. Paths are relative to the repository's root. */
export interface Departure {
  readonly path: string;
  readonly removal: PastCommit;
  /** The file's new path; undefined if it was deleted, or if it changed too much for a match. */
  readonly to: string | undefined;
  /** The share of its text that the commit left unchanged, from 0 to 1. */
  readonly similarity: number;
}

/** Files of one commit whose texts are compared. */
interface Comparison {
  readonly commit: string;
  readonly files: readonly TouchedFile[];
}

/**
 * Limits per comparison. Git compares each removed file with each added file and keeps its data on each text in memory
 * until all texts of a commit are compared. A commit may contain any number of files of any size.
 */
const maxFiles = 1_000;
const maxBytes = 64 * 1024 * 1024;
const maxBatches = 50;

const pagePattern = /\.(?:mdx?|markdown)$/i;

/**
 * Finds every file of the directory that a commit removed, newest first. The new path of a file with unchanged content
 * is found if it is unambiguous. The new path of a page whose text also changed is found if the commit moved few enough
 * pages to compare, or if the page kept its name.
 */
export async function readDepartures(
  reader: HistoryReader,
  signal: AbortSignal | undefined,
): Promise<readonly Departure[]> {
  const { prefix, commit } = reader;
  const pathspecs = prefix === "" ? [] : [prefix];
  const filter = [...fileListArguments, "--diff-filter=AD"];
  const log = readLog(
    await reader.readSome([...logHeadArguments, ...filter, commit, "--", ...pathspecs], { signal }),
  ).filter(({ files }) => files.some(isRemoved));
  const unchanged = new Map(log.map((each) => [each.commit, findUnchanged(each)]));
  const comparisons = await groupComparisons(reader, log, unchanged, signal);
  const renamesByFile = await compareTexts(reader, comparisons, signal);
  return log.flatMap(({ files, ...removal }) =>
    files.filter(isRemoved).map(({ path }): Departure => {
      const unchangedPath = unchanged.get(removal.commit)?.get(path);
      if (unchangedPath !== undefined) return { path, removal, to: unchangedPath, similarity: 1 };
      const found = renamesByFile.get(getFileKey(removal.commit, path));
      return { path, removal, to: found?.to, similarity: found?.similarity ?? 1 };
    }),
  );
}

function isRemoved({ status }: TouchedFile): boolean {
  return status === "D";
}

function getFileKey(commit: string, path: string): string {
  return `${commit}\n${path}`;
}

/**
 * Finds the new paths of files with unchanged content, by old path. The new path belongs to the only added file with
 * this content, or to the only such file that also has the same name. The path is undefined if there are several
 * candidates.
 */
function findUnchanged({ files }: LoggedCommit): ReadonlyMap<string, string | undefined> {
  const added = files.filter((file) => !isRemoved(file));
  const byObject = Map.groupBy(added, ({ object }) => object);
  const found = new Map<string, string | undefined>();
  for (const { path, object } of files.filter(isRemoved)) {
    const all = byObject.get(object) ?? [];
    const named = all.filter((file) => posix.basename(file.path) === posix.basename(path));
    const [only, ...others] = named.length > 0 ? named : all;
    if (only !== undefined) found.set(path, others.length === 0 ? only.path : undefined);
  }
  return found;
}

/**
 * Returns the pages of each commit that were removed, or added with different text. Pages are in groups that git can
 * process, newest first.
 */
async function groupComparisons(
  reader: HistoryReader,
  log: readonly LoggedCommit[],
  unchanged: ReadonlyMap<string, ReadonlyMap<string, string | undefined>>,
  signal: AbortSignal | undefined,
): Promise<readonly (readonly Comparison[])[]> {
  const openComparisons = log.flatMap(({ commit, files }): Comparison[] => {
    const newPaths = unchanged.get(commit) ?? new Map<string, string | undefined>();
    const pairedPaths = new Set<string | undefined>([...newPaths.keys(), ...newPaths.values()]);
    const rest = files.filter(({ path }) => pagePattern.test(path) && !pairedPaths.has(path));
    const isPair = rest.some(isRemoved) && !rest.every(isRemoved);
    return isPair ? [{ commit, files: rest }] : [];
  });
  const objects = openComparisons.flatMap(({ files }) => files.map(({ object }) => object));
  const sizes = await readSizes(reader, objects, signal);
  const parts = openComparisons.flatMap((comparison) => splitComparison(comparison, sizes));
  return groupWithinLimits(parts, ({ files }) => computeCost(files, sizes)).slice(0, maxBatches);
}

/** Returns object sizes by hash. Omits objects that are missing from a clone. */
async function readSizes(
  reader: HistoryReader,
  objects: readonly string[],
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, number>> {
  if (objects.length === 0) return new Map();
  const args = ["cat-file", "--batch-check=%(objectname) %(objectsize)"];
  const text = await reader.readSome(args, { signal, input: `${objects.join("\n")}\n` });
  const lines = text.matchAll(/^([0-9a-f]+) (\d+)$/gm);
  return new Map([...lines].map(([, object = "", size]) => [object, Number(size)]));
}

interface Cost {
  readonly files: number;
  readonly bytes: number;
}

function computeCost(files: readonly TouchedFile[], sizes: ReadonlyMap<string, number>): Cost {
  const bytes = files.reduce((sum, { object }) => sum + (sizes.get(object) ?? Infinity), 0);
  return { files: files.length, bytes };
}

function isWithinLimits({ files, bytes }: Cost): boolean {
  return files <= maxFiles && bytes <= maxBytes;
}

/**
 * Splits a comparison that exceeds the limits into parts that do not. Files with the same name are in the same part.
 * Omits files without a counterpart of the same name.
 */
function splitComparison(comparison: Comparison, sizes: ReadonlyMap<string, number>): Comparison[] {
  const { commit, files } = comparison;
  if (isWithinLimits(computeCost(files, sizes))) return [comparison];
  const named = [...Map.groupBy(files, ({ path }) => posix.basename(path)).values()].filter(
    (group) => group.some(isRemoved) && !group.every(isRemoved),
  );
  const parts = groupWithinLimits(named, (group) => computeCost(group, sizes));
  return parts.map((part) => ({ commit, files: part.flat() }));
}

/** Groups neighboring items within the limits. Omits an item that exceeds the limits on its own. */
function groupWithinLimits<T>(items: readonly T[], getCost: (item: T) => Cost): T[][] {
  const groups: T[][] = [];
  let sum: Cost = { files: Infinity, bytes: Infinity };
  for (const item of items) {
    const itemCost = getCost(item);
    if (!isWithinLimits(itemCost)) continue;
    const next = { files: sum.files + itemCost.files, bytes: sum.bytes + itemCost.bytes };
    if (isWithinLimits(next)) groups.at(-1)?.push(item);
    else groups.push([item]);
    sum = isWithinLimits(next) ? next : itemCost;
  }
  return groups;
}

/** Finds the new paths of pages whose text changed in the move, keyed by commit and old path. */
async function compareTexts(
  reader: HistoryReader,
  batches: readonly (readonly Comparison[])[],
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, Pick<Departure, "to" | "similarity">>> {
  const found = new Map<string, Pick<Departure, "to" | "similarity">>();
  const renames = ["--find-renames", `-l${maxFiles}`, "--diff-filter=R", ...fileListArguments];
  const args = ["diff-tree", "-r", "--stdin", ...diffArguments, ...renames, headFormat, "--"];
  for (const batch of batches) {
    const paths = new Set(batch.flatMap(({ files }) => files.map(({ path }) => path)));
    const input = `${[...new Set(batch.map(({ commit }) => commit))].join("\n")}\n`;
    const text = await readComparison(reader, [...args, ...paths], { signal, input });
    for (const { commit, files } of readLog(text)) {
      for (const { status, path, to } of files) {
        found.set(getFileKey(commit, path), { to, similarity: Number(status.slice(1)) / 100 });
      }
    }
  }
  return found;
}

/** Runs a comparison; returns an empty string if git cannot compare because objects are missing from the clone. */
async function readComparison(
  reader: HistoryReader,
  args: readonly string[],
  options: ReadOptions,
): Promise<string> {
  try {
    return await reader.readSome(args, options);
  } catch (error) {
    if (isOctavoError(error, "cancelled")) throw error;
    return "";
  }
}

/** Lists the files of each commit in the format that `readLog` parses. */
const fileListArguments: readonly string[] = ["-z", "--raw", "--no-abbrev"];

/** A file that a commit changed. */
interface TouchedFile {
  /** Git's status letter, followed by the similarity if the file was renamed: `A`, `R087`. */
  readonly status: string;
  readonly path: string;
  /** The new path of a renamed file. */
  readonly to?: string;
  /** The object with the file's content before the commit, or for an added file, after it. */
  readonly object: string;
}

interface LoggedCommit extends PastCommit {
  readonly files: readonly TouchedFile[];
}

/** Parses git's output for `headFormat` and `fileListArguments`. Drops a truncated record. */
function readLog(text: string): LoggedCommit[] {
  const commits: (PastCommit & { readonly files: TouchedFile[] })[] = [];
  const fields = text.split("\0").slice(0, -1);
  for (let index = 0; index < fields.length; index++) {
    // Git puts a line break between the commit's line and the first name.
    const field = (fields[index] ?? "").replace(/^\n/, "");
    const head = readHead(field);
    if (head !== undefined) commits.push({ ...head, files: [] });
    const [, before = "", after = "", status] =
      /^:\d+ \d+ ([0-9a-f]+) ([0-9a-f]+) ([A-Z]\d*)$/.exec(field) ?? [];
    if (head !== undefined || status === undefined) continue;
    const path = fields[++index];
    const to = /^[RC]/.test(status) ? fields[++index] : undefined;
    if (path === undefined) continue;
    const object = status === "A" ? after : before;
    commits.at(-1)?.files.push({ status, path, object, ...(to !== undefined && { to }) });
  }
  return commits;
}
