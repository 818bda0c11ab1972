import { diffArguments } from "./history-log.ts";
import type { HistoryReader } from "./history-reader.ts";
import type { LostFile } from "./lost-files.ts";

/** The page that received the text of a deleted page. */
export interface MergedFile {
  /** The path in the repository. */
  readonly into: string;
  /** The share of the deleted page's text that it contains, from 0 to 1. */
  readonly share: number;
}

/** The lines that a commit removed from and added to files, by path. */
interface CommitLines {
  readonly removed: ReadonlyMap<string, ReadonlySet<string>>;
  readonly added: ReadonlyMap<string, ReadonlySet<string>>;
}

/** The minimum length of a distinctive line: shorter ones occur in many pages. */
const tellingLength = 20;
/** Pages with fewer distinctive lines are not matched. */
const minLines = 3;
const minShare = 0.6;
/** The maximum share in the second-best page: above it, the match is ambiguous. */
const maxOtherShare = 0.3;

/**
 * Creates a function that finds the page to which a commit moved the text of a page that it deleted. Caches the lines
 * of the last requested commit.
 */
export function createMergeFinder(): (
  reader: HistoryReader,
  lost: Pick<LostFile, "at"> & { readonly path: string },
  signal: AbortSignal | undefined,
) => Promise<MergedFile | undefined> {
  let last: { readonly commit: string; readonly lines: Promise<CommitLines> } | undefined;
  return async (reader, { at: { commit }, path }, signal) => {
    if (last?.commit !== commit) last = { commit, lines: readLines(reader, commit, signal) };
    try {
      return findMerged(path, await last.lines);
    } catch (error) {
      last = undefined;
      throw error;
    }
  };
}

function findMerged(path: string, { removed, added }: CommitLines): MergedFile | undefined {
  const own = removed.get(path);
  if (own === undefined || own.size < minLines) return undefined;
  const shares = [...added]
    .filter(([into]) => into !== path)
    .map(([into, lines]) => ({ into, share: countShared(own, lines) / own.size }))
    .toSorted((a, b) => b.share - a.share);
  const [best, second] = shares;
  const isClear = best !== undefined && best.share >= minShare;
  return isClear && (second?.share ?? 0) <= maxOtherShare ? best : undefined;
}

function countShared(own: ReadonlySet<string>, lines: ReadonlySet<string>): number {
  return [...own].filter((line) => lines.has(line)).length;
}

async function readLines(
  reader: HistoryReader,
  commit: string,
  signal: AbortSignal | undefined,
): Promise<CommitLines> {
  const options = ["-r", "-p", "--unified=0", "--no-renames", "--no-prefix", "--no-commit-id"];
  const where = reader.prefix === "" ? [] : [reader.prefix];
  const args = ["diff-tree", ...diffArguments, ...options, commit, "--", ...where];
  return parseLines(await reader.readSome(args, { signal }));
}

/**
 * Parses a patch. A file's name is in the two lines before its first hunk; files whose names git quotes, because of
 * unusual characters, are left out.
 */
function parseLines(patch: string): CommitLines {
  const removed = new Map<string, Set<string>>();
  const added = new Map<string, Set<string>>();
  let files: readonly (Set<string> | undefined)[] = [];
  let isHead = true;
  for (const line of patch.split("\n")) {
    if (line.startsWith("diff --git ")) [isHead, files] = [true, []];
    else if (line.startsWith("@@")) isHead = false;
    else if (isHead && line.startsWith("--- ")) files = [linesOf(removed, line.slice(4))];
    else if (isHead && line.startsWith("+++ ")) files = [files[0], linesOf(added, line.slice(4))];
    else if (!isHead) {
      const telling = tellingText(line.slice(1));
      if (telling.length >= tellingLength) files[line.startsWith("-") ? 0 : 1]?.add(telling);
    }
  }
  return { removed, added };
}

/** Git ends a name that contains spaces with a tab. */
function linesOf(known: Map<string, Set<string>>, name: string): Set<string> | undefined {
  const path = name.replace(/\t$/, "");
  if (path === "/dev/null" || !/\.(?:mdx?|markdown)$/i.test(path)) return undefined;
  const lines = known.get(path) ?? new Set<string>();
  known.set(path, lines);
  return lines;
}

/** Normalizes a line: a heading is the same one level further down. */
function tellingText(line: string): string {
  return line.replace(/^\s*#+\s+/, "").trim();
}
