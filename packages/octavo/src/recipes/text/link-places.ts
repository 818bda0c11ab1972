import { plainText } from "./anchors.ts";
import { pageBlocks } from "./page-blocks.ts";
import { LineIndex } from "@octavo/site/text";
import type { TextEdit } from "@octavo/site/text";

/** A link as a tool names it: its address as written, and where the markup around it begins. */
export interface NamedLink {
  readonly target: string;
  readonly line?: number;
  readonly column?: number;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** A link's markup, `[start, end)`, and where its address begins: for a reference in the definition it names. */
export type FoundLink = Range & {
  readonly address: number;
} & (
    | { readonly form: "inline"; readonly label: Range }
    | { readonly form: "reference"; readonly label: Range; readonly definition: Definition }
    /** The opening tag of an element. */
    | { readonly form: "tag"; readonly name: string }
  );

interface Definition extends Range {
  /** The name by which links call it, folded. */
  readonly name: string;
  readonly address: number;
}

/** Components have many lines of attributes, and link texts can be whole sentences. */
const longestTag = 20_000;
const longestLabel = 4_000;
const longestTitle = 2_000;

/** A page's source in which links are looked up. */
export interface LinkedText {
  readonly text: string;
  /** Where the link stands; undefined where its address is not written as named. */
  find(link: NamedLink): FoundLink | undefined;
}

export function createLinkedText(text: string): LinkedText {
  const lines = new LineIndex(text);
  let definitions: ReadonlyMap<string, Definition> | undefined;
  const definitionOf = (name: string) => {
    definitions ??= definitionsOf(text);
    return definitions.get(name);
  };
  return {
    text,
    find({ target, line, column }) {
      if (line === undefined || target === "") return undefined;
      const named = lines.offsetOf(line, column ?? 1);
      const start = text.startsWith("![", named) ? named + 1 : named;
      if (text[start] === "<") return findTag(text, start, target);
      if (text[start] !== "[") return undefined;
      return (
        findInline(text, start, target) ?? findReference(text, start, { target, definitionOf })
      );
    },
  };
}

/** The words of a Markdown link. */
export function linkText(text: string, link: FoundLink | undefined): string {
  if (link === undefined || link.form === "tag") return "";
  return plainText(text.slice(link.label.start, link.label.end));
}

function findInline(text: string, start: number, target: string): FoundLink | undefined {
  const close = endOfLabel(text, start);
  if (close === undefined || text[close + 1] !== "(") return undefined;
  const before = /^\s{0,20}<?/.exec(text.slice(close + 2, close + 23))?.[0] ?? "";
  const address = close + 2 + before.length;
  if (!text.startsWith(target, address)) return undefined;
  const rest = text.slice(address + target.length, address + target.length + longestTitle);
  const end = /^>?(?:\s+(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\([^()]*\)))?\s*\)/.exec(rest)?.[0];
  if (end === undefined) return undefined;
  const label = { start: start + 1, end: close };
  return { form: "inline", start, end: address + target.length + end.length, address, label };
}

/** The `]` that belongs to the `[` at `start`: escapes and code within are passed over. */
function endOfLabel(text: string, start: number): number | undefined {
  const limit = Math.min(text.length, start + longestLabel);
  const marks = /[\\[\]]|`+/g;
  marks.lastIndex = start;
  let depth = 0;
  for (let mark = marks.exec(text); mark !== null && mark.index < limit; mark = marks.exec(text)) {
    if (mark[0] === "\\") marks.lastIndex += 1;
    else if (mark[0] === "[") depth += 1;
    else if (mark[0] === "]") depth -= 1;
    else marks.lastIndex = endOfCode(text, mark.index, mark[0]);
    if (depth === 0) return mark.index;
  }
  return undefined;
}

/** Behind the code that begins with these backticks, or behind them where nothing closes them. */
function endOfCode(text: string, start: number, marks: string): number {
  const from = start + marks.length;
  const close = text.slice(from, from + longestLabel).indexOf(marks);
  return close === -1 ? from : from + close + marks.length;
}

/** `[text][label]`, `[label][]` and `[label]`: the address stands in the label's definition. */
function findReference(
  text: string,
  start: number,
  {
    target,
    definitionOf,
  }: {
    readonly target: string;
    readonly definitionOf: (name: string) => Definition | undefined;
  },
): FoundLink | undefined {
  const close = endOfLabel(text, start);
  if (close === undefined || text[close + 1] === "(") return undefined;
  const label = { start: start + 1, end: close };
  const end = text[close + 1] === "[" ? endOfLabel(text, close + 1) : close;
  if (end === undefined) return undefined;
  const named = text.slice(close + 2, end);
  const definition = definitionOf(
    foldName(named === "" ? text.slice(label.start, label.end) : named),
  );
  if (definition === undefined) return undefined;
  const { address } = definition;
  const isWhole = /^[\s>]?$/.test(text.charAt(address + target.length));
  if (!isWhole || !text.startsWith(target, address)) return undefined;
  return { form: "reference", start, end: end + 1, address, label, definition };
}

/** The definitions of a page by their names, with their whole lines; those in code are none. The first of a name counts. */
function definitionsOf(text: string): ReadonlyMap<string, Definition> {
  const definitions = new Map<string, Definition>();
  for (const block of pageBlocks(text)) {
    if (block.kind !== "text") continue;
    const part = text.slice(block.start, block.end);
    for (const match of part.matchAll(/^[ \t>]{0,12}\[([^\]\n]{1,999})\]:[ \t]*<?/gm)) {
      const start = block.start + match.index;
      const end = text.indexOf("\n", start) + 1 || text.length;
      const name = foldName(match[1] ?? "");
      const address = start + match[0].length;
      if (!definitions.has(name)) definitions.set(name, { name, start, end, address });
    }
  }
  return definitions;
}

function foldName(name: string): string {
  return name.toLowerCase().replaceAll(/\s+/g, " ").trim();
}

function findTag(text: string, start: number, target: string): FoundLink | undefined {
  const name = /^<([A-Za-z][\w.:-]*)/.exec(text.slice(start, start + 200))?.[1];
  if (name === undefined) return undefined;
  const end = endOfTag(text, start);
  for (let at = text.indexOf(target, start); at !== -1 && at < end;) {
    const [before, after] = [text.slice(Math.max(start, at - 30), at), text[at + target.length]];
    const quote = /=\s*\{?\s*(["'`])$/.exec(before)?.[1];
    if (quote !== undefined && after === quote)
      return { form: "tag", start, end, address: at, name };
    at = text.indexOf(target, at + 1);
  }
  return undefined;
}

/** Behind the `>` of a tag; what stands in quotes and braces is passed over. */
function endOfTag(text: string, start: number): number {
  const limit = Math.min(text.length, start + longestTag);
  const marks = /[{}>"'`]/g;
  marks.lastIndex = start + 1;
  let depth = 0;
  for (let mark = marks.exec(text); mark !== null && mark.index < limit; mark = marks.exec(text)) {
    if (mark[0] === "{") depth += 1;
    else if (mark[0] === "}") depth -= 1;
    else if (mark[0] !== ">") {
      const close = text.indexOf(mark[0], mark.index + 1);
      if (close !== -1 && close < limit) marks.lastIndex = close + 1;
    } else if (depth <= 0) return mark.index + 1;
  }
  return limit;
}

/**
 * The edits that take links away and leave their words: Markdown links become their text, as do `<a>`; other
 * elements lose their `href`; a definition goes with the last link that names it. A link for which there are
 * none keeps its address.
 */
export function unlinkEdits(
  page: LinkedText,
  links: readonly NamedLink[],
): ReadonlyMap<NamedLink, readonly TextEdit[]> {
  const { text } = page;
  const edits = new Map<NamedLink, TextEdit[]>();
  const uses = new Map<string, { definition: Definition; count: number }>();
  for (const named of links) {
    const link = page.find(named);
    const own = link === undefined ? [] : unlinkOne(text, link, named.target);
    if (own.length > 0) edits.set(named, own);
    if (link?.form !== "reference") continue;
    const { definition } = link;
    const use = uses.get(definition.name) ?? { definition, count: 0 };
    uses.set(definition.name, { definition, count: use.count + 1 });
    if (use.count + 1 !== usesOf(text, definition.name)) continue;
    own.push({ start: definition.start, end: definition.end, text: "" });
  }
  return edits;
}

function unlinkOne(text: string, link: FoundLink, target: string): TextEdit[] {
  if (link.form !== "tag") {
    const { start, end, label } = link;
    return [{ start, end, text: text.slice(label.start, label.end) }];
  }
  const { start, end, address, name } = link;
  if (name === "a") {
    const close = text.indexOf("</a>", end);
    const inside = text.slice(end, Math.min(close, end + longestTag));
    const isPlain = close !== -1 && close - end <= longestTag && !/<a[\s>]/.test(inside);
    const closing = { start: close, end: close + "</a>".length, text: "" };
    return isPlain ? [{ start, end, text: "" }, closing] : [];
  }
  const before = /\s+href\s*=\s*(\{?)\s*["'`]$/.exec(
    text.slice(Math.max(start, address - 50), address),
  );
  const after = /^["'`](?:\s*(\}))?/.exec(
    text.slice(address + target.length, address + target.length + 20),
  );
  if (before === null || after === null) return [];
  const isExpression = before[1] === "{";
  if (isExpression && after[1] === undefined) return [];
  const last = address + target.length + (isExpression ? after[0].length : 1);
  return [{ start: address - before[0].length, end: last, text: "" }];
}

/** How often links name a definition, by what stands in brackets and opens neither an address nor a definition. */
function usesOf(text: string, name: string): number {
  let count = 0;
  for (const [, inside = ""] of text.matchAll(/\[([^[\]\n]{1,999})\](?![[(:])/g)) {
    if (foldName(inside) === name) count += 1;
  }
  for (const [, inside = ""] of text.matchAll(/\[([^[\]\n]{1,999})\]\[\]/g)) {
    if (foldName(inside) === name) count += 1;
  }
  return count;
}
