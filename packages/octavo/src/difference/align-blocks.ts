import { compareSequences } from "./compare-tokens.ts";
import type { Block, BlockReader } from "./read-blocks.ts";

/** A block and its counterpart, listed in reading order. A block without a counterpart was added or removed. */
export interface BlockPair {
  readonly before: Block | undefined;
  readonly after: Block | undefined;
}

type WordReader = Pick<BlockReader, "getWordLength">;

/** The minimum share of common words at which two blocks of the same kind count as versions of one block. */
const minSameKindShare = 0.4;
/** The minimum share of common words for blocks of different kinds, such as a paragraph that became a note. */
const minOtherKindShare = 0.75;
/** The scores of blocks that match by title or by position, even if all their words differ. */
const titleScore = 0.5;
const positionScore = 0.3;
/** Texts up to this length, in characters, count as versions of each other if nothing beside them differs. */
const maxShortText = 120;
/**
 * The maximum number of pairs of differing blocks in a gap that are all compared. Above this number, each block is
 * compared only with blocks near its own position.
 */
const maxComparedPairs = 10_000;
const maxDistance = 8;
/** If a gap has more pairs than this, its blocks are not matched with each other. */
const maxGapPairs = 1_000_000;

/** Aligns the blocks of two versions of a group. */
export function alignBlocks(
  before: readonly Block[],
  after: readonly Block[],
  reader: WordReader,
): readonly BlockPair[] {
  const runs = compareSequences(before.map(getKey), after.map(getKey));
  return runs.flatMap(({ isSame, before: old, after: current }) => {
    const gap = {
      old: before.slice(old.start, old.end),
      current: after.slice(current.start, current.end),
    };
    return isSame
      ? gap.current.map((block, index) => ({ before: gap.old[index], after: block }))
      : alignGap(gap.old, gap.current, reader);
  });
}

function getKey({ key }: Block): number {
  return key;
}

/**
 * Pairs the versions of the same blocks within a gap, where all blocks differ, in order and with the best total score.
 */
function alignGap(
  old: readonly Block[],
  current: readonly Block[],
  reader: WordReader,
): readonly BlockPair[] {
  if (old.length === 0 || current.length === 0 || old.length * current.length > maxGapPairs) {
    return [...old.map(toRemoved), ...current.map(toAdded)];
  }
  return matchLoneBlocks(followScores(old, current, scoreGap(old, current, reader)));
}

function toRemoved(before: Block): BlockPair {
  return { before, after: undefined };
}

function toAdded(after: Block): BlockPair {
  return { before: undefined, after };
}

/** The scores of a gap's pairs, row by row, with a last row and column of zeros. */
interface GapScores {
  readonly width: number;
  /** The scores of the pairs themselves; 0 for blocks that are not versions of each other. */
  readonly pairScores: Float64Array;
  /** The best total scores from each pair to the end of the gap, including the pair itself. */
  readonly best: Float64Array;
}

function scoreGap(old: readonly Block[], current: readonly Block[], reader: WordReader): GapScores {
  const isNear = createProximityCheck(old.length, current.length);
  const context = { reader, uniqueLabels: findUniqueLabels(old, current) };
  const width = current.length + 1;
  const best = new Float64Array((old.length + 1) * width);
  const scores = new Float64Array(best.length);
  for (const [from, one] of [...old.entries()].toReversed()) {
    for (let to = current.length - 1; to >= 0; to -= 1) {
      const index = from * width + to;
      const other = current[to];
      const score = other && isNear(from, to) ? scoreBlocks(one, other, context) : 0;
      const skip = Math.max(getScore(best, index + width), getScore(best, index + 1));
      scores[index] = score;
      best[index] = score > 0 ? Math.max(skip, score + getScore(best, index + width + 1)) : skip;
    }
  }
  return { width, pairScores: scores, best };
}

function getScore(scores: Float64Array, index: number): number {
  return scores[index] ?? 0;
}

/** Lists the pairs with the best total score, and the blocks between them. */
function followScores(
  old: readonly Block[],
  current: readonly Block[],
  { width, pairScores: scores, best }: GapScores,
): readonly BlockPair[] {
  const pairs: BlockPair[] = [];
  let [from, to] = [0, 0];
  for (
    let [one, other] = [old[0], current[0]];
    one && other;
    [one, other] = [old[from], current[to]]
  ) {
    const index = from * width + to;
    const score = getScore(scores, index);
    if (score > 0 && getScore(best, index) === score + getScore(best, index + width + 1)) {
      pairs.push({ before: one, after: other });
      [from, to] = [from + 1, to + 1];
    } else if (getScore(best, index) === getScore(best, index + width)) {
      pairs.push(toRemoved(one));
      from += 1;
    } else {
      pairs.push(toAdded(other));
      to += 1;
    }
  }
  return [...pairs, ...old.slice(from).map(toRemoved), ...current.slice(to).map(toAdded)];
}

/** Creates a function that reports whether two positions in a gap are compared. */
function createProximityCheck(
  oldCount: number,
  currentCount: number,
): (from: number, to: number) => boolean {
  if (oldCount * currentCount <= maxComparedPairs) return () => true;
  const ratio = currentCount / oldCount;
  return (from, to) => Math.abs(from * ratio - to) <= maxDistance;
}

interface ScoreContext {
  readonly reader: WordReader;
  /** The labels that occur exactly once on each side. */
  readonly uniqueLabels: ReadonlySet<string>;
}

/**
 * Matches the labels of component parts that are named for their position, such as `card-body`, and of elements that
 * occur once in their parent.
 */
const positionalLabelPattern =
  /^(?:header|thead|tbody|tfoot|table|summary|figcaption|pre|caption|h1)\b|\.[a-z]+-[a-z]/;

function scoreBlocks(old: Block, current: Block, { reader, uniqueLabels }: ScoreContext): number {
  const share = measureShare(old, current, reader);
  if (old.label !== current.label) return share >= minOtherKindShare ? share - positionScore : 0;
  const hasSameTitle = hasTitle(old) && findTitle(old) === findTitle(current);
  if (hasSameTitle) return Math.max(share, titleScore);
  if (share >= minSameKindShare) return share;
  if (uniqueLabels.has(current.label) && positionalLabelPattern.test(current.label))
    return positionScore;
  const isWordless = old.size === 0 && current.size === 0;
  return isWordless && old.kind === current.kind ? positionScore : 0;
}

function findUniqueLabels(old: readonly Block[], current: readonly Block[]): ReadonlySet<string> {
  const others = findLabelsUsedOnce(current);
  return new Set([...findLabelsUsedOnce(old)].filter((label) => others.has(label)));
}

function findLabelsUsedOnce(blocks: readonly Block[]): ReadonlySet<string> {
  const [once, twice] = [new Set<string>(), new Set<string>()];
  for (const { label } of blocks) (once.has(label) ? twice : once).add(label);
  return new Set([...once].filter((label) => !twice.has(label)));
}

/** Reports whether a group begins with a short text that names it, as rows, cards, fields and tabs do. */
function hasTitle(block: Block): boolean {
  return block.kind === "group" && findTitle(block) !== undefined;
}

function findTitle(block: Block): number | undefined {
  let first: Block | undefined = block;
  while (first?.kind === "group") first = first.children.find(({ tokens, kind }) => kind === "group" || tokens.some(({ atom }) => !atom)); // prettier-ignore
  const isShort = first !== undefined && first.size > 0 && first.size <= maxShortText;
  return isShort && block.children.length > 1 ? first?.key : undefined;
}

/** Returns the share of both blocks' letters that are in words common to both, from 0 to 1. */
export function measureShare(old: Block, current: Block, { getWordLength }: WordReader): number {
  const [few, many] = old.words.size < current.words.size ? [old, current] : [current, old];
  let shared = 0;
  for (const [word, count] of few.words) {
    shared += getWordLength(word) * Math.min(count, many.words.get(word) ?? 0);
  }
  return (2 * shared) / Math.max(1, old.size + current.size);
}

/**
 * Pairs a removed block with an added block of the same kind if both are short and no other unpaired block is beside
 * them.
 */
function matchLoneBlocks(pairs: readonly BlockPair[]): readonly BlockPair[] {
  const paired: BlockPair[] = [];
  let unpaired: BlockPair[] = [];
  const flushUnpaired = () => {
    const [one, other] = unpaired;
    const before = one?.before ?? other?.before;
    const after = one?.after ?? other?.after;
    const isLonePair = unpaired.length === 2 && before !== undefined && after !== undefined;
    if (isLonePair && isReplacement(before, after)) paired.push({ before, after });
    else paired.push(...unpaired);
    unpaired = [];
  };
  for (const pair of pairs) {
    if (pair.before && pair.after) {
      flushUnpaired();
      paired.push(pair);
    } else {
      unpaired.push(pair);
    }
  }
  flushUnpaired();
  return paired;
}

function isReplacement(before: Block, after: Block): boolean {
  const isShort = before.size <= maxShortText && after.size <= maxShortText;
  return before.label === after.label && before.kind === after.kind && isShort;
}

/** The columns of a table's two versions. */
export interface Columns {
  /** The pairs of their positions; undefined where a column was added or removed. */
  readonly pairs: readonly ColumnPair[];
  readonly beforeCount: number;
  readonly afterCount: number;
  /** The changes to which the cells of added or removed columns belong. */
  readonly changes: WeakMap<Block, object>;
}

interface ColumnPair {
  readonly before: number | undefined;
  readonly after: number | undefined;
  readonly change: object;
}

/** Aligns the columns of a table by its first row. Returns undefined if it has no rows. */
export function alignColumns(
  old: readonly Block[],
  current: readonly Block[],
  reader: Pick<BlockReader, "getWordLength">,
): Columns | undefined {
  const [before, after] = [findFirstRow(old), findFirstRow(current)];
  if (!before || !after) return undefined;
  const pairs = alignBlocks(before.children, after.children, reader).map((pair) => ({
    before: findIndex(before, pair.before),
    after: findIndex(after, pair.after),
    change: {},
  }));
  return {
    pairs,
    beforeCount: before.children.length,
    afterCount: after.children.length,
    changes: new WeakMap(),
  };
}

function findIndex({ children }: Block, block: Block | undefined): number | undefined {
  return block && children.indexOf(block);
}

function findFirstRow(blocks: readonly Block[]): Block | undefined {
  for (const block of blocks) {
    const row = block.label === "tr" ? block : findFirstRow(block.children);
    if (row) return row;
  }
  return undefined;
}

/** Aligns the cells of a row by column, or by content if either row does not have one cell in each column. */
export function alignCells(
  old: readonly Block[],
  current: readonly Block[],
  { columns, reader }: { columns: Columns | undefined; reader: Pick<BlockReader, "getWordLength"> },
): readonly BlockPair[] {
  const isRegular = old.length === columns?.beforeCount && current.length === columns.afterCount;
  if (!isRegular) return alignBlocks(old, current, reader);
  return columns.pairs.map(({ before, after, change }) => {
    const pair = {
      before: before === undefined ? undefined : old[before],
      after: after === undefined ? undefined : current[after],
    };
    const loneCell = pair.before && pair.after ? undefined : (pair.before ?? pair.after);
    if (loneCell) columns.changes.set(loneCell, change);
    return pair;
  });
}
