import { diffArrays } from "./arrays.bundled.ts";

/** A stretch of two sequences. In one that is not the same, either side may be empty. */
export interface Run {
  readonly isSame: boolean;
  readonly before: Range;
  readonly after: Range;
}

/** Positions from `start` up to, but not including, `end`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * The maximum number of edits between two sequences, because the search takes time with their square. With more, only
 * what is equal at the beginning and at the end counts as the same.
 */
const maxEdits = 1_500;

/** Aligns two sequences of keys by their longest common subsequence. Same and different runs take turns. */
export function compareSequences(before: readonly number[], after: readonly number[]): Run[] {
  const start = countEqual(before, after, (at, list) => list[at]);
  const isLeft = Math.min(before.length, after.length) - start;
  const found = countEqual(before, after, (at, list) => list[list.length - 1 - at]);
  const tail = Math.min(found, isLeft);
  const ends = { before: before.length - tail, after: after.length - tail };
  const middle = {
    before: before.slice(start, ends.before),
    after: after.slice(start, ends.after),
  };
  const changes = diffArrays(middle.before, middle.after, { maxEditLength: maxEdits }) ?? [
    { removed: true, added: false, count: middle.before.length },
    { removed: false, added: true, count: middle.after.length },
  ];
  const counts = [
    { removed: false, added: false, count: start },
    ...changes,
    { removed: false, added: false, count: tail },
  ];
  return joinRuns(counts);
}

interface Count {
  readonly removed: boolean;
  readonly added: boolean;
  readonly count: number;
}

function joinRuns(counts: readonly Count[]): Run[] {
  const runs: Run[] = [];
  let [from, to] = [0, 0];
  for (const { removed, added, count } of counts) {
    if (count === 0) continue;
    const isSame = !removed && !added;
    const last = runs.at(-1);
    const start = last?.isSame === isSame ? runs.pop() : undefined;
    const ends = { before: from + (added ? 0 : count), after: to + (removed ? 0 : count) };
    runs.push({
      isSame,
      before: { start: start?.before.start ?? from, end: ends.before },
      after: { start: start?.after.start ?? to, end: ends.after },
    });
    [from, to] = [ends.before, ends.after];
  }
  return runs;
}

function countEqual(
  before: readonly number[],
  after: readonly number[],
  get: (at: number, list: readonly number[]) => number | undefined,
): number {
  const most = Math.min(before.length, after.length);
  let count = 0;
  while (count < most && get(count, before) === get(count, after)) count += 1;
  return count;
}
