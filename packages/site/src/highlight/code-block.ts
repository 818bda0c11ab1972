import { joinAttributes, buildElement, html, joinHtml, wrapInElement } from "../markup/index.ts";
import type { Html } from "../markup/index.ts";
import type { MarkdownNode } from "../page/index.ts";
import type { Highlighter } from "./highlighter.ts";
import type * as Highlighting from "./highlighter.ts";

/**
 * Loads the module that highlights code, with its grammars and pattern engine. It is not imported statically, because a
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
  const attributes = joinAttributes({
    class: buildBlockClass(fence, isFocusing),
    "data-lang": language,
    "data-expandable": fence.isExpandable && lines.length > maxShortLines,
    "data-no-copy": !fence.isCopyable,
  });
  const title = wrapInElement("div", "code-title", options.title);
  const content = marks === undefined ? joinHtml(lines, lineEnd) : joinMarked(lines, marks);
  // The block is focusable, because a block that scrolls must be accessible by keyboard.
  return html`<div${attributes}>${title}<pre tabindex="0"><code>${content}</code></pre></div>`;
}

const lineEnd = html`\n`;

function buildBlockClass(fence: Fence, isFocusing: boolean): string {
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
const notePattern = /^\[!code ([a-z+-]{1,12})(?::(\d{1,4}))?\][ \t]*(?:\*\/\}?|-->|\*\))?[ \t]*$/;

/** The openings of comments. Longer openings come first, because `<!--` ends with `--`. */
const commentOpenings = ["<!--", "{/*", "/*", "//", "(*", "--", "#", ";", "%", "'"] as const;

const lineClasses: Readonly<Record<string, string>> = {
  "++": "added",
  "--": "removed",
  highlight: "marked",
  hl: "marked",
  focus: "focused",
};

const markdownLanguages = new Set(["md", "mdx", "markdown"]);
const plainLanguages = new Set(["", "text", "txt", "plaintext"]);
const fencePattern = /^\s*(?:`{3}|~{3})/m;

/** Reports whether code demonstrates Markdown syntax, in which readers should see the `[!code ...]` comments. */
function shouldShowNotes(code: string, language: string): boolean {
  return (
    markdownLanguages.has(language) || (plainLanguages.has(language) && fencePattern.test(code))
  );
}

/**
 * Reads the notes. A comment alone on its line applies to the next line. A number such as `:3` is the number of lines
 * to which the note applies. Unknown notes remain in the code.
 */
function readLineNotes(code: string, language: string): NotedCode {
  const classes = new Map<number, string>();
  if (!code.includes("[!code ") || shouldShowNotes(code, language.toLowerCase())) {
    return { code, classes };
  }
  const lines: string[] = [];
  for (const line of code.split("\n")) {
    const start = line.indexOf("[!code ");
    const found = start === -1 ? null : notePattern.exec(line.slice(start));
    const name = lineClasses[found?.[1] ?? ""];
    if (found === null || name === undefined) {
      lines.push(line);
      continue;
    }
    const first = lines.length;
    const count = Math.max(1, Number(found[2] ?? 1));
    for (let index = first; index < first + count; index++) addClass(classes, index, name);
    const rest = removeCommentOpening(line.slice(0, start).trimEnd());
    if (rest !== "") lines.push(rest);
  }
  return { code: lines.join("\n"), classes };
}

function removeCommentOpening(text: string): string {
  const opening = commentOpenings.find((mark) => text.endsWith(mark)) ?? "";
  return text.slice(0, text.length - opening.length).trimEnd();
}

function addClass(classes: Map<number, string>, line: number, name: string): void {
  const existing = classes.get(line);
  if (existing === undefined) classes.set(line, name);
  else if (!existing.split(" ").includes(name)) classes.set(line, `${existing} ${name}`);
}

/** The parsed info string, which follows the three backticks. */
export interface Fence {
  /** The first word as authored, without braces, e.g. `Python` or `ts`. Empty if it is missing. */
  readonly language: string;
  /** The title from bare words, `title=` or `filename=`. Empty if it is missing. */
  readonly title: string;
  readonly icon?: string;
  readonly iconType?: string;
  readonly highlighted: LineRanges;
  readonly focused: LineRanges;
  readonly isWrapped: boolean;
  readonly isExpandable: boolean;
  readonly hasLineNumbers: boolean;
  /** Whether readers get a button that copies the code. */
  readonly isCopyable: boolean;
}

/** Pairs of the first and the last line, which are 1-based and both included. */
type LineRanges = readonly (readonly [first: number, last: number])[];

/** The length to which info strings are truncated. The longest of 51,846 real info strings has 118 characters. */
export const maxMetaLength = 1_000;

/** Matches one part of an info string: `key=value`, `{key=value}`, `{1,3}`, a quoted string or a word. */
const metaPart =
  /\s*(?:(?<key>[A-Za-z_][\w-]*)=(?<value>"[^"]*"|'[^']*'|\{[^}]*\}|\S*)|\{(?<key>[A-Za-z_][\w-]*)=(?<value>"[^"]*"|'[^']*'|\{[^}]*\}|[^\s{}]*)\}|\{(?<range>[\d\s,-]*)\}|(?<word>"[^"]*"|'[^']*'|\S+))/gy;

/** The switches, which are words of the info string that are not part of the title. */
const switches = new Set(["wrap", "expandable", "lines", "twoslash", "nocopy"]);

/**
 * Reads the info string of a `code` node. Values may be quoted, in braces or bare. `key=value` pairs for other tools
 * (`test="skip"`, `theme=...`) are ignored and do not become part of the title.
 */
export function parseFence(node: MarkdownNode<"code">): Fence {
  const info = node.lang ?? "";
  const bracesStart = info.indexOf("{");
  const language = bracesStart > 0 ? info.slice(0, bracesStart) : info;
  const meta = node.meta?.slice(0, maxMetaLength) ?? "";
  const attachedMeta = bracesStart > 0 ? info.slice(bracesStart, bracesStart + maxMetaLength) : "";
  // A block without a language may begin with the switch (```nocopy).
  if (language === "nocopy") return readMeta("", `nocopy ${attachedMeta} ${meta}`);
  return readMeta(language, attachedMeta === "" ? meta : `${attachedMeta} ${meta}`);
}

/** Reports whether the info string is longer than what `parseFence` reads. */
export function isInfoTruncated({ lang = "", meta }: MarkdownNode<"code">): boolean {
  return lang.length > maxMetaLength || (meta?.length ?? 0) > maxMetaLength;
}

function readMeta(language: string, meta: string): Fence {
  // Most blocks have only a language.
  return { language, ...(meta === "" ? defaultOptions : readOptions(meta)) };
}

function readOptions(meta: string): Omit<Fence, "language"> {
  const { words, options, ranges } = splitMeta(meta);
  const icon = options.get("icon");
  const iconType = options.get("iconType");
  const isOn = (name: string) => options.has(name) && options.get(name) !== "false";
  return {
    title: options.get("title") ?? (words.join(" ") || options.get("filename") || ""),
    ...(icon === undefined ? {} : { icon }),
    ...(iconType === undefined ? {} : { iconType }),
    highlighted: parseRanges([...ranges, options.get("highlight") ?? ""].join(",")),
    focused: parseRanges(options.get("focus") ?? ""),
    isWrapped: isOn("wrap"),
    isExpandable: isOn("expandable"),
    hasLineNumbers: isOn("lines"),
    isCopyable: !isOn("nocopy"),
  };
}

const defaultOptions = readOptions("");

interface MetaParts {
  /** Bare words in order, which form the title. */
  readonly words: readonly string[];
  readonly options: ReadonlyMap<string, string>;
  /** The contents of braces without a key, e.g. `1,3` for `{1,3}`. */
  readonly ranges: readonly string[];
}

function splitMeta(meta: string): MetaParts {
  const words: string[] = [];
  const options = new Map<string, string>();
  const lines: string[] = [];
  for (const { groups = {} } of meta.matchAll(metaPart)) {
    const { key, value, range, word } = groups;
    if (key !== undefined) options.set(key, unquote(value ?? ""));
    else if (range !== undefined) lines.push(range);
    else if (word !== undefined && switches.has(word)) options.set(word, "true");
    else if (word !== undefined) words.push(/^["']/.test(word) ? unquote(word) : word);
  }
  return { words, options, ranges: lines };
}

/** Returns `text` for `{"text"}`, `"text"` and `{text}`. */
function unquote(value: string): string {
  const inner = /^\{(.*)\}$/s.exec(value)?.[1]?.trim() ?? value;
  return /^(["'`])(.*)\1$/s.exec(inner)?.[2] ?? inner;
}

/** Parses ranges such as `1,3-5`. Any other text between the commas is ignored. */
function parseRanges(text: string): LineRanges {
  const ranges: [number, number][] = [];
  for (const part of text.split(",")) {
    const range = /^[\s[]*(\d{1,6})(?:\s*-\s*(\d{1,6}))?[\s\]]*$/.exec(part);
    if (range !== null) ranges.push([Number(range[1]), Number(range[2] ?? range[1])]);
  }
  return ranges;
}

/** Returns 1 for each line of a block with `count` lines that is in a range, and 0 for the others. */
function findLinesInRanges(ranges: LineRanges, count: number): Uint8Array {
  const found = new Uint8Array(count);
  for (const [first, last] of ranges) found.fill(1, Math.max(first - 1, 0), last);
  return found;
}
