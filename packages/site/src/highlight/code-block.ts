import { joinAttributes, buildElement, html, joinHtml, wrapInElement } from "../markup/index.ts";
import type { Html } from "../markup/index.ts";
import type { MarkdownNode } from "../page/index.ts";
import { findLinesInRanges, parseFence } from "./fence.ts";
import type { Fence } from "./fence.ts";
import type { Highlighter } from "./highlighter.ts";
import type * as Highlighting from "./highlighter.ts";

/**
 * Loads the module that colors code, with its grammars and pattern engine. It is not loaded with this room, because a
 * process that writes a bundle from rendered pages needs only the style sheet.
 */
export function loadHighlighter(): Promise<typeof Highlighting> {
  return import("./highlighter.ts");
}

interface CodeBlockOptions {
  readonly highlighter: Highlighter;
  /** The HTML of the bar above the code; an empty string if there is no bar. */
  readonly title: Html;
}

/** The maximum number of lines of a block that is always shown as a whole, even if it is expandable. */
const maxShortLines = 15;

/**
 * Renders the HTML of a `code` node. Lines become elements only if some lines are marked or numbered, because a span
 * for each line would make a page of code a fifth larger. The client script adds the copy button.
 */
export function renderCodeBlock(node: MarkdownNode<"code">, options: CodeBlockOptions): Html {
  const fence = parseFence(node);
  const { code, classes } = readLineNotes(node.value, fence.language);
  const lines = options.highlighter.highlight(code, fence.language);
  const marks = markLines(lines.length, fence, classes);
  const isFocusing = marks?.some((mark) => mark.includes("focused")) ?? false;
  const language = fence.language.toLowerCase();
  const start = joinAttributes({
    class: blockClass(fence, isFocusing),
    "data-lang": language,
    "data-expandable": fence.isExpandable && lines.length > maxShortLines,
    "data-no-copy": !fence.isCopyable,
  });
  const title = wrapInElement("div", "code-title", options.title);
  const content = marks === undefined ? joinHtml(lines, lineEnd) : joinMarked(lines, marks);
  // The block can have the focus, because a block that scrolls must be accessible by keyboard.
  return html`<div${start}>${title}<pre tabindex="0"><code>${content}</code></pre></div>`;
}

const lineEnd = html`\n`;

function blockClass(fence: Fence, isFocusing: boolean): string {
  let name = "code";
  if (fence.isWrapped) name += " wrap";
  if (fence.hasLineNumbers) name += " lines";
  return isFocusing ? `${name} focusing` : name;
}

/** Returns the classes of each line, or undefined if no line has classes and lines are not numbered. */
function markLines(
  count: number,
  fence: Fence,
  notes: ReadonlyMap<number, string>,
): string[] | undefined {
  const isPlain = fence.highlighted.length === 0 && fence.focused.length === 0 && notes.size === 0;
  if (isPlain && !fence.hasLineNumbers) return undefined;
  const highlighted = findLinesInRanges(fence.highlighted, count);
  const focused = findLinesInRanges(fence.focused, count);
  const marks: string[] = [];
  for (let line = 0; line < count; line++) {
    let mark = notes.get(line) ?? "";
    if (highlighted[line] === 1) mark += " marked";
    if (focused[line] === 1) mark += " focused";
    marks.push(mark.trim());
  }
  return marks;
}

function joinMarked(lines: readonly Html[], marks: readonly string[]): Html {
  const marked = lines.map((line, index) =>
    buildElement("span", joinAttributes({ class: `line ${marks[index] ?? ""}`.trim() }), line),
  );
  return joinHtml(marked, lineEnd);
}

/** Code without its `[!code ...]` comments, and the classes that the comments add to lines. */
interface NotedCode {
  readonly code: string;
  /** Class names, keyed by 0-based line. */
  readonly classes: ReadonlyMap<number, string>;
}

/** Matches a note and the end of its comment, up to the end of the line. */
const note = /^\[!code ([a-z+-]{1,12})(?::(\d{1,4}))?\][ \t]*(?:\*\/\}?|-->|\*\))?[ \t]*$/;

/** The openings of comments. Longer ones come first, because `<!--` ends with `--`. */
const commentOpenings = ["<!--", "{/*", "/*", "//", "(*", "--", "#", ";", "%", "'"] as const;

const lineClasses: Readonly<Record<string, string>> = {
  "++": "added",
  "--": "removed",
  highlight: "marked",
  hl: "marked",
  focus: "focused",
};

const markdown = new Set(["md", "mdx", "markdown"]);
const plain = new Set(["", "text", "txt", "plaintext"]);
const fence = /^\s*(?:`{3}|~{3})/m;

/** Reports whether code demonstrates Markdown syntax, in which case readers should see these comments. */
function showsNotes(code: string, language: string): boolean {
  return markdown.has(language) || (plain.has(language) && fence.test(code));
}

/**
 * Reads the notes. A comment alone on its line applies to the next line. A number such as `:3` is the number of lines
 * to which the note applies. Unknown notes are kept.
 */
function readLineNotes(code: string, language: string): NotedCode {
  const classes = new Map<number, string>();
  if (!code.includes("[!code ") || showsNotes(code, language.toLowerCase())) {
    return { code, classes };
  }
  const lines: string[] = [];
  for (const line of code.split("\n")) {
    const start = line.indexOf("[!code ");
    const found = start === -1 ? null : note.exec(line.slice(start));
    const name = lineClasses[found?.[1] ?? ""];
    if (found === null || name === undefined) {
      lines.push(line);
      continue;
    }
    const first = lines.length;
    const count = Math.max(1, Number(found[2] ?? 1));
    for (let index = first; index < first + count; index++) addClass(classes, index, name);
    const rest = withoutOpening(line.slice(0, start).trimEnd());
    if (rest !== "") lines.push(rest);
  }
  return { code: lines.join("\n"), classes };
}

function withoutOpening(text: string): string {
  const opening = commentOpenings.find((mark) => text.endsWith(mark)) ?? "";
  return text.slice(0, text.length - opening.length).trimEnd();
}

function addClass(classes: Map<number, string>, line: number, name: string): void {
  const known = classes.get(line);
  if (known === undefined) classes.set(line, name);
  else if (!known.split(" ").includes(name)) classes.set(line, `${known} ${name}`);
}
