import type { DiffFile, DiffHunk, DiffLine } from "../../git/index.ts";
import { safeHtml } from "../safe-html.ts";
import type { HtmlValue, SafeHtml } from "../safe-html.ts";
import { formatCount } from "../format.ts";
import { fields, getHighlighter } from "./highlight.ts";
import type { HighlightLine, LineState, CodeToken } from "./highlight.ts";
import { renderLineMarkup } from "./line-markup.ts";
import { showLines } from "./shown-lines.ts";
import type { ShownLine } from "./shown-lines.ts";

/** The controls that a page adds to the lines of a file. Without them, the lines are only shown. */
export interface LineTools {
  /** Renders the cell of a line number. */
  readonly number: (line: ShownLine, number: number) => HtmlValue;
  /** Renders a row below a line. */
  readonly below: (line: ShownLine) => HtmlValue;
  /** Shown in rows that replace unchanged lines. */
  readonly folded: HtmlValue;
  /** Whether each line is shown with its whole text. */
  readonly isWhole: boolean;
}

const noTools: LineTools = {
  number: (_line, number) => number,
  below: () => false,
  folded: false,
  isWhole: false,
};

/** Renders the changed lines of a file, with their context, as a table. */
export function renderFileTable(
  { path, hunks }: Pick<DiffFile, "path" | "hunks">,
  tools = noTools,
): SafeHtml {
  const highlight = getHighlighter(path);
  const shown = tools.isWhole ? hunks : hunks.map(withoutBlankEdges);
  const isProse = isMarkdown(path);
  const rows = shown.map((hunk, index) => [
    hunkRow(isProse ? { ...hunk, heading: "" } : hunk, shown[index - 1], tools),
    hunkRows(hunk, highlight, tools),
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
        ${rows} ${hasMoreLines(hunks) && foldedRow("⋯", tools)}
      </tbody>
    </table>
  </div>`;
}

/** Reports whether a file is prose: there, git reports arbitrary lines as hunk headings. */
export function isMarkdown(path: string): boolean {
  return /\.mdx?$/i.test(path);
}

function isFull({ kind, text }: DiffLine): boolean {
  return kind !== "context" || text.trim() !== "";
}

/** Removes blank lines at the edges of a hunk; next to a change they carry no information. */
function withoutBlankEdges(hunk: DiffHunk): DiffHunk {
  const [from, to] = [hunk.lines.findIndex(isFull), hunk.lines.findLastIndex(isFull)];
  return { ...hunk, lines: hunk.lines.slice(Math.max(from, 0), to + 1) };
}

/** Renders the row above a hunk that counts the hidden lines; `false` if none are hidden. */
function hunkRow(
  { heading, lines }: DiffHunk,
  previous: DiffHunk | undefined,
  tools: LineTools,
): SafeHtml | false {
  const first = lines.find(({ before, after }) => before ?? after);
  const start = first?.after ?? first?.before ?? 1;
  const end = previous?.lines.findLast(({ after }) => after !== undefined)?.after ?? 0;
  const hidden = start - end - 1;
  if (hidden <= 0) return false;
  const amount = `⋯ ${formatCount(hidden, "unchanged line")}`;
  return foldedRow(heading === "" ? amount : `${amount}, in ${heading}`, tools);
}

function foldedRow(text: string, { folded }: LineTools): SafeHtml {
  return safeHtml`<tr class="hunk">
    <td class="n"></td>
    <td class="n"></td>
    <td class="sign"></td>
    <td class="line">${text} ${folded}</td>
  </tr>`;
}

/** Reports whether the file may continue: git shows three lines after a change, or fewer at the end of the file. */
function hasMoreLines(hunks: readonly DiffHunk[]): boolean {
  return (
    hunks
      .at(-1)
      ?.lines.slice(-3)
      .every(({ kind }) => kind === "context") ?? false
  );
}

const lineSigns = { added: "+", removed: "−", changed: "±", context: "", note: "" } as const;

function hunkRows({ lines }: DiffHunk, highlight: HighlightLine, tools: LineTools): HtmlValue {
  const texts = highlightLines(lines, highlight);
  return showLines({ lines }).map((line) => {
    const { kind, before, after } = line;
    const tokens = { before: texts.before.get(before) ?? [], after: texts.after.get(after) ?? [] };
    const isRemoved = kind === "removed";
    const number = isRemoved ? before : after;
    const cell = number !== undefined && tools.number(line, number);
    return safeHtml`<tr class="${kind}">
        <td class="n">${isRemoved ? cell : before}</td>
        <td class="n">${!isRemoved && cell}</td>
        <td class="sign">${lineSigns[kind]}</td>
        <td class="line">${renderLineMarkup(line, tokens, { folds: !tools.isWhole })}</td>
      </tr>
      ${tools.below(line)}`;
  });
}

/** Returns the tokens of all lines, by line number before and after the change. */
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
    state = number === 1 && text === fields ? fields : highlighted.state;
  }
  return tokens;
}
