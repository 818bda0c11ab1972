import { isOctavoError } from "@octavo/site/core";
import type { HistoryReader, PastCommit } from "./history-reader.ts";

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
 * Returns the commits that last changed the given lines of the file at the reader's commit; empty if that commit does
 * not contain the file.
 */
export async function readBlame(
  reader: HistoryReader,
  path: string,
  { from, to }: LineRange,
  signal: AbortSignal | undefined,
): Promise<readonly BlamedLines[]> {
  const { prefix, commit, shallow } = reader;
  const options = ["--porcelain", "--no-textconv", "--no-ignore-revs-file", "--root"];
  const args = [...options, "-L", `${from},${to}`, commit, "--", prefix + path];
  const text = await readFollowed(reader, args, signal);
  return joinRuns(readPorcelain(text)).map(({ from, to, at, past }) => ({
    from,
    to,
    by: shallow.has(at) ? undefined : past(),
  }));
}

/**
 * Runs `git blame` across renames. If that fails because a commit removed too many files to compare, runs it again
 * without following renames, which attributes the lines to that commit.
 */
async function readFollowed(
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
  const facts = new Map<string, Map<string, string>>();
  const lines: LineOrigin[] = [];
  let own = new Map<string, string>();
  for (const row of text.split("\n")) {
    if (row.startsWith("\t")) continue;
    const [, commit, line] = /^([0-9a-f]{40,64}) \d+ (\d+)(?: \d+)?$/.exec(row) ?? [];
    if (commit === undefined) {
      const end = row.indexOf(" ");
      own.set(row.slice(0, end), row.slice(end + 1));
      continue;
    }
    own = facts.get(commit) ?? new Map<string, string>();
    facts.set(commit, own);
    const [its, number] = [own, Number(line)];
    lines.push({ from: number, to: number, at: commit, past: () => pastCommit(commit, its) });
  }
  return lines;
}

function pastCommit(commit: string, facts: ReadonlyMap<string, string>): PastCommit {
  const zone = facts.get("committer-tz") ?? "+0000";
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3, 5));
  const seconds = Number(facts.get("committer-time")) + (zone.startsWith("-") ? -60 : 60) * minutes;
  const day = new Date(Number.isFinite(seconds) && Math.abs(seconds) < 8e12 ? seconds * 1_000 : 0);
  return { commit, date: day.toISOString().slice(0, 10), subject: facts.get("summary") ?? "" };
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
