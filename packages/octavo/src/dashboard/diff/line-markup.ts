import { safeHtml } from "../safe-html.ts";
import type { SafeHtml } from "../safe-html.ts";
import type { Token } from "./highlight.ts";
import type { ShownLine } from "./shown-lines.ts";
import type { Piece } from "./word-pieces.ts";

/** The highlighted tokens of a line before and after its change. */
export interface LineTokens {
  readonly before: readonly Token[];
  readonly after: readonly Token[];
}

/** In characters: a line of minified code could fill a page. */
const maxLineLength = 2_000;
/** Characters of unchanged text shown on each side of a change. */
const keptLength = 45;
const keptContext = 80;
/** Shorter unchanged text is not worth folding. */
const minFoldedLength = 60;

/** Renders a line's text with its colors and changed words. If `folds`, text far from a change is folded. */
export function lineMarkup(
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
    const colour = (from: number, to: number) => coloured(piece.text, { ...side, from, to });
    const edges = { isFirst: index === 0, isLast: index === pieces.length - 1 };
    shown.push(write(piece, colour, edges));
    if (piece.kind !== "added") before += piece.text.length;
    if (piece.kind !== "removed") after += piece.text.length;
  }
  return shown;
}

type Colour = (from: number, to: number) => readonly SafeHtml[];

interface Edges {
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

type WritePiece = (piece: Piece, colour: Colour, edges: Edges) => SafeHtml;

const wholePiece: WritePiece = ({ text }, colour) => {
  if (text.length <= maxLineLength) return safeHtml`${colour(0, text.length)}`;
  return safeHtml`${text.slice(0, maxLineLength).toWellFormed()} …`;
};

const markedPiece: WritePiece = ({ kind, text }, colour) => {
  const shown = colour(0, text.length);
  if (kind === "removed") return safeHtml`<del>${shown}</del>`;
  return kind === "added" ? safeHtml`<ins>${shown}</ins>` : safeHtml`${shown}`;
};

/** Shows only the unchanged text near a change. */
const changedPiece: WritePiece = (piece, colour, { isFirst, isLast }) => {
  if (piece.kind !== "same") return markedPiece(piece, colour, { isFirst, isLast });
  const { text } = piece;
  const from = isFirst ? 0 : wordEnd(text, keptLength);
  const to = isLast ? text.length : wordStart(text, text.length - keptLength);
  return foldMiddle(text, colour, { from, to });
};

const contextPiece: WritePiece = ({ text }, colour) => {
  if (text.length > maxLineLength) return safeHtml`${text.slice(0, keptContext).toWellFormed()} …`;
  return foldMiddle(text, colour, { from: wordEnd(text, keptContext), to: text.length });
};

type Writers = Readonly<Partial<Record<ShownLine["kind"], WritePiece>>>;

const wholeWriters: Writers = { changed: markedPiece };
const foldingWriters: Writers = { changed: changedPiece, context: contextPiece };

/** Adds no whitespace of its own: a line's text is shown as written. */
function foldMiddle(
  text: string,
  colour: Colour,
  { from, to }: { readonly from: number; readonly to: number },
): SafeHtml {
  if (to - from < minFoldedLength) return safeHtml`${colour(0, text.length)}`;
  const middle = safeHtml`<details class="folded"><summary aria-label="Show the unchanged text">…</summary>${colour(from, to)}</details>`;
  return safeHtml`${colour(0, from)}${middle}${colour(to, text.length)}`;
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

interface Colouring {
  /** The offset of the text in its line. */
  readonly at: number;
  /** The line's tokens, in order. */
  readonly tokens: readonly Token[];
  readonly from: number;
  readonly to: number;
}

function coloured(text: string, { at, tokens, from, to }: Colouring): readonly SafeHtml[] {
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
