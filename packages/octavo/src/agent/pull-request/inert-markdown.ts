import MarkdownIt from "markdown-it";
import type { Token } from "markdown-it";
import { hideTokens } from "../../core/index.ts";
import { inertCode } from "../inert-text.ts";
import { inertLine, inertProse } from "./inert-prose.ts";
import { blockquote, fence, heading, joined, list, listItem, table } from "./write-block.ts";
import type { Block } from "./write-block.ts";

export interface InertMarkdownOptions {
  /** Characters of the result. */
  readonly maxLength: number;
  /** The largest headings; those above are written like them. */
  readonly minHeading?: number;
  /** Addresses that stay links: those that the repository's own template has. */
  readonly links?: ReadonlySet<string>;
}

/** Deeper content is left out. */
const maxNesting = 20;
const cutNote = "_The rest is not shown._";

const parser = new MarkdownIt("default", { html: false, linkify: false, maxNesting });

/**
 * Markdown of people and models, written anew for a code host: headings, lists, tables, quotes and code stay, and
 * nothing in it mentions anybody, refers to an issue, links elsewhere, shows a picture, contains HTML or is a
 * command to a program that reads pull requests. Rules are left out, so that nothing looks like the end of the text.
 */
export function inertMarkdown(source: string, options: InertMarkdownOptions): string {
  const { maxLength } = options;
  const clean = hideTokens(withoutComments(source.slice(0, maxLength * 2)));
  const whole = write(clean, options);
  if (whole.length <= maxLength && source.length <= maxLength * 2) return whole;
  const room = maxLength - cutNote.length - 2;
  let length = Math.min(clean.length, room);
  for (;;) {
    const cut = write(clean.slice(0, length).toWellFormed(), options);
    if (cut.length <= room) return cut === "" ? cutNote : `${cut}\n\n${cutNote}`;
    length = Math.floor((length * room * 0.95) / cut.length);
  }
}

/** The same as a quotation. */
export function inertQuotation(source: string, maxLength: number): string {
  for (let length = maxLength; ;) {
    const text = inertMarkdown(source, { maxLength: length, minHeading: 4 });
    const quotation = blockquote([{ text }]);
    if (quotation.length <= maxLength) return quotation;
    length = Math.floor((length * maxLength * 0.95) / quotation.length);
  }
}

/** Comments are notes to whoever fills in a template. One that does not end is text. */
export function withoutComments(source: string): string {
  let rest = source;
  const kept: string[] = [];
  for (;;) {
    const start = rest.indexOf("<!--");
    const end = start < 0 ? -1 : rest.indexOf("-->", start);
    if (end < 0) return [...kept, rest].join("");
    kept.push(rest.slice(0, start));
    rest = rest.slice(end + "-->".length);
  }
}

interface OpenBlock {
  readonly token: Token | undefined;
  readonly inside: Block[];
}

function write(source: string, options: InertMarkdownOptions): string {
  const whole: OpenBlock = { token: undefined, inside: [] };
  const open = [whole];
  for (const token of parser.parse(source, {})) {
    if (token.nesting === 1) {
      open.push({ token, inside: [] });
      continue;
    }
    const done = token.nesting === -1 ? close(open.pop(), options) : leaf(token, options);
    (open.at(-1) ?? whole).inside.push(done);
  }
  return joined(whole.inside);
}

const elements: Readonly<Record<string, (inside: readonly Block[], token: Token) => string>> = {
  blockquote_open: (inside) => blockquote(inside),
  bullet_list_open: (inside) => list(inside, undefined),
  ordered_list_open: (inside, token) => list(inside, Number(token.attrGet("start") ?? 1)),
  list_item_open: (inside) => listItem(inside),
  table_open: (inside) => table(inside),
};

function close(block: OpenBlock | undefined, { minHeading = 1 }: InertMarkdownOptions): Block {
  const { token, inside = [] } = block ?? {};
  if (token?.type === "heading_open") {
    return { text: heading(inside, Math.max(Number(token.tag.slice(1)), minHeading)) };
  }
  const text = (token && elements[token.type]?.(inside, token)) ?? joined(inside);
  const isTight = token?.type === "paragraph_open" ? token.hidden : undefined;
  return { text, inside, ...(isTight !== undefined && { isTight }) };
}

function leaf(token: Token, options: InertMarkdownOptions): Block {
  if (token.type === "inline") return { text: inline(token.children ?? [], options) };
  if (token.type === "fence" || token.type === "code_block") {
    return { text: fence(token.content, token.info) };
  }
  return { text: "" };
}

const marks: Readonly<Record<string, string>> = { strong: "**", em: "*", s: "~~" };

interface OpenInline {
  readonly token: Token | undefined;
  text: string;
}

function inline(tokens: readonly Token[], options: InertMarkdownOptions): string {
  const whole: OpenInline = { token: undefined, text: "" };
  const open = [whole];
  for (const token of tokens) {
    if (token.nesting === 1) {
      open.push({ token, text: "" });
      continue;
    }
    const done = token.nesting === -1 ? closeInline(open.pop(), options) : inlineLeaf(token);
    const into = open.at(-1) ?? whole;
    // Two spans of code side by side would be one.
    into.text += into.text.endsWith("`") && done.startsWith("`") ? ` ${done}` : done;
  }
  return whole.text.split("\n").map(inertLine).join("\n");
}

function closeInline(open: OpenInline | undefined, { links }: InertMarkdownOptions): string {
  const { token, text = "" } = open ?? {};
  if (token === undefined || text.trim() === "") return text;
  const mark = marks[token.type.replace("_open", "")];
  if (mark !== undefined) return `${mark}${text}${mark}`;
  const address = String(token.attrGet("href") ?? "");
  if (token.markup === "autolink" || address === "") return text;
  return links?.has(address) ? `[${text}](<${address}>)` : `${text} (${inertCode(address, 300)})`;
}

function inlineLeaf(token: Token): string {
  switch (token.type) {
    case "softbreak":
    case "hardbreak":
      return "\n";
    case "code_inline":
      return inertCode(token.content, 1_000);
    case "image":
      return `${inertProse(token.content)} (${inertCode(String(token.attrGet("src") ?? ""), 300)})`;
    default:
      return inertProse(token.content);
  }
}
