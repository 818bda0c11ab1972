import { limits } from "../core/index.ts";
import { parseModule } from "./script/script.ts";
import { isVoidElement } from "./html-syntax.ts";
import {
  createCodeSpanIndex,
  findFrontmatter,
  readFenceLine,
  type CodeSpanIndex,
  type OpenFence,
} from "../text/index.ts";
import { isNameCode, maxTokens, ScriptScan, type ScriptRegion } from "./script/script-scan.ts";

/** The reason why a text must not reach the Markdown parser unchanged. */
interface Hazard {
  /**
   * The values `depth` and `work` reject the page. The value `script` means that the text at `offset` looks like a
   * script but is too long to be a script. Such text is harmless as plain text.
   */
  readonly reason: "depth" | "work" | "script";
  readonly offset: number;
  readonly message: string;
}

export interface Screening {
  readonly hazard?: Hazard;
  /**
   * Ranges without syntax (code, strings, comments), as start, end, start, end, ... Empty if the ranges have too few
   * special characters to hide harmful nesting. Callers must mark the ranges before parsing, so that a parser that
   * disagrees about which text is code does not find nesting that was not counted.
   */
  readonly hiddenRanges: readonly number[];
  /** The estimated nanoseconds that the quadratic parts of parsing take. */
  readonly workNanoseconds: number;
  /** The first void element without a slash (`<br>`), which is invalid in MDX. */
  readonly voidTag?: { readonly name: string; readonly offset: number };
  /** The ends of the opening tags of void elements with a closing tag, which is valid in MDX: `<br></br>`. */
  readonly closedVoids: ReadonlySet<number>;
}

/** An element whose closing tag has not been found yet. */
interface OpenElement {
  readonly name: string;
  readonly offset: number;
  /** The end of the opening tag. */
  readonly end: number;
  readonly isVoid: boolean;
  /**
   * Whether the element is a void element and only other tags and expressions precede it on its line, so that its
   * closing tag may be in a later paragraph.
   */
  readonly isFlow: boolean;
}

/**
 * The number of special characters that cannot be nested deeply enough to crash the parser. The smallest crash took
 * 4,000.
 */
const maxHarmlessCharacters = 3_000;

/**
 * The maximum time, in nanoseconds, of the quadratic parts of parsing. The costs were measured with satteri 0.10.5: 5
 * for each pair of tags and expressions in one paragraph, 1.5 for each pair of a special character and a character in a
 * long non-ASCII line (such as a marked line), 0.5 for each pair of an empty line and a character of an ESM block. A
 * line that is one element or expression takes 7 bytes of memory for each block of the page, which are charged as 50
 * nanoseconds.
 */
export const maxParseNanoseconds = 4e9;

/**
 * The maximum number of lines, cells, blockquotes and list items in one page, each of which takes about a kilobyte of
 * memory.
 */
const maxParts = 200_000;

/**
 * Scans a page once, in linear time, to determine whether it is safe to parse. Deep nesting crashes the native parser
 * and with it the process, and some texts within the size limit take the parser minutes.
 */
export function screenText(text: string, format: "mdx" | "md"): Screening {
  return new Screen(text, format).run();
}

class Screen {
  readonly #text: string;
  readonly #isMdx: boolean;
  readonly #code: CodeSpanIndex;
  readonly #hidden: number[] = [];
  #hazard: Hazard | undefined;
  #offset = 0;
  #openTags = 0;
  #work = 0;
  /** The number of tags and expressions so far in the paragraph. */
  #constructCount = 0;
  #isInParagraph = false;
  #blockCount = 0;
  #elementLineCount = 0;
  #partCount = 0;
  #voidTag: Screening["voidTag"];
  readonly #closedVoids = new Set<number>();
  /** The open elements, outermost first. */
  readonly #openElements: OpenElement[] = [];
  /**
   * The quotation marks that do not occur again in the remaining text. Text that needs a second quotation mark is not a
   * tag.
   */
  readonly #unclosedQuotes = new Set<number>();

  constructor(text: string, format: "mdx" | "md") {
    this.#text = text;
    this.#isMdx = format === "mdx";
    this.#code = createCodeSpanIndex(text);
  }

  run(): Screening {
    let fence: OpenFence | undefined;
    const frontmatter = findFrontmatter(this.#text);
    if (typeof frontmatter === "object") {
      const { textStart, text, bodyStart } = frontmatter;
      this.#hide(textStart, textStart + text.length);
      this.#offset = bodyStart;
    }
    while (this.#offset < this.#text.length && !this.#hazard) {
      const end = this.#findLineEnd();
      const line = this.#text.slice(this.#offset, end);
      const fenceLine = readFenceLine(line, fence);
      if (fenceLine.isCode) {
        if (fence && fenceLine.open) this.#hide(this.#offset, end);
        this.#endParagraph();
        this.#offset = end + 1;
      } else this.#scanLine(line, end);
      fence = fenceLine.open;
    }
    this.#work += this.#blockCount * this.#elementLineCount * 50;
    this.#endParagraph();
    for (const element of this.#openElements) if (element.isVoid) this.#reportVoid(element);
    const workNanoseconds = this.#work;
    const closedVoids = this.#closedVoids;
    if (this.#hazard)
      return { hazard: this.#hazard, hiddenRanges: [], workNanoseconds, closedVoids };
    const hiddenRanges = this.#isMdx && this.#hasManySigns() ? this.#hidden : [];
    const screening = { hiddenRanges, workNanoseconds, closedVoids };
    return this.#voidTag ? { ...screening, voidTag: this.#voidTag } : screening;
  }

  #findLineEnd(): number {
    const end = this.#text.indexOf("\n", this.#offset);
    return end === -1 ? this.#text.length : end;
  }

  #scanLine(line: string, end: number): void {
    const first = line.charAt(line.search(/\S/));
    if (first === "") {
      this.#endParagraph();
      this.#offset = end + 1;
      return;
    }
    const isInParagraph = this.#isInParagraph;
    // Most lines begin with a letter, with which no marker begins.
    const markers = markerStarts.includes(first) ? countMarkers(line) : 0;
    const isWhole = (first === "<" || first === "{") && isWholeElement(line);
    this.#weighLine(line, markers, isWhole);
    if (markers > limits.nesting) this.#report("depth", this.#offset, "quotes and lists");
    else if (this.#isMdx && (first === "i" || first === "e") && esmStart.test(line))
      this.#scanEsm(isInParagraph);
    else if (this.#isMdx) this.#scanInline(end);
    else this.#offset = end + 1;
  }

  #report(reason: Hazard["reason"], offset: number, what: string): void {
    const message =
      reason === "script"
        ? `This ${what} is longer than ${maxTokens} tokens or is not closed; it is shown as text. Write \`\\{\` to show a brace.`
        : `The ${what} are nested deeper than ${limits.nesting} levels here; the page was not rendered.`;
    this.#hazard ??= { reason, offset, message };
  }

  #endParagraph(): void {
    this.#work += this.#constructCount * this.#constructCount * 5;
    this.#constructCount = 0;
    this.#isInParagraph = false;
    this.#dropVoids(({ isFlow }) => !isFlow);
    this.#checkWork();
  }

  #checkWork(): void {
    if (this.#work > maxParseNanoseconds) this.#reportTooMuchWork();
  }

  #reportTooMuchWork(): void {
    const message =
      "The page has too many lines, tags and expressions up to here to be parsed in time; split it.";
    const offset = Math.min(this.#offset, this.#text.length);
    this.#hazard ??= { reason: "work", offset, message };
  }

  /** Adds the cost of a line. For each node in a line that is not ASCII, the parser recounts the line's columns. */
  #weighLine(line: string, markers: number, isWhole: boolean): void {
    if (!this.#isInParagraph) this.#blockCount++;
    this.#isInParagraph = true;
    if (this.#isMdx && isWhole) this.#elementLineCount++;
    this.#partCount += 1 + markers + (line.includes("|") ? line.split("|").length : 0);
    if (this.#partCount > maxParts) this.#reportTooMuchWork();
    if (line.length < 2_000) return;
    let signCount = 0;
    for (let at = 0; at < line.length; at++) {
      if (nodeCharacterFlags[line.charCodeAt(at)] === 1) signCount++;
    }
    this.#work += signCount * line.length * 1.5;
    this.#checkWork();
  }

  #hide = (start: number, end: number): void => {
    if (end > start) this.#hidden.push(start, end);
  };

  #hasManySigns(): boolean {
    const text = this.#text;
    let signCount = 0;
    for (let index = 0; index < this.#hidden.length; index += 2) {
      const end = this.#hidden[index + 1] ?? 0;
      for (let at = this.#hidden[index] ?? 0; at < end; at++) {
        const kind = nestingKinds[text.charCodeAt(at)] ?? 0;
        if (kind === 2 || (kind === 1 && !isNameCode(text.charCodeAt(at - 1)))) signCount++;
      }
      if (signCount > maxHarmlessCharacters) return true;
    }
    return false;
  }

  #scanEsm(isInParagraph: boolean): void {
    const start = this.#offset;
    const isWhole = (end: number) => {
      this.#work += (end - start) * 0.5;
      return (
        this.#work > maxParseNanoseconds || parseModule(this.#text.slice(start, end)) !== undefined
      );
    };
    const region = new ScriptScan(this.#text, start, { hide: this.#hide, isWhole }).scanEsm();
    this.#offset = region.end;
    this.#checkWork();
    if (!region.hazard) return;
    // A line of prose that begins with "export" must not be rejected as a deeply nested script.
    const reason = region.hazard === "depth" && !isInParagraph ? "depth" : "script";
    if (reason === "depth") this.#report(reason, region.end, "brackets of this import or export");
    else this.#report(reason, start, "import or export");
  }

  #scanInline(lineEnd: number): void {
    let end = lineEnd;
    while (this.#offset < end && !this.#hazard) {
      const code = this.#text.charCodeAt(this.#offset);
      if (code === 0x5c) this.#offset += this.#offset + 1 < end ? 2 : 1;
      else if (code === 0x60) this.#scanCodeSpan();
      else if (code === 0x7b) this.#scanExpression();
      else if (code === 0x3c) this.#scanTag();
      else this.#offset = Math.min(end, findFrom(inlineSign, this.#text, this.#offset + 1));
      if (this.#offset > end) end = this.#findLineEnd();
    }
    this.#offset = end + 1;
  }

  #scanExpression(): void {
    this.#constructCount++;
    const start = this.#offset;
    const region = new ScriptScan(this.#text, start, { hide: this.#hide }).scanBraces();
    this.#take(region, start, "expression");
  }

  #take(region: ScriptRegion, start: number, what: string): void {
    this.#offset = region.end;
    if (region.hazard === "depth") this.#report("depth", region.end, `brackets of this ${what}`);
    else if (region.hazard === "size" || (!region.isClosed && start + 40_000 < region.end)) {
      this.#report("script", start, what);
    }
  }

  #scanCodeSpan(): void {
    const span = this.#code.findAt(this.#offset);
    if (span) {
      this.#hide(span.content.start, span.content.end);
      this.#offset = span.end;
    } else while (this.#text.charCodeAt(this.#offset) === 0x60) this.#offset++;
  }

  #scanTag(): void {
    const text = this.#text;
    const start = this.#offset;
    const isEnd = text.charCodeAt(start + 1) === 0x2f;
    const nameStart = start + (isEnd ? 2 : 1);
    let end = nameStart;
    while (tagNameFlags[text.charCodeAt(end)] === 1) end++;
    this.#offset = end;
    if (end === nameStart && text.charCodeAt(end) !== 0x3e) return;
    const name = text.slice(nameStart, end);
    this.#constructCount++;
    const [nameEnd, hiddenLength] = [this.#offset, this.#hidden.length];
    const isSelfClosing = this.#scanAttributes();
    if (isSelfClosing === undefined) {
      if (this.#hazard) return;
      this.#offset = nameEnd;
      this.#hidden.length = hiddenLength;
      return;
    }
    if (isEnd) this.#closeElement(name);
    else if (!isSelfClosing) this.#openElement(name, start);
    if (this.#openTags > limits.nesting) this.#report("depth", start, "tags");
  }

  #openElement(name: string, offset: number): void {
    const isVoid = isVoidElement(name);
    if (!isVoid) this.#openTags++;
    this.#openElements.push({
      name,
      offset,
      end: this.#offset,
      isVoid,
      isFlow: isVoid && this.#isInFlow(offset),
    });
  }

  /** Reports whether only other elements or expressions precede the offset on its line. */
  #isInFlow(offset: number): boolean {
    const before = this.#text.slice(this.#text.lastIndexOf("\n", offset - 1) + 1, offset);
    return /^[ \t>]*(?:[<{].*[>}][ \t]*)?$/.test(before);
  }

  #closeElement(name: string): void {
    this.#dropVoids((element) => element.name !== name);
    const last = this.#openElements.at(-1);
    if (last?.name === name) this.#openElements.pop();
    if (last?.name === name && last.isVoid) this.#closedVoids.add(last.end);
    else this.#openTags = Math.max(0, this.#openTags - 1);
  }

  /** Removes the innermost void elements to which a closing tag cannot belong. */
  #dropVoids(isUnclosed: (element: OpenElement) => boolean): void {
    for (
      let last = this.#openElements.at(-1);
      last?.isVoid && isUnclosed(last);
      last = this.#openElements.at(-1)
    ) {
      this.#reportVoid(last);
      this.#openElements.pop();
    }
  }

  #reportVoid({ name, offset }: OpenElement): void {
    if (this.#voidTag === undefined || offset < this.#voidTag.offset)
      this.#voidTag = { name, offset };
  }

  /**
   * Moves past the `>` of a tag. Returns true if the tag ends with `/>`, otherwise false, or undefined if the text is
   * not a tag.
   */
  #scanAttributes(): boolean | undefined {
    while (this.#offset < this.#text.length) {
      const code = this.#text.charCodeAt(this.#offset);
      if (code === 0x3e) return this.#text[this.#offset++ - 1] === "/";
      if (code === 0x22 || code === 0x27) {
        if (!this.#scanQuoted(code)) return undefined;
      } else if (code === 0x7b) {
        this.#scanExpression();
        if (this.#hazard) return undefined;
      } else if (code === 0x3c || code === 0x60) return undefined;
      else this.#offset = findFrom(attributeSign, this.#text, this.#offset + 1);
    }
    return undefined;
  }

  #scanQuoted(quote: number): boolean {
    if (this.#unclosedQuotes.has(quote)) return false;
    const end = this.#text.indexOf(String.fromCharCode(quote), this.#offset + 1);
    if (end === -1) {
      this.#unclosedQuotes.add(quote);
      return false;
    }
    this.#hide(this.#offset + 1, end);
    this.#offset = end + 1;
    return true;
  }
}

const esmStart = /^(?:import|export)[ \t{*"']/;
/** Matches a character that begins a construct within a line, and the end of the line, so that a search ends there. */
const inlineSign = /[\\`{<\n]/g;
/** For each ASCII character, 1 if a tag's name can contain it, otherwise 0. */
const tagNameFlags = Uint8Array.from({ length: 128 }, (_, code) =>
  /[\w$.:-]/.test(String.fromCharCode(code)) ? 1 : 0,
);
const attributeSign = /[>"'{<`]/g;

/**
 * Returns the offset of the next match of a global pattern, or the text's length. This is faster than reading
 * characters.
 */
function findFrom(pattern: RegExp, text: string, offset: number): number {
  pattern.lastIndex = offset;
  return pattern.test(text) ? pattern.lastIndex - 1 : text.length;
}

/** For each ASCII character, 1 if it begins a node within a line, otherwise 0. */
const nodeCharacterFlags = Uint8Array.from({ length: 128 }, (_, code) =>
  "*_~[<{`&:@".includes(String.fromCharCode(code)) ? 1 : 0,
);

/** Reports whether a line consists of one element with content, or of expressions. */
function isWholeElement(line: string): boolean {
  const text = line.trim();
  if (text.startsWith("<")) return text.endsWith(">") && text.includes("</");
  return text.startsWith("{") && text.endsWith("}");
}

/**
 * The kind of each ASCII character: a character of kind 2 deepens a script's nesting, and a character of kind 1 does so
 * unless it joins names: `a-b`, `c/d`.
 */
const nestingKinds = Uint8Array.from({ length: 128 }, (_, code) => {
  if (isNameCode(code) || code <= 32) return 0;
  return "-/.,;#%&@".includes(String.fromCharCode(code)) ? 1 : 2;
});

const markerStarts = ">-*+0123456789";
const marker = /[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))/y;

/** Counts the levels of blockquotes and lists at the beginning of `line`. */
function countMarkers(line: string): number {
  let count = 0;
  marker.lastIndex = 0;
  while (marker.test(line)) count++;
  return count;
}
