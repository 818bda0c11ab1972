import type { DiffHunk, DiffLine } from "../../git/index.ts";
import { compareWords } from "./word-pieces.ts";
import type { WordPiece } from "./word-pieces.ts";

/** A row of a shown diff: a single line, or a pair of lines shown as one line with the changed words marked. */
export interface ShownLine {
  readonly kind: DiffLine["kind"] | "changed";
  readonly before?: number;
  readonly after?: number;
  readonly pieces: readonly WordPiece[];
}

/** The maximum distance, in lines, between a changed line and its counterpart. */
const maxDistance = 4;

/** Returns the rows of a hunk. A removed line and its replacement become one row if most words are unchanged. */
export function buildShownLines({ lines }: Pick<DiffHunk, "lines">): readonly ShownLine[] {
  const rows: ShownLine[] = [];
  for (let start = 0; start < lines.length;) {
    const removed = takeWhile(lines, start, "removed");
    const added = takeWhile(lines, start + removed.length, "added");
    start += removed.length + added.length;
    rows.push(...buildChangedRows(removed, added));
    const next = lines[start];
    if (removed.length + added.length === 0 && next !== undefined) {
      rows.push(buildWholeRow(next));
      start += 1;
    }
  }
  return rows;
}

function takeWhile(
  lines: readonly DiffLine[],
  from: number,
  kind: DiffLine["kind"],
): readonly DiffLine[] {
  let to = from;
  while (lines[to]?.kind === kind) to += 1;
  return lines.slice(from, to);
}

/** Pairs each removed line, in order, with the first similar added line nearby. */
function buildChangedRows(
  removed: readonly DiffLine[],
  added: readonly DiffLine[],
): readonly ShownLine[] {
  const rows: ShownLine[] = [];
  let nextIndex = 0;
  for (const [index, before] of removed.entries()) {
    const match = findSimilarLine(before, added, { from: nextIndex, last: index + maxDistance });
    if (!match) {
      rows.push(buildWholeRow(before));
      continue;
    }
    rows.push(...added.slice(nextIndex, match.at).map(buildWholeRow));
    const { line, pieces } = match;
    rows.push({ kind: "changed", ...getLineNumbers(before), ...getLineNumbers(line), pieces });
    nextIndex = match.at + 1;
  }
  return [...rows, ...added.slice(nextIndex).map(buildWholeRow)];
}

function findSimilarLine(
  before: DiffLine,
  added: readonly DiffLine[],
  { from, last }: { readonly from: number; readonly last: number },
) {
  if (before.text.trim() === "") return undefined;
  for (
    let index = from;
    index < added.length && index <= last && index < from + maxDistance;
    index += 1
  ) {
    const line = added[index];
    const pieces = line && compareWords(before.text, line.text);
    if (line && pieces) return { at: index, line, pieces };
  }
  return undefined;
}

function buildWholeRow(line: DiffLine): ShownLine {
  const kind = line.kind === "added" || line.kind === "removed" ? line.kind : "same";
  return { kind: line.kind, ...getLineNumbers(line), pieces: [{ kind, text: line.text }] };
}

function getLineNumbers({ before, after }: DiffLine): { before?: number; after?: number } {
  return { ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
}
