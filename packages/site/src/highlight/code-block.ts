import { escapeHtml } from "../markup/index.ts";
import type { MarkdownNode } from "../page/index.ts";
import { isInRanges, parseFence, type Fence } from "./fence.ts";
import type { Highlighter } from "./highlighter.ts";
import { readLineNotes } from "./line-notes.ts";

export interface CodeBlockOptions {
  readonly highlighter: Highlighter;
  /** HTML of the bar above the code; empty for none. */
  readonly title: string;
}

/** A block with no more lines is shown whole, expandable or not. */
const mostShortLines = 15;

/**
 * HTML of a `code` node. Lines become elements only where something is said about lines, since a span for
 * each would make a page of code a fifth larger. The copy button is the client script's.
 */
export function renderCodeBlock(node: MarkdownNode<"code">, options: CodeBlockOptions): string {
  const fence = parseFence(node);
  const { code, classes } = readLineNotes(node.value, fence.language);
  const lines = options.highlighter.highlight(code, fence.language);
  const marks = markLines(lines.length, fence, classes);
  const isFocusing = marks?.some((mark) => mark.includes("focused")) ?? false;
  const language = fence.language.toLowerCase();
  return [
    `<div class="${blockClass(fence, isFocusing)}"`,
    language === "" ? "" : ` data-lang="${escapeHtml(language)}"`,
    fence.isExpandable && lines.length > mostShortLines ? " data-expandable" : "",
    fence.isCopyable ? ">" : " data-no-copy>",
    options.title === "" ? "" : `<div class="code-title">${options.title}</div>`,
    // A block that scrolls must be reachable by keyboard.
    '<pre tabindex="0"><code>',
    marks === undefined ? lines.join("\n") : joinMarked(lines, marks),
    "</code></pre></div>",
  ].join("");
}

function blockClass(fence: Fence, isFocusing: boolean): string {
  let name = "code";
  if (fence.isWrapped) name += " wrap";
  if (fence.hasLineNumbers) name += " lines";
  return isFocusing ? `${name} focusing` : name;
}

/** The classes of each line; undefined where no line has any and lines need not be told apart. */
function markLines(
  count: number,
  fence: Fence,
  notes: ReadonlyMap<number, string>,
): string[] | undefined {
  const isPlain = fence.highlighted.length === 0 && fence.focused.length === 0 && notes.size === 0;
  if (isPlain && !fence.hasLineNumbers) return undefined;
  const marks: string[] = [];
  for (let line = 0; line < count; line++) {
    let mark = notes.get(line) ?? "";
    if (isInRanges(line + 1, fence.highlighted)) mark += " marked";
    if (isInRanges(line + 1, fence.focused)) mark += " focused";
    marks.push(mark.trim());
  }
  return marks;
}

function joinMarked(lines: readonly string[], marks: readonly string[]): string {
  return lines
    .map((line, index) => {
      const mark = marks[index] ?? "";
      return `<span class="line${mark === "" ? "" : ` ${mark}`}">${line}</span>`;
    })
    .join("\n");
}
