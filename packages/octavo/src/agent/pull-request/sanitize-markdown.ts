import MarkdownIt from "markdown-it";
import type { Token } from "markdown-it";
import { formatOriginalLength, redactTokens } from "../../core/index.ts";

interface SanitizeOptions {
  /** The maximum length of the result, in characters. */
  readonly maxLength: number;
  /** The minimum level of headings. With 4, `#` becomes `####`. */
  readonly minHeadingLevel?: number;
  /** Addresses that remain links: those in the repository's own template. */
  readonly links?: ReadonlySet<string>;
}

/** The maximum nesting depth. Deeper content is omitted. */
const maxNesting = 20;
/** The maximum length of the note at the end of a truncated text. */
const maxCutNoteLength = 80;

const parser = new MarkdownIt("default", { html: false, linkify: false, maxNesting });

/** A formatted block of Markdown, with the blocks inside it. */
interface MarkdownBlock {
  readonly text: string;
  readonly inside?: readonly MarkdownBlock[];
  /** Whether a paragraph belongs to a tight list; undefined for other blocks. */
  readonly isTight?: boolean;
}

const checkbox = /^\\\[([ xX])\\\](?= )/;
/** Matches statements that people make about themselves: that they agree, or have tested or read something. */
const firstPerson = /\b(?:I|we|my|our)\b(?!\/)/i;

/** Languages that code hosts render instead of displaying the code. */
const renderedLanguages = new Set(["mermaid", "geojson", "topojson", "stl", "math", "suggestion"]);

/**
 * Text that a code host or another program acts on anywhere in prose: addresses, mentions, email addresses, issues and
 * merge requests. Escaping does not prevent this, but formatting the text as code does.
 */
const references =
  /(?:https?:\/\/|www\.)\S+|[\w.+-]{0,64}@[\w/.-]{0,100}|[\w./-]{0,100}[#!]\d+|gh-\d+/gi;
const maxReferenceLength = 300;

const entities: Readonly<Record<string, string>> = {
  "<": "&lt;",
  ">": "&gt;",
  "&": "&amp;",
  // A backslash before one of several backticks would leave the others active.
  "`": "&#96;",
};

/**
 * Sanitizes Markdown from people and models for a code host. Keeps headings, lists, tables, quotations and code, but
 * the result does not mention anyone, refer to issues, link elsewhere, show pictures, or contain HTML or commands to
 * programs that read pull requests. Horizontal rules are removed, so that nothing looks like the end of the text.
 */
export function sanitizeMarkdown(source: string, options: SanitizeOptions): string {
  const { maxLength } = options;
  const clean = redactTokens(stripComments(source.slice(0, maxLength * 2)));
  const formatted = formatSource(clean, options);
  if (formatted.length <= maxLength && source.length <= maxLength * 2) return formatted;
  const maxTextLength = maxLength - maxCutNoteLength - 2;
  let length = Math.min(clean.length, maxTextLength);
  for (;;) {
    const truncated = formatSource(clean.slice(0, length).toWellFormed(), options);
    if (truncated.length <= maxTextLength) {
      const note = `_Cut here: the text has ${formatOriginalLength(source)} characters._`;
      return truncated === "" ? note : `${truncated}\n\n${note}`;
    }
    length = Math.floor((length * maxTextLength * 0.95) / truncated.length);
  }
}

/** Sanitizes Markdown as `sanitizeMarkdown` does, and formats it as a block quotation. */
export function sanitizeQuotation(source: string, maxLength: number): string {
  for (let length = maxLength; ;) {
    const text = sanitizeMarkdown(source, { maxLength: length, minHeadingLevel: 4 });
    const quotation = writeBlockquote([{ text }]);
    if (quotation.length <= maxLength) return quotation;
    length = Math.floor((length * maxLength * 0.95) / quotation.length);
  }
}

/**
 * Removes comments, which are notes to the person who fills in a template. An unterminated comment is treated as text.
 */
export function stripComments(source: string): string {
  let remaining = source;
  const keptParts: string[] = [];
  for (;;) {
    const start = remaining.indexOf("<!--");
    const end = start < 0 ? -1 : remaining.indexOf("-->", start);
    if (end < 0) return [...keptParts, remaining].join("");
    keptParts.push(remaining.slice(0, start));
    remaining = remaining.slice(end + "-->".length);
  }
}

interface OpenBlock {
  readonly token: Token | undefined;
  readonly inside: MarkdownBlock[];
}

function formatSource(source: string, options: SanitizeOptions): string {
  const root: OpenBlock = { token: undefined, inside: [] };
  const openBlocks = [root];
  for (const token of parser.parse(source, {})) {
    if (token.nesting === 1) {
      openBlocks.push({ token, inside: [] });
      continue;
    }
    const block =
      token.nesting === -1 ? closeBlock(openBlocks.pop(), options) : writeLeaf(token, options);
    (openBlocks.at(-1) ?? root).inside.push(block);
  }
  return joinBlocks(root.inside);
}

const blockWriters: Readonly<
  Record<string, (inside: readonly MarkdownBlock[], token: Token) => string>
> = {
  blockquote_open: (inside) => writeBlockquote(inside),
  bullet_list_open: (inside) => writeList(inside, undefined),
  ordered_list_open: (inside, token) => writeList(inside, Number(token.attrGet("start") ?? 1)),
  list_item_open: (inside) => writeListItem(inside),
  table_open: (inside) => writeTable(inside),
};

function closeBlock(
  block: OpenBlock | undefined,
  { minHeadingLevel = 1 }: SanitizeOptions,
): MarkdownBlock {
  const { token, inside = [] } = block ?? {};
  if (token?.type === "heading_open") {
    return { text: writeHeading(inside, Math.max(Number(token.tag.slice(1)), minHeadingLevel)) };
  }
  const text = (token && blockWriters[token.type]?.(inside, token)) ?? joinBlocks(inside);
  const isTight = token?.type === "paragraph_open" ? token.hidden : undefined;
  return { text, inside, ...(isTight !== undefined && { isTight }) };
}

function writeLeaf(token: Token, options: SanitizeOptions): MarkdownBlock {
  if (token.type === "inline") return { text: writeInline(token.children ?? [], options) };
  if (token.type === "fence" || token.type === "code_block") {
    return { text: writeFence(token.content, token.info) };
  }
  return { text: "" };
}

const marks: Readonly<Record<string, string>> = { strong: "**", em: "*", s: "~~" };

interface OpenInline {
  readonly token: Token | undefined;
  text: string;
}

function writeInline(tokens: readonly Token[], options: SanitizeOptions): string {
  const root: OpenInline = { token: undefined, text: "" };
  const openInlines = [root];
  for (const token of tokens) {
    if (token.nesting === 1) {
      openInlines.push({ token, text: "" });
      continue;
    }
    const text =
      token.nesting === -1 ? closeInline(openInlines.pop(), options) : writeInlineLeaf(token);
    const parent = openInlines.at(-1) ?? root;
    // Without a space, two adjacent code spans would become one.
    parent.text += parent.text.endsWith("`") && text.startsWith("`") ? ` ${text}` : text;
  }
  return root.text.split("\n").map(sanitizeLine).join("\n");
}

function closeInline(open: OpenInline | undefined, { links }: SanitizeOptions): string {
  const { token, text = "" } = open ?? {};
  if (token === undefined || text.trim() === "") return text;
  const mark = marks[token.type.replace("_open", "")];
  if (mark !== undefined) return `${mark}${text}${mark}`;
  const address = String(token.attrGet("href") ?? "");
  if (token.markup === "autolink" || address === "") return text;
  return links?.has(address)
    ? `[${text}](<${address}>)`
    : `${text} (${formatInertCode(address, 300)})`;
}

function writeInlineLeaf(token: Token): string {
  switch (token.type) {
    case "softbreak":
    case "hardbreak":
      return "\n";
    case "code_inline":
      return formatInertCode(token.content, 1_000);
    case "image":
      return `${sanitizeProse(token.content)} (${formatInertCode(String(token.attrGet("src") ?? ""), 300)})`;
    default:
      return sanitizeProse(token.content);
  }
}

function writeHeading(inside: readonly MarkdownBlock[], level: number): string {
  const headingText = inside.map(({ text }) => text.replaceAll("\n", " ")).join(" ");
  return headingText === "" ? "" : `${"#".repeat(level)} ${headingText}`;
}

function writeBlockquote(inside: readonly MarkdownBlock[]): string {
  const lines = joinBlocks(inside).split("\n");
  return lines.map((line) => (line === "" ? ">" : `> ${line}`)).join("\n");
}

/** Formats a list. `start` is the number of an ordered list's first item. */
function writeList(items: readonly MarkdownBlock[], start: number | undefined): string {
  const isTight = items.every(({ inside = [] }) =>
    inside.every((block) => block.isTight !== false),
  );
  return items
    .map(({ text }, index) => {
      const marker = start === undefined ? "- " : `${start + index}. `;
      return `${marker}${text.replaceAll(/\n(?!\n|$)/g, `\n${" ".repeat(marker.length)}`)}`;
    })
    .join(isTight ? "\n" : "\n\n");
}

/** Formats a list item. Unchecks a box whose statement only a person can make. */
function writeListItem(inside: readonly MarkdownBlock[]): string {
  const blocks = inside.filter(({ text }) => text !== "");
  const text = blocks
    .map((block, index) => {
      if (index === 0) return block.text;
      return `${blocks[index - 1]?.isTight ? "\n" : "\n\n"}${block.text}`;
    })
    .join("");
  return text.replace(checkbox, (_, mark: string) =>
    mark === " " || firstPerson.test(text) ? "[ ]" : "[x]",
  );
}

/** Formats a table with each cell on one line. Pipes in cells are already escaped, except in code. */
function writeTable(inside: readonly MarkdownBlock[]): string {
  const rows = inside.flatMap((part) => part.inside ?? []);
  const lines = rows.map(({ inside: cells = [] }) => {
    const texts = cells.map(({ text }) =>
      text.replaceAll("\n", " ").replaceAll(/(?<!\\)\|/g, "\\|"),
    );
    return `| ${texts.join(" | ")} |`;
  });
  const columns = rows[0]?.inside?.length ?? 0;
  const [head = "", ...rest] = lines;
  return columns === 0 ? "" : [head, `|${" --- |".repeat(columns)}`, ...rest].join("\n");
}

/** Formats a code block that its content cannot close. */
function writeFence(content: string, info: string): string {
  const code = content
    .replaceAll(/[^\P{C}\n\t]/gu, "")
    .replaceAll(/`{21,}/g, "`".repeat(20))
    // Programs that read commands from lines do not recognize fences.
    .replaceAll(/^\/(?=[a-z])/gim, " /")
    .replace(/\n$/, "");
  const [language = ""] = /^[\w+#-]{1,20}/.exec(info) ?? [];
  const maxRun = code.match(/`+/g)?.reduce((most, run) => Math.max(most, run.length), 0) ?? 0;
  const marks = "`".repeat(Math.max(3, maxRun + 1));
  const shownLanguage =
    language === "" || renderedLanguages.has(language.toLowerCase()) ? "text" : language;
  return `${marks}${shownLanguage}\n${code}\n${marks}`;
}

function joinBlocks(blocks: readonly MarkdownBlock[]): string {
  return blocks
    .map(({ text }) => text)
    .filter((text) => text !== "")
    .join("\n\n");
}

/** Sanitizes untrusted text in a paragraph, so that it contains no markup, HTML or references. */
function sanitizeProse(text: string): string {
  const clean = text.replaceAll(/[^\P{C}\n]/gu, "");
  const parts: string[] = [];
  let position = 0;
  for (const { 0: found, index } of clean.matchAll(references)) {
    parts.push(
      escapeText(clean.slice(position, index)),
      formatInertCode(found, maxReferenceLength),
    );
    position = index + found.length;
  }
  return [...parts, escapeText(clean.slice(position))].join("");
}

function escapeText(text: string): string {
  return text
    .replaceAll(/[\\*_[\]~|$]/g, String.raw`\$&`)
    .replaceAll(/[<>&`]/g, (sign) => entities[sign] ?? sign);
}

/**
 * Sanitizes a line of a paragraph, so that it does not begin a list, heading or code block and is not a command
 * (`/approve`).
 */
function sanitizeLine(line: string): string {
  return line
    .trim()
    .replace(/^\//, "&#47;")
    .replace(/^[#+=-]/, String.raw`\$&`)
    .replace(/^(\d{1,9})([.)])/, String.raw`$1\$2`);
}

interface ListBounds {
  /** The maximum total length of the lines as formatted in the list, in characters. */
  readonly maxLength: number;
  /** The total number of lines, including those that are not in `lines`. */
  readonly total: number;
  /** The words after the number of omitted lines: `more files`. */
  readonly restLabel: string;
}

/**
 * Formats short texts from people, models and repositories for a code host's Markdown. They become code, so that they
 * do not mention anyone, close issues, show pictures or contain HTML. For longer texts, see `sanitizeMarkdown`.
 */

/** Formats a code span on one line. Backticks, which would close it, are replaced. */
export function formatInertCode(text: string, maxLength: number): string {
  return `\`${truncate(text.replaceAll(/[\p{C}\n]/gu, " "), maxLength).replaceAll("`", "'")}\``;
}

/** Formats a link with code as its label. Brackets, which would end the label, are replaced. */
export function formatInertLink(text: string, address: string, maxLength: number): string {
  return `[${formatInertCode(text.replaceAll("[", "(").replaceAll("]", ")"), maxLength)}](${address})`;
}

/** Breaks mentions and issue references in titles, which cannot contain code. */
export function sanitizeWords(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Cf}]+/gu, " ")
    .replaceAll(/https?:\/\//gi, "")
    .replaceAll(/[@#<>!`]/g, "")
    .replaceAll(/\bgh-(?=\d)/gi, "GH ")
    .replaceAll(/\s+/g, " ")
    .trim();
}

export function truncate(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 1).toWellFormed()}…` : text;
}

/** Formats a Markdown list that ends before `maxLength` and then states how many lines are omitted. */
export function formatBoundedList(
  lines: readonly string[],
  { maxLength, total, restLabel }: ListBounds,
): string {
  const shownLines: string[] = [];
  let length = 0;
  for (const line of lines) {
    const item = `- ${line}`;
    length += item.length + 1;
    if (length > maxLength) break;
    shownLines.push(item);
  }
  if (shownLines.length < total) shownLines.push(`- and ${total - shownLines.length} ${restLabel}`);
  return shownLines.join("\n");
}
