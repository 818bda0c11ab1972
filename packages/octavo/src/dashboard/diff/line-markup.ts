import { safeHtml } from "../safe-html.ts";
import type { SafeHtml } from "../safe-html.ts";
import type { CodeToken } from "./highlight.ts";
import type { ShownLine } from "./shown-lines.ts";
import type { Piece } from "./word-pieces.ts";

/** The highlighted tokens of a line before and after its change. */
export interface LineTokens {
  readonly before: readonly CodeToken[];
  readonly after: readonly CodeToken[];
}

/** In characters: a line of minified code could fill a page. */
const maxLineLength = 2_000;
/** Characters of unchanged text shown on each side of a change. */
const contextLength = 45;
const foldedContextLength = 80;
/** Shorter unchanged text is not worth folding. */
const minFoldedLength = 60;

/** Renders a line's text with its colors and changed words. If `folds`, text far from a change is folded. */
export function renderLineMarkup(
  { kind, pieces }: Pick<ShownLine, "kind" | "pieces">,
  tokens: LineTokens,
  { folds }: { readonly folds: boolean },
): readonly SafeHtml[] {
  const write = (folds ? foldingWriters : wholeWriters)[kind] ?? wholePiece;
  const shown: SafeHtml[] = [];
  let [before, after] = [0, 0];
  for (const [index, piece] of pieces.entries()) {
    if (after + before > 2 * maxLineLength) return [...shown, safeHtml` …`];
    const side =
      piece.kind === "removed"
        ? { at: before, tokens: tokens.before }
        : { at: after, tokens: tokens.after };
    const paintText = (from: number, to: number) =>
      renderColored(piece.text, { ...side, from, to });
    const edges = { isFirst: index === 0, isLast: index === pieces.length - 1 };
    shown.push(write(piece, paintText, edges));
    if (piece.kind !== "added") before += piece.text.length;
    if (piece.kind !== "removed") after += piece.text.length;
  }
  return shown;
}

type PaintText = (from: number, to: number) => readonly SafeHtml[];

interface Edges {
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

type WritePiece = (piece: Piece, paintText: PaintText, edges: Edges) => SafeHtml;

const wholePiece: WritePiece = ({ text }, paintText) => {
  if (text.length <= maxLineLength) return safeHtml`${paintText(0, text.length)}`;
  return safeHtml`${text.slice(0, maxLineLength).toWellFormed()} …`;
};

const markedPiece: WritePiece = ({ kind, text }, paintText) => {
  const shown = paintText(0, text.length);
  if (kind === "removed") return safeHtml`<del>${shown}</del>`;
  return kind === "added" ? safeHtml`<ins>${shown}</ins>` : safeHtml`${shown}`;
};

/** Shows only the unchanged text near a change. */
const changedPiece: WritePiece = (piece, paintText, { isFirst, isLast }) => {
  if (piece.kind !== "same") return markedPiece(piece, paintText, { isFirst, isLast });
  const { text } = piece;
  const from = isFirst ? 0 : wordEnd(text, contextLength);
  const to = isLast ? text.length : wordStart(text, text.length - contextLength);
  return foldMiddle(text, paintText, { from, to });
};

const contextPiece: WritePiece = ({ text }, paintText) => {
  if (text.length > maxLineLength)
    return safeHtml`${text.slice(0, foldedContextLength).toWellFormed()} …`;
  return foldMiddle(text, paintText, { from: wordEnd(text, foldedContextLength), to: text.length });
};

type Writers = Readonly<Partial<Record<ShownLine["kind"], WritePiece>>>;

const wholeWriters: Writers = { changed: markedPiece };
const foldingWriters: Writers = { changed: changedPiece, context: contextPiece };

/** Adds no whitespace of its own: a line's text is shown as written. */
function foldMiddle(
  text: string,
  paintText: PaintText,
  { from, to }: { readonly from: number; readonly to: number },
): SafeHtml {
  if (to - from < minFoldedLength) return safeHtml`${paintText(0, text.length)}`;
  const middle = safeHtml`<details class="folded"><summary aria-label="Show the unchanged text">…</summary>${paintText(from, to)}</details>`;
  return safeHtml`${paintText(0, from)}${middle}${paintText(to, text.length)}`;
}

function wordEnd(text: string, from: number): number {
  const space = text.indexOf(" ", from);
  return space === -1 || space > from + 30 ? Math.min(from, text.length) : space;
}

function wordStart(text: string, from: number): number {
  if (from <= 0) return 0;
  const space = text.lastIndexOf(" ", from);
  return space === -1 || space < from - 30 ? from : space + 1;
}

interface TextColoring {
  /** The offset of the text in its line. */
  readonly at: number;
  /** The line's tokens, in order. */
  readonly tokens: readonly CodeToken[];
  readonly from: number;
  readonly to: number;
}

function renderColored(text: string, { at, tokens, from, to }: TextColoring): readonly SafeHtml[] {
  const parts: SafeHtml[] = [];
  let next = from;
  for (const token of tokens) {
    const [start, end] = [Math.max(token.from - at, next), Math.min(token.to - at, to)];
    if (end <= start) continue;
    if (start > next) parts.push(safeHtml`${text.slice(next, start)}`);
    parts.push(safeHtml`<span class="hl-${token.kind}">${text.slice(start, end)}</span>`);
    next = end;
  }
  if (next < to) parts.push(safeHtml`${text.slice(next, to)}`);
  return parts;
}
