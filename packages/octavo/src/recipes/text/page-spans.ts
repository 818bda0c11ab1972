import {
  createCodeSpanIndex,
  findBodyStart,
  readFenceLine,
  readFrontmatterFields,
} from "@octavo/site/text";
import type { CodeSpanIndex, OpenFence, TextRange } from "@octavo/site/text";

const metadataKeys: ReadonlySet<string> = new Set(
  "title sidebarTitle description og:title og:description twitter:title twitter:description".split(
    " ",
  ),
);

/** The attributes of components whose values readers see. */
const textAttributes: ReadonlySet<string> = new Set(
  "title sidebarTitle description label alt caption tip headline cta placeholder summary subtitle heading tag".split(
    " ",
  ),
);

/** Elements whose content is not prose. */
const opaqueElements: ReadonlySet<string> = new Set(
  "pre code kbd samp script style svg Latex".split(" "),
);

/** Matches everything that may end a span of prose. A bare address must not directly follow a letter. */
const stopPattern = /[\\<{\]$]|`+|\bhttps?:\/\/|\bwww\.|\bmailto:/g;
const addressPattern = /[^\s<>"'`)\]}]*/y;
const tagNamePattern = /\/?[A-Za-z][\w.:-]*/y;
const attributeNamePattern = /[^\s=>/"'{}]+/y;
/** The maximum nesting of parentheses in a link's address, which limits how often text is scanned again. */
const maxParenthesisDepth = 8;
const maxAddressLength = 2_000;

/** A part of a page's source that contains words, `[start, end)`. */
export interface Span {
  /**
   * `prose` is text that readers see between markup. `attribute` is text in a component, such as a card's title.
   * `metadata` is text in the frontmatter. `code` is text in fences and between backticks.
   */
  readonly kind: "prose" | "attribute" | "metadata" | "code";
  readonly start: number;
  readonly end: number;
}

/**
 * Returns the spans of a page that contain words, in order. Everything else (tags, addresses, imports, expressions,
 * comments, IDs, other frontmatter) is not part of a span. Takes linear time and never throws. The text after unclosed
 * markup is not treated as prose.
 */
export function listPageSpans(text: string): readonly Span[] {
  return splitPageBlocks(text).flatMap((block): Span[] => {
    if (block.kind === "code") return [{ kind: "code", start: block.start, end: block.end }];
    if (block.kind === "text") return new InlineScanner(text, block.start, block.end).scan();
    return block.kind === "frontmatter" ? listMetadataSpans(text, block.end) : [];
  });
}

function listMetadataSpans(text: string, end: number): Span[] {
  return readFrontmatterFields(text.slice(0, end))
    .filter(({ key }) => metadataKeys.has(key))
    .map(({ valueStart, valueEnd }) => ({ kind: "metadata", start: valueStart, end: valueEnd }));
}

/** The end of markup, or of prose that looks like markup. */
interface SkippedText {
  readonly end: number;
  readonly isProse: boolean;
}

/** Finds the spans between the markup of `[start, end)`, which is a text block. Takes linear time. */
class InlineScanner {
  readonly #text: string;
  readonly #end: number;
  readonly #spans: Span[] = [];
  readonly #code: CodeSpanIndex;
  #offset: number;

  constructor(text: string, start: number, end: number) {
    this.#text = text;
    this.#offset = start;
    this.#end = end;
    this.#code = createCodeSpanIndex(text);
  }

  scan(): Span[] {
    let from = this.#offset;
    while (this.#offset < this.#end) {
      stopPattern.lastIndex = this.#offset;
      const stop = stopPattern.exec(this.#text);
      if (stop === null || stop.index >= this.#end) break;
      this.#offset = stop.index;
      const spansBefore = this.#spans.length;
      const { end, isProse } = this.#skip(stop[0]);
      if (!isProse) {
        // The spans inside the markup were added first, but the prose before the markup must precede them.
        const innerSpans = this.#spans.splice(spansBefore);
        this.#add("prose", from, stop.index);
        this.#spans.push(...innerSpans);
        from = Math.min(end, this.#end);
      }
      this.#offset = Math.min(end, this.#end);
    }
    this.#add("prose", from, this.#end);
    return this.#spans;
  }

  #add(kind: Span["kind"], start: number, end: number): void {
    if (end > start) this.#spans.push({ kind, start, end });
  }

  /** Reads the text that begins at `stop`. It is either markup that ends at `end`, or prose that looks like markup. */
  #skip(stop: string): SkippedText {
    const at = this.#offset;
    if (stop.startsWith("`")) return this.#readCodeSpan(stop);
    switch (stop) {
      case "\\":
        return { end: at + 2, isProse: true };
      case "<":
        return this.#readAngleBracket();
      case "{":
        return { end: skipExpression(this.#text, at, this.#end), isProse: false };
      case "]":
        return this.#readLinkEnd();
      case "$":
        return this.#readMath();
      default:
        addressPattern.lastIndex = at;
        return { end: at + (addressPattern.exec(this.#text)?.[0].length ?? 1), isProse: false };
    }
  }

  #readCodeSpan(marks: string): SkippedText {
    const span = this.#code.findAt(this.#offset);
    if (span === undefined || span.end > this.#end) {
      return { end: this.#offset + marks.length, isProse: true };
    }
    this.#add("code", span.content.start, span.content.end);
    return { end: span.end, isProse: false };
  }

  #readAngleBracket(): SkippedText {
    const at = this.#offset;
    if (this.#text.startsWith("<!--", at)) {
      return { end: skipPast(this.#text, "-->", at, this.#end), isProse: false };
    }
    tagNamePattern.lastIndex = at + 1;
    const name = tagNamePattern.exec(this.#text)?.[0];
    if (this.#text.startsWith("<>", at)) return { end: at + 2, isProse: false };
    if (this.#text.startsWith("</>", at)) return { end: at + 3, isProse: false };
    if (name === undefined) return { end: at + 1, isProse: true };
    if (/^[a-z][a-z\d+.-]*:$/i.test(name) || this.#text[at + 1 + name.length] === "@") {
      return { end: skipPast(this.#text, ">", at, this.#end), isProse: false };
    }
    const { end, isClosed } = this.#readTag(at + 1 + name.length);
    if (!opaqueElements.has(name) || isClosed) return { end, isProse: false };
    return { end: skipPast(this.#text, `</${name}>`, end, this.#end), isProse: false };
  }

  /**
   * Returns the offset after the `>` of a tag, and adds spans for its text attributes. `isClosed` is true if the tag
   * ends in `/>`.
   */
  #readTag(from: number): { readonly end: number; readonly isClosed: boolean } {
    let at = from;
    while (at < this.#end) {
      const character = this.#text[at] ?? "";
      if (character === ">") return { end: at + 1, isClosed: this.#text[at - 1] === "/" };
      attributeNamePattern.lastIndex = at;
      const name = attributeNamePattern.exec(this.#text)?.[0];
      if (name !== undefined) at = this.#readAttribute(name, at + name.length);
      else if (character === "{") at = skipExpression(this.#text, at, this.#end);
      else at += 1;
    }
    return { end: this.#end, isClosed: false };
  }

  #readAttribute(name: string, from: number): number {
    const [equals = ""] = /^\s{0,20}=\s{0,20}/.exec(this.#text.slice(from, from + 41)) ?? [];
    if (equals === "") return from;
    const at = from + equals.length;
    const quote = this.#text[at] ?? "";
    if (quote === "{") return skipExpression(this.#text, at, this.#end);
    if (quote !== '"' && quote !== "'") return at;
    const end = skipPast(this.#text, quote, at + 1, this.#end);
    if (textAttributes.has(name)) this.#add("attribute", at + 1, end - 1);
    return end;
  }

  /** Reads `](address)`, `][label]`, `]: address` or a plain bracket. */
  #readLinkEnd(): SkippedText {
    const at = this.#offset;
    const next = this.#text[at + 1];
    if (next === "(") {
      const end = skipAddress(this.#text, at + 2, this.#end);
      return end === undefined ? { end: at + 1, isProse: true } : { end, isProse: false };
    }
    if (next === ":" && /[ \t]/.test(this.#text[at + 2] ?? "")) {
      addressPattern.lastIndex = at + 3;
      return { end: at + 3 + (addressPattern.exec(this.#text)?.[0].length ?? 0), isProse: false };
    }
    return { end: at + 1, isProse: true };
  }

  /** Reads `$x$` within a line if it looks like math rather than prices. */
  #readMath(): SkippedText {
    const found = /^\$\$?[^\s$][^$\n]{0,500}\$/.exec(
      this.#text.slice(this.#offset, this.#offset + 510),
    );
    const looksLikeMath = found !== null && /[\\^_={}]/.test(found[0]);
    if (!looksLikeMath) return { end: this.#offset + 1, isProse: true };
    return { end: this.#offset + found[0].length, isProse: false };
  }
}

/** Returns the offset after `mark`, or `end` if the mark does not occur. */
function skipPast(text: string, mark: string, from: number, end: number): number {
  const found = text.indexOf(mark, from);
  return found === -1 || found >= end ? end : found + mark.length;
}

/**
 * Returns the offset after the `}` that closes the expression at `from`. Strings and comments in the expression may
 * contain braces.
 */
function skipExpression(text: string, from: number, end: number): number {
  const marks = /[{}"'`]|\/\*/g;
  let depth = 0;
  let at = from;
  while (at < end) {
    marks.lastIndex = at;
    const mark = marks.exec(text);
    if (mark === null || mark.index >= end) return end;
    at = mark.index + mark[0].length;
    if (mark[0] === "{") depth += 1;
    else if (mark[0] === "}") depth -= 1;
    else if (mark[0] === "/*") at = skipPast(text, "*/", at, end);
    else at = skipString(text, mark[0], at, end);
    if (depth === 0) return at;
  }
  return end;
}

/**
 * Returns the offset after a quoted string. A string in single or double quotation marks ends at the end of its line.
 */
function skipString(text: string, quote: string, from: number, end: number): number {
  const marks = quote === "`" ? /[\\`]/g : /[\\\n"']/g;
  let at = from;
  while (at < end) {
    marks.lastIndex = at;
    const mark = marks.exec(text);
    if (mark === null || mark.index >= end) return end;
    at = mark.index + 1;
    if (mark[0] === "\\") at += 1;
    else if (mark[0] === quote || mark[0] === "\n") return at;
  }
  return end;
}

/** Returns the offset after the `)` of a link's address; undefined if there is no address. */
function skipAddress(text: string, from: number, end: number): number | undefined {
  const last = Math.min(end, from + maxAddressLength);
  let depth = 1;
  for (let at = from; at < last; at++) {
    const character = text[at];
    if (character === "\\") at += 1;
    else if (character === "\n" && text[at + 1] === "\n") return undefined;
    else if (character === "(") depth += 1;
    else if (character === ")") depth -= 1;
    if (depth === 0) return at + 1;
    if (depth > maxParenthesisDepth) return undefined;
  }
  return undefined;
}

/** A range of lines in a page's source, `[start, end)`. */
interface TextBlock {
  readonly kind: "frontmatter" | "text" | "code" | "markup";
  readonly start: number;
  readonly end: number;
}

const moduleLinePattern = /^(?:import|export)\b[ \t{*]/;

/**
 * Splits a page into frontmatter, fenced code, math, imports and exports, and text. Reads each line once, in linear
 * time. The content of a fence is `code`, and its delimiters are `markup`. Adjacent blocks of the same kind are merged,
 * so that paragraphs are not split.
 */
export function splitPageBlocks(text: string): TextBlock[] {
  const blocks: TextBlock[] = [];
  let at = findBodyStart(text);
  if (at > 0) blocks.push({ kind: "frontmatter", start: 0, end: at });
  let fence: OpenFence | undefined;
  let isAfterBlank = true;
  while (at < text.length) {
    const line = text.slice(at, findLineEnd(text, at));
    const { open, isCode } = readFenceLine(line, fence);
    const isWithin = fence !== undefined && open === fence;
    const block = isCode
      ? ({ kind: isWithin ? "code" : "markup", start: at, end: at + line.length } as const)
      : readProseBlock(text, line, { start: at, isAfterBlank });
    const last = blocks.at(-1);
    if (last?.kind === block.kind) blocks[blocks.length - 1] = { ...last, end: block.end };
    else blocks.push(block);
    isAfterBlank = line.trim() === "";
    fence = open;
    at = block.end;
  }
  return blocks;
}

function readProseBlock(
  text: string,
  line: string,
  { start, isAfterBlank }: { readonly start: number; readonly isAfterBlank: boolean },
): TextBlock {
  const end = start + line.length;
  if (line.trim() === "$$") return { kind: "markup", start, end: findLine(text, "$$", end).end };
  if (isAfterBlank && moduleLinePattern.test(line)) {
    return { kind: "markup", start, end: findLine(text, "", end).start };
  }
  return { kind: "text", start, end };
}

/**
 * Returns the range of the first line from an offset that equals `mark` when trimmed; it is empty at the end of the
 * text.
 */
function findLine(text: string, mark: string, from: number): TextRange {
  for (let start = from; start < text.length; start = findLineEnd(text, start)) {
    const end = findLineEnd(text, start);
    if (text.slice(start, end).trim() === mark) return { start, end };
  }
  return { start: text.length, end: text.length };
}

/** Returns the offset after the next line break, or the end of the text. */
function findLineEnd(text: string, from: number): number {
  const at = text.indexOf("\n", from);
  return at === -1 ? text.length : at + 1;
}
