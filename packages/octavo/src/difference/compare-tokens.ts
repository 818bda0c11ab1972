import { diffArrays } from "./arrays.bundled.ts";
import type { TextToken } from "./read-blocks.ts";

/** A run of text. A restyled run has the same words in both versions, but looks different or links elsewhere. */
export interface TextPiece {
  readonly kind: "same" | "changed" | "restyled";
  readonly before: readonly TextToken[];
  readonly after: readonly TextToken[];
}

/** Compares two texts word by word. Unchanged words between two longer changes count as changed. */
export function compareTokens(
  before: readonly TextToken[],
  after: readonly TextToken[],
): TextPiece[] {
  const slice = (range: { readonly before: Range; readonly after: Range }) => ({
    before: before.slice(range.before.start, range.before.end),
    after: after.slice(range.after.start, range.after.end),
  });
  const pieces = compareSequences(before.map(getKey), after.map(getKey)).map((run): TextPiece => ({
    kind: run.isSame ? "same" : "changed",
    ...slice(run),
  }));
  return joinNearbyChanges(pieces).flatMap(trimSpaces).map(detectRestyling);
}

function getKey({ key }: TextToken): number {
  return key;
}

/** Joins changes that are separated by only a few letters, because they are easier to read as one change. */
function joinNearbyChanges(pieces: readonly TextPiece[]): readonly TextPiece[] {
  const joined: TextPiece[] = [];
  for (const [at, piece] of pieces.entries()) {
    const last = joined.at(-1);
    const next = pieces[at + 1];
    const isBetween = piece.kind === "same" && last?.kind === "changed" && next !== undefined;
    const isShort = isBetween && isShortBeside(piece, last) && isShortBeside(piece, next);
    if (last?.kind === "changed" && (isShort || piece.kind === "changed")) {
      joined.pop();
      joined.push({
        kind: "changed",
        before: [...last.before, ...piece.before],
        after: [...last.after, ...piece.after],
      });
    } else {
      joined.push(piece);
    }
  }
  return joined;
}

/** The share of a change's length up to which unchanged words beside it count as changed. */
const maxJoinedShare = 0.4;

function isShortBeside({ before }: TextPiece, change: TextPiece): boolean {
  const isPlain = before.every(({ atom }) => atom === undefined);
  const length = Math.max(countLetters(change.before), countLetters(change.after));
  return isPlain && countLetters(before) <= length * maxJoinedShare;
}

/** Counts the characters in words; pictures count as words. */
export function countLetters(tokens: readonly TextToken[]): number {
  return tokens.reduce((sum, { text, atom }) => {
    if (atom) return sum + Math.max(text.length, 4);
    return /[\p{L}\p{N}]/u.test(text) ? sum + text.length : sum;
  }, 0);
}

/** Moves equal spaces at both ends of a change out of it. */
function trimSpaces(piece: TextPiece): readonly TextPiece[] {
  if (piece.kind === "same") return [piece];
  const { before, after } = piece;
  const hasLeadingSpaces = isBlank(before[0]) && isBlank(after[0]);
  const start = hasLeadingSpaces ? 1 : 0;
  const isLong = Math.min(before.length, after.length) > start;
  const end = isLong && isBlank(before.at(-1)) && isBlank(after.at(-1)) ? 1 : 0;
  const inner = {
    kind: piece.kind,
    before: before.slice(start, before.length - end),
    after: after.slice(start, after.length - end),
  };
  return [
    { kind: "same" as const, before: before.slice(0, start), after: after.slice(0, start) },
    inner,
    {
      kind: "same" as const,
      before: before.slice(before.length - end),
      after: after.slice(after.length - end),
    },
  ].filter((part) => part.before.length > 0 || part.after.length > 0);
}

function isBlank(token: TextToken | undefined): boolean {
  return token?.text === " ";
}

function detectRestyling(piece: TextPiece): TextPiece {
  if (piece.kind === "same" || piece.before.length !== piece.after.length) return piece;
  const isEqual = piece.before.every(
    ({ textKey, atom }, at) => atom === undefined && textKey === piece.after[at]?.textKey,
  );
  return isEqual ? { ...piece, kind: "restyled" } : piece;
}

/** A pair of corresponding ranges in two sequences. If they are not the same, either range may be empty. */
interface Run {
  readonly isSame: boolean;
  readonly before: Range;
  readonly after: Range;
}

/** Positions from `start` up to, but not including, `end`. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * The maximum number of edits between two sequences, because the search time grows with the square of their number.
 * Above this number, only equal elements at the beginning and at the end count as the same.
 */
const maxEdits = 1_500;

/** Aligns two sequences of keys by their longest common subsequence. Same and different runs alternate. */
export function compareSequences(before: readonly number[], after: readonly number[]): Run[] {
  const start = countEqual(before, after, (at, list) => list[at]);
  const remainingCount = Math.min(before.length, after.length) - start;
  const equalEndCount = countEqual(before, after, (at, list) => list[list.length - 1 - at]);
  const endCount = Math.min(equalEndCount, remainingCount);
  const ends = { before: before.length - endCount, after: after.length - endCount };
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
    { removed: false, added: false, count: endCount },
  ];
  return joinRuns(counts);
}

interface DiffRun {
  readonly removed: boolean;
  readonly added: boolean;
  readonly count: number;
}

function joinRuns(counts: readonly DiffRun[]): Run[] {
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
  getKeyAt: (at: number, list: readonly number[]) => number | undefined,
): number {
  const maxCount = Math.min(before.length, after.length);
  let count = 0;
  while (count < maxCount && getKeyAt(count, before) === getKeyAt(count, after)) count += 1;
  return count;
}
