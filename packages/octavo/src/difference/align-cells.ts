import { alignBlocks, type BlockPair } from "./align-blocks.ts";
import type { Block, BlockReader } from "./read-blocks.ts";

/** The columns of a table's two versions. */
export interface Columns {
  /** The pairs of their positions; undefined where a column was added or removed. */
  readonly pairs: readonly ColumnPair[];
  readonly beforeCount: number;
  readonly afterCount: number;
  /** The change that the cells of a column that was added or removed belong to. */
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
  own: readonly Block[],
  reader: Pick<BlockReader, "getWordLength">,
): Columns | undefined {
  const [before, after] = [findRow(old), findRow(own)];
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

function findRow(blocks: readonly Block[]): Block | undefined {
  for (const block of blocks) {
    const row = block.label === "tr" ? block : findRow(block.children);
    if (row) return row;
  }
  return undefined;
}

/** Aligns the cells of a row: by the columns, if the row has a cell in each. */
export function alignCells(
  old: readonly Block[],
  own: readonly Block[],
  { columns, reader }: { columns: Columns | undefined; reader: Pick<BlockReader, "getWordLength"> },
): readonly BlockPair[] {
  const isRegular = old.length === columns?.beforeCount && own.length === columns.afterCount;
  if (!isRegular) return alignBlocks(old, own, reader);
  return columns.pairs.map(({ before, after, change }) => {
    const pair = {
      before: before === undefined ? undefined : old[before],
      after: after === undefined ? undefined : own[after],
    };
    const only = pair.before && pair.after ? undefined : (pair.before ?? pair.after);
    if (only) columns.changes.set(only, change);
    return pair;
  });
}
