import type { DiffHunk, DiffLine } from "../../git/index.ts";
import { compareWords } from "./word-pieces.ts";
import type { Piece } from "./word-pieces.ts";

/** A row of a shown diff: a single line, or a pair of lines shown as one with the changed words marked. */
export interface ShownLine {
  readonly kind: DiffLine["kind"] | "changed";
  readonly before?: number;
  readonly after?: number;
  readonly pieces: readonly Piece[];
}

/** The maximum distance, in lines, between a changed line and its counterpart. */
const maxDistance = 4;

/** Returns the rows of a hunk. A removed line and its replacement become one row if most words are unchanged. */
export function showLines({ lines }: Pick<DiffHunk, "lines">): readonly ShownLine[] {
  const shown: ShownLine[] = [];
  for (let at = 0; at < lines.length;) {
    const removed = takeWhile(lines, at, "removed");
    const added = takeWhile(lines, at + removed.length, "added");
    at += removed.length + added.length;
    shown.push(...showChange(removed, added));
    const next = lines[at];
    if (removed.length + added.length === 0 && next !== undefined) {
      shown.push(showWholeLine(next));
      at += 1;
    }
  }
  return shown;
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
function showChange(
  removed: readonly DiffLine[],
  added: readonly DiffLine[],
): readonly ShownLine[] {
  const shown: ShownLine[] = [];
  let next = 0;
  for (const [index, before] of removed.entries()) {
    const found = findLike(before, added, { from: next, last: index + maxDistance });
    if (!found) {
      shown.push(showWholeLine(before));
      continue;
    }
    shown.push(...added.slice(next, found.at).map(showWholeLine));
    const { line, pieces } = found;
    shown.push({ kind: "changed", ...getLineNumbers(before), ...getLineNumbers(line), pieces });
    next = found.at + 1;
  }
  return [...shown, ...added.slice(next).map(showWholeLine)];
}

function findLike(
  before: DiffLine,
  added: readonly DiffLine[],
  { from, last }: { readonly from: number; readonly last: number },
) {
  if (before.text.trim() === "") return undefined;
  for (let at = from; at < added.length && at <= last && at < from + maxDistance; at += 1) {
    const line = added[at];
    const pieces = line && compareWords(before.text, line.text);
    if (line && pieces) return { at, line, pieces };
  }
  return undefined;
}

function showWholeLine(line: DiffLine): ShownLine {
  const kind = line.kind === "added" || line.kind === "removed" ? line.kind : "same";
  return { kind: line.kind, ...getLineNumbers(line), pieces: [{ kind, text: line.text }] };
}

function getLineNumbers({ before, after }: DiffLine): { before?: number; after?: number } {
  return { ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
}
