import { attributes, element, html, joinHtml, wrap, type Html } from "../markup/index.ts";
import type { MarkdownNode } from "../page/index.ts";
import { isInRanges, parseFence, type Fence } from "./fence.ts";
import type { Highlighter } from "./highlighter.ts";
import { readLineNotes } from "./line-notes.ts";

export interface CodeBlockOptions {
  readonly highlighter: Highlighter;
  /** HTML of the bar above the code; empty for none. */
  readonly title: Html;
}

/** A block of up to this many lines is shown whole, expandable or not. */
const maxShortLines = 15;

/**
 * HTML of a `code` node. Lines become elements only if some are marked or numbered, since a span for
 * each would make a page of code a fifth larger. The client script adds the copy button.
 */
export function renderCodeBlock(node: MarkdownNode<"code">, options: CodeBlockOptions): Html {
  const fence = parseFence(node);
  const { code, classes } = readLineNotes(node.value, fence.language);
  const lines = options.highlighter.highlight(code, fence.language);
  const marks = markLines(lines.length, fence, classes);
  const isFocusing = marks?.some((mark) => mark.includes("focused")) ?? false;
  const language = fence.language.toLowerCase();
  const start = attributes({
    class: blockClass(fence, isFocusing),
    "data-lang": language,
    "data-expandable": fence.isExpandable && lines.length > maxShortLines,
    "data-no-copy": !fence.isCopyable,
  });
  const title = wrap("div", "code-title", options.title);
  const content = marks === undefined ? joinHtml(lines, lineEnd) : joinMarked(lines, marks);
  // A block that scrolls must be reachable by keyboard.
  return html`<div${start}>${title}<pre tabindex="0"><code>${content}</code></pre></div>`;
}

const lineEnd = html`\n`;

function blockClass(fence: Fence, isFocusing: boolean): string {
  let name = "code";
  if (fence.isWrapped) name += " wrap";
  if (fence.hasLineNumbers) name += " lines";
  return isFocusing ? `${name} focusing` : name;
}

/** The classes of each line; undefined if no line has any and lines are not numbered. */
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

function joinMarked(lines: readonly Html[], marks: readonly string[]): Html {
  const marked = lines.map((line, index) =>
    element("span", attributes({ class: `line ${marks[index] ?? ""}`.trim() }), line),
  );
  return joinHtml(marked, lineEnd);
}
