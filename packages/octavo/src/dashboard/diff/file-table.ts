import { formatCount } from "../../core/index.ts";
import { isMarkdown } from "../review/file-pages.ts";
import type { DiffFile, DiffHunk, DiffLine } from "../../git/index.ts";
import { safeHtml, type HtmlValue, type SafeHtml } from "../safe-html.ts";
import { buildShownLines, type ShownLine } from "./shown-lines.ts";
import type { WordPiece } from "./word-pieces.ts";

/** The controls that a page adds to the lines of a file. */
export interface LineControls {
  /** Renders the contents of a line number's cell. */
  readonly renderNumber: (line: ShownLine, number: number) => HtmlValue;
  /** Renders a row below a line. */
  readonly renderRowBelow: (line: ShownLine) => HtmlValue;
  /** The contents of rows that replace unchanged lines. */
  readonly collapsedContent: HtmlValue;
  /** Whether the whole text of each line is shown. */
  readonly hasWholeLines: boolean;
}

const noControls: LineControls = {
  renderNumber: (_line, number) => number,
  renderRowBelow: () => false,
  collapsedContent: false,
  hasWholeLines: false,
};

/** Renders the changed lines of a file and their context as a table. */
export function renderFileTable(
  { path, hunks }: Pick<DiffFile, "path" | "hunks">,
  controls = noControls,
): SafeHtml {
  const highlight = getHighlighter(path);
  const shownHunks = controls.hasWholeLines ? hunks : hunks.map(trimBlankEdges);
  const isProse = isMarkdown(path);
  const rows = shownHunks.map((hunk, index) => [
    renderHunkHeader(isProse ? { ...hunk, heading: "" } : hunk, shownHunks[index - 1], controls),
    renderHunkLines(hunk, highlight, controls),
  ]);
  return safeHtml`<div class="diff" tabindex="0" role="region" aria-label="Changed lines of ${path}">
    <table>
      <thead class="hidden">
        <tr>
          <th scope="col">Before</th>
          <th scope="col">After</th>
          <th scope="col">Change</th>
          <th scope="col">Line</th>
        </tr>
      </thead>
      <tbody>
        ${rows} ${hasMoreLines(hunks) && renderCollapsedRow("⋯", controls)}
      </tbody>
    </table>
  </div>`;
}

function hasContent({ kind, text }: DiffLine): boolean {
  return kind !== "context" || text.trim() !== "";
}

/** Removes unchanged blank lines at the start and end of a hunk, where they are not useful as context. */
function trimBlankEdges(hunk: DiffHunk): DiffHunk {
  const [from, to] = [hunk.lines.findIndex(hasContent), hunk.lines.findLastIndex(hasContent)];
  return { ...hunk, lines: hunk.lines.slice(Math.max(from, 0), to + 1) };
}

/** Renders the row above a hunk with the number of hidden lines, or returns `false` if no lines are hidden. */
function renderHunkHeader(
  { heading, lines }: DiffHunk,
  previous: DiffHunk | undefined,
  controls: LineControls,
): SafeHtml | false {
  const firstLine = lines.find(({ before, after }) => before ?? after);
  const start = firstLine?.after ?? firstLine?.before ?? 1;
  const end = previous?.lines.findLast(({ after }) => after !== undefined)?.after ?? 0;
  const hiddenCount = start - end - 1;
  if (hiddenCount <= 0) return false;
  const countText = `⋯ ${formatCount(hiddenCount, "unchanged line")}`;
  return renderCollapsedRow(heading === "" ? countText : `${countText}, in ${heading}`, controls);
}

function renderCollapsedRow(text: string, { collapsedContent }: LineControls): SafeHtml {
  return safeHtml`<tr class="hunk">
    <td class="n"></td>
    <td class="n"></td>
    <td class="sign"></td>
    <td class="line">${text} ${collapsedContent}</td>
  </tr>`;
}

/**
 * Reports whether the file may continue after the last hunk. Git shows three lines after a change, or fewer at the end
 * of the file.
 */
function hasMoreLines(hunks: readonly DiffHunk[]): boolean {
  return (
    hunks
      .at(-1)
      ?.lines.slice(-3)
      .every(({ kind }) => kind === "context") ?? false
  );
}

const lineSigns = { added: "+", removed: "−", changed: "±", context: "", note: "" } as const;

function renderHunkLines(
  { lines }: DiffHunk,
  highlight: HighlightLine,
  controls: LineControls,
): HtmlValue {
  const texts = highlightLines(lines, highlight);
  return buildShownLines({ lines }).map((line) => {
    const { kind, before, after } = line;
    const tokens = { before: texts.before.get(before) ?? [], after: texts.after.get(after) ?? [] };
    const isRemoved = kind === "removed";
    const number = isRemoved ? before : after;
    const numberCell = number !== undefined && controls.renderNumber(line, number);
    return safeHtml`<tr class="${kind}">
        <td class="n">${isRemoved ? numberCell : before}</td>
        <td class="n">${!isRemoved && numberCell}</td>
        <td class="sign">${lineSigns[kind]}</td>
        <td class="line">${renderLineMarkup(line, tokens, { canCollapse: !controls.hasWholeLines })}</td>
      </tr>
      ${controls.renderRowBelow(line)}`;
  });
}

/** Returns the tokens of all lines, keyed by the line number before and after the change. */
function highlightLines(lines: DiffHunk["lines"], highlight: HighlightLine) {
  return {
    before: highlightSide(lines, "before", highlight),
    after: highlightSide(lines, "after", highlight),
  };
}

function highlightSide(
  lines: DiffHunk["lines"],
  side: "before" | "after",
  highlight: HighlightLine,
): ReadonlyMap<number | undefined, readonly CodeToken[]> {
  const tokens = new Map<number | undefined, readonly CodeToken[]>();
  let state: LineState = "";
  for (const { text, [side]: number } of lines) {
    if (number === undefined) continue;
    const highlighted = highlight(text, state);
    tokens.set(number, highlighted.tokens);
    state = number === 1 && text === frontmatterState ? frontmatterState : highlighted.state;
  }
  return tokens;
}

/** The highlighted tokens of a line before and after the change. */
interface LineTokens {
  readonly before: readonly CodeToken[];
  readonly after: readonly CodeToken[];
}

/** The maximum length of a shown line, in characters, because a line of minified code could fill a page. */
const maxLineLength = 2_000;
/** The number of characters of unchanged text shown on each side of a change. */
const contextLength = 45;
const collapsedContextLength = 80;
/** The minimum length of unchanged text that is collapsed, in characters. */
const minCollapsedLength = 60;

/** Renders a line's text with its colors and changed words. If `canCollapse`, text far from a change is collapsed. */
function renderLineMarkup(
  { kind, pieces }: Pick<ShownLine, "kind" | "pieces">,
  tokens: LineTokens,
  { canCollapse }: { readonly canCollapse: boolean },
): readonly SafeHtml[] {
  const write = (canCollapse ? collapsingWriters : wholeWriters)[kind] ?? writeWholePiece;
  const parts: SafeHtml[] = [];
  let [before, after] = [0, 0];
  for (const [index, piece] of pieces.entries()) {
    if (after + before > 2 * maxLineLength) return [...parts, safeHtml` …`];
    const side =
      piece.kind === "removed"
        ? { lineOffset: before, tokens: tokens.before }
        : { lineOffset: after, tokens: tokens.after };
    const paintText = (from: number, to: number) =>
      renderColored(piece.text, { ...side, from, to });
    const edges = { isFirst: index === 0, isLast: index === pieces.length - 1 };
    parts.push(write(piece, paintText, edges));
    if (piece.kind !== "added") before += piece.text.length;
    if (piece.kind !== "removed") after += piece.text.length;
  }
  return parts;
}

type PaintText = (from: number, to: number) => readonly SafeHtml[];

interface Edges {
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

type WritePiece = (piece: WordPiece, paintText: PaintText, edges: Edges) => SafeHtml;

const writeWholePiece: WritePiece = ({ text }, paintText) => {
  if (text.length <= maxLineLength) return safeHtml`${paintText(0, text.length)}`;
  return safeHtml`${text.slice(0, maxLineLength).toWellFormed()} …`;
};

const writeMarkedPiece: WritePiece = ({ kind, text }, paintText) => {
  const content = paintText(0, text.length);
  if (kind === "removed") return safeHtml`<del>${content}</del>`;
  return kind === "added" ? safeHtml`<ins>${content}</ins>` : safeHtml`${content}`;
};

/** Paints a piece of text and collapses unchanged text that is far from a change. */
const writeChangedPiece: WritePiece = (piece, paintText, { isFirst, isLast }) => {
  if (piece.kind !== "same") return writeMarkedPiece(piece, paintText, { isFirst, isLast });
  const { text } = piece;
  const from = isFirst ? 0 : findWordEnd(text, contextLength);
  const to = isLast ? text.length : findWordStart(text, text.length - contextLength);
  return collapseMiddle(text, paintText, { from, to });
};

const writeContextPiece: WritePiece = ({ text }, paintText) => {
  if (text.length > maxLineLength)
    return safeHtml`${text.slice(0, collapsedContextLength).toWellFormed()} …`;
  return collapseMiddle(text, paintText, {
    from: findWordEnd(text, collapsedContextLength),
    to: text.length,
  });
};

type Writers = Readonly<Partial<Record<ShownLine["kind"], WritePiece>>>;

const wholeWriters: Writers = { changed: writeMarkedPiece };
const collapsingWriters: Writers = { changed: writeChangedPiece, context: writeContextPiece };

/** Collapses the middle of a text. Adds no white space, because a line's text is shown exactly as in the file. */
function collapseMiddle(
  text: string,
  paintText: PaintText,
  { from, to }: { readonly from: number; readonly to: number },
): SafeHtml {
  if (to - from < minCollapsedLength) return safeHtml`${paintText(0, text.length)}`;
  const middle = safeHtml`<details class="folded"><summary aria-label="Show the unchanged text">…</summary>${paintText(from, to)}</details>`;
  return safeHtml`${paintText(0, from)}${middle}${paintText(to, text.length)}`;
}

function findWordEnd(text: string, from: number): number {
  const space = text.indexOf(" ", from);
  return space === -1 || space > from + 30 ? Math.min(from, text.length) : space;
}

function findWordStart(text: string, from: number): number {
  if (from <= 0) return 0;
  const space = text.lastIndexOf(" ", from);
  return space === -1 || space < from - 30 ? from : space + 1;
}

interface TextColoring {
  /** The offset of the text within its line. */
  readonly lineOffset: number;
  /** The line's tokens, in order. */
  readonly tokens: readonly CodeToken[];
  readonly from: number;
  readonly to: number;
}

function renderColored(
  text: string,
  { lineOffset, tokens, from, to }: TextColoring,
): readonly SafeHtml[] {
  const parts: SafeHtml[] = [];
  let offset = from;
  for (const token of tokens) {
    const [start, end] = [
      Math.max(token.from - lineOffset, offset),
      Math.min(token.to - lineOffset, to),
    ];
    if (end <= start) continue;
    if (start > offset) parts.push(safeHtml`${text.slice(offset, start)}`);
    parts.push(safeHtml`<span class="hl-${token.kind}">${text.slice(start, end)}</span>`);
    offset = end;
  }
  if (offset < to) parts.push(safeHtml`${text.slice(offset, to)}`);
  return parts;
}

/** The syntactic role of a part of a line, which determines its color. */
type TokenKind = "heading" | "strong" | "code" | "tag" | "key" | "string" | "comment" | "keyword";

interface CodeToken {
  readonly from: number;
  readonly to: number;
  readonly kind: TokenKind;
}

/**
 * The construct that earlier lines left open: a fence (represented by its marker) or the frontmatter. An empty string
 * means that no construct is open.
 */
type LineState = string;

interface HighlightedLine {
  readonly tokens: readonly CodeToken[];
  /** The state after the line, which is passed with the next line. */
  readonly state: LineState;
}

/** Highlights one line of a file. The time that this takes depends only on the line's length. */
type HighlightLine = (line: string, state: LineState) => HighlightedLine;

const frontmatterState: LineState = "---";

/** The maximum length of a highlighted line, in characters. */
const maxHighlightedLength = 2_000;

/**
 * Returns the highlighter for a file name. Highlights Markdown and MDX, JSON, YAML, and code in most languages, but no
 * other files.
 */
function getHighlighter(path: string): HighlightLine {
  const extension = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  const highlight = highlighters.get(extension) ?? highlightNothing;
  return (line, state) =>
    line.length > maxHighlightedLength ? { tokens: [], state } : highlight(line, state);
}

const highlightNothing: HighlightLine = (_line, state) => ({ tokens: [], state });

type Rule = readonly [kind: TokenKind, pattern: string];

const doubleQuoted = String.raw`"(?:\\.|[^"\\])*"`;
const singleQuoted = String.raw`'(?:\\.|[^'\\])*'`;

const tokenizeJson = compileTokenizer([
  ["key", String.raw`${doubleQuoted}(?=\s{0,8}:)`],
  ["string", doubleQuoted],
  ["keyword", String.raw`\b(?:true|false|null|\d[\d.eE+-]{0,30})\b`],
]);

const tokenizeYaml = compileTokenizer([
  ["comment", String.raw`(?:^|(?<=\s))#.*`],
  ["key", String.raw`(?<=^[\s-]{0,40})[\w.$-]{1,80}(?=:)`],
  ["string", `${doubleQuoted}|${singleQuoted}`],
  ["keyword", String.raw`\b(?:true|false|null)\b`],
]);

const tokenizeCode = compileTokenizer([
  ["comment", String.raw`(?:\/\/|(?:^|(?<=\s))#(?!\w)).*|\/\*.{0,400}?\*\/`],
  ["string", String.raw`${doubleQuoted}|${singleQuoted}|${"`"}[^${"`"}]*${"`"}`],
  ["tag", String.raw`<\/?[A-Za-z][\w.:-]{0,60}`],
  [
    "keyword",
    String.raw`\b(?:as|async|await|break|case|catch|class|const|continue|def|default|do|elif|else|end|enum|export|extends|false|finally|fn|for|from|func|function|if|implements|import|in|interface|is|let|match|new|nil|none|None|not|null|of|or|package|pass|private|public|return|self|static|struct|switch|this|throw|true|True|False|try|type|use|var|void|while|with|yield)\b`,
  ],
]);

const tokenizeMarkdown = compileTokenizer([
  ["comment", String.raw`\{\/\*.{0,400}?\*\/\}|<!--.{0,400}?-->`],
  ["code", "`{1,3}[^`]{1,400}`{1,3}"],
  ["tag", String.raw`<\/?[A-Za-z][\w.:-]{0,60}|\/?>(?=\s*$)`],
  ["key", String.raw`(?<=\s)[A-Za-z][\w-]{0,40}(?==["'{])`],
  ["string", String.raw`(?<==)(?:${doubleQuoted}|${singleQuoted})|(?<=\]\()[^)\s]{1,400}(?=\))`],
  ["strong", String.raw`\*\*[^*]{1,300}\*\*`],
  ["keyword", String.raw`^\s{0,40}(?:[-*+]|\d{1,9}[.)])(?=\s)|^(?:import|export)\b`],
]);

function compileTokenizer(rules: readonly Rule[]): (line: string) => readonly CodeToken[] {
  const pattern = new RegExp(rules.map(([, source]) => `(${source})`).join("|"), "g");
  return (line) => {
    const tokens: CodeToken[] = [];
    for (const match of line.matchAll(pattern)) {
      const rule = rules[match.slice(1).findIndex((group) => group !== undefined)];
      const [from, to] = [match.index, match.index + match[0].length];
      if (rule && to > from) tokens.push({ from, to, kind: rule[0] });
    }
    return tokens;
  };
}

function createStatelessHighlighter(
  tokenize: (line: string) => readonly CodeToken[],
): HighlightLine {
  return (line, state) => ({ tokens: tokenize(line), state });
}

function highlightMarkdown(line: string, state: LineState): HighlightedLine {
  const coverLine = (kind: TokenKind): readonly CodeToken[] => [{ from: 0, to: line.length, kind }];
  if (state === frontmatterState) {
    if (line.trimEnd() === frontmatterState) return { tokens: coverLine("comment"), state: "" };
    return { tokens: tokenizeYaml(line), state };
  }
  const [, fence] = /^[ \t>]{0,40}(`{3,20}|~{3,20})/.exec(line) ?? [];
  if (state !== "") {
    const isEnd = fence?.startsWith(state) === true && line.trim() === fence;
    return isEnd ? { tokens: coverLine("code"), state: "" } : { tokens: tokenizeCode(line), state };
  }
  if (fence !== undefined) return { tokens: coverLine("code"), state: fence };
  if (/^ {0,3}#{1,6}\s/.test(line)) return { tokens: coverLine("heading"), state };
  return { tokens: tokenizeMarkdown(line), state };
}

const highlighters: ReadonlyMap<string, HighlightLine> = new Map([
  ...["md", "mdx"].map((name) => [name, highlightMarkdown] as const),
  ...["json", "jsonc"].map((name) => [name, createStatelessHighlighter(tokenizeJson)] as const),
  ...["yaml", "yml", "toml"].map(
    (name) => [name, createStatelessHighlighter(tokenizeYaml)] as const,
  ),
  ..."js mjs cjs ts mts jsx tsx css py rb go rs java kt swift php sh bash html xml svg c h cpp cs sql"
    .split(" ")
    .map((name) => [name, createStatelessHighlighter(tokenizeCode)] as const),
]);
