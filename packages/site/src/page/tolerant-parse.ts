import { markdownToMdast, mdxToMdast } from "satteri";
import { limits } from "../core/index.ts";
import { LineIndex } from "../text/index.ts";
import { markAt, markRegions, restoreMarks } from "./marks.ts";
import type { ProblemList } from "./problem-list.ts";
import { appendAll, measureNodes, walkNodes, type RawAttribute, type RawNode } from "./raw-node.ts";
import { maxParseNanoseconds, screenText, type Screening } from "./screen.ts";
import { parseModule } from "./script/script.ts";
import {
  blankOutImports,
  findBrokenImports,
  findImportLines,
  findStrayImports,
  type ImportLines,
} from "./stray-imports.ts";
import { closeVoidTags, decodeEntities, isVoidElement } from "./html-syntax.ts";

/** The types of parents whose children are inline. */
const phrasingTypes = new Set([
  "paragraph",
  "heading",
  "emphasis",
  "strong",
  "delete",
  "link",
  "tableCell",
]);

/**
 * Converts HTML to elements around the nodes between the tags, in the same form as MDX elements. Markdown represents
 * HTML as fragments of text: `<div>` is in one node, and `</div>` is in a later node. An unclosed element ends with its
 * parent. Drops comments, and closing tags without an opening tag.
 */
function convertHtmlNodes(nodes: readonly RawNode[], isFlow = true): readonly RawNode[] {
  const hasHtml = nodes.some((node) => node.type === "html");
  const convertedNodes = nodes.map((node) => {
    if (!node.children) return node;
    const children = convertHtmlNodes(node.children, !phrasingTypes.has(node.type));
    return children === node.children ? node : { ...node, children };
  });
  if (!hasHtml)
    return convertedNodes.every((node, index) => node === nodes[index]) ? nodes : convertedNodes;
  const builder = new ElementBuilder(isFlow);
  for (const node of convertedNodes) {
    if (node.type === "html") builder.addHtml(node);
    else builder.add(node);
  }
  return builder.finish();
}

interface OpenElement {
  readonly name: string;
  readonly children: RawNode[];
}

const tag = /<(\/?)([a-zA-Z][\w.:-]*)/y;
const attribute = /[\s/]*([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/y;
const rawTextEnd = /<\/(?:script|style|textarea)/gi;
const tagEnd = /[\s]*(\/?)>/y;

class ElementBuilder {
  readonly #isFlow: boolean;
  readonly #root: RawNode[] = [];
  readonly #stack: OpenElement[] = [];
  readonly #openNames = new Map<string, number>();

  constructor(isFlow: boolean) {
    this.#isFlow = isFlow;
  }

  add(node: RawNode): void {
    (this.#stack.at(-1)?.children ?? this.#root).push(node);
  }

  finish(): readonly RawNode[] {
    return this.#root;
  }

  addHtml(node: RawNode): void {
    const html = node.value ?? "";
    let at = 0;
    while (at < html.length) {
      const next = html.indexOf("<", at);
      this.#addText(html.slice(at, next === -1 ? html.length : next), node);
      if (next === -1) return;
      at = this.#readTag(html, next, node);
    }
  }

  #addText(text: string, { position }: RawNode): void {
    if (text === "" || (this.#isFlow && !/\S/.test(text))) return;
    this.add({ type: "text", value: decodeEntities(text), ...(position && { position }) });
  }

  /** Reads the tag or comment that begins with the `<` at `at`; returns the offset after it. */
  #readTag(html: string, at: number, node: RawNode): number {
    if (html.startsWith("<!--", at)) return skipTo(html, "-->", at + 4);
    if (html[at + 1] === "!" || html[at + 1] === "?") return skipTo(html, ">", at + 1);
    tag.lastIndex = at;
    const match = tag.exec(html);
    if (!match) {
      this.#addText("<", node);
      return at + 1;
    }
    const name = match[2] ?? "";
    if (match[1] === "/") {
      this.#close(name);
      return skipTo(html, ">", at);
    }
    const { attributes, isSelfClosing, end } = readAttributes(html, tag.lastIndex);
    this.#open(name, attributes, isSelfClosing, node);
    if (isSelfClosing || !/^(?:script|style|textarea)$/i.test(name)) return end;
    rawTextEnd.lastIndex = end;
    const stop = rawTextEnd.exec(html)?.index ?? html.length;
    if (stop > end) this.add({ ...node, type: "text", value: html.slice(end, stop) });
    return stop;
  }

  #open(
    name: string,
    attributes: readonly RawAttribute[],
    isSelfClosing: boolean,
    { position }: RawNode,
  ): void {
    const children: RawNode[] = [];
    this.add({
      type: this.#isFlow ? "mdxJsxFlowElement" : "mdxJsxTextElement",
      name,
      attributes,
      children,
      ...(position && { position }),
    });
    if (isSelfClosing || isVoidElement(name) || this.#stack.length >= limits.nesting) return;
    this.#stack.push({ name, children });
    this.#openNames.set(name, (this.#openNames.get(name) ?? 0) + 1);
  }

  #close(name: string): void {
    if (!this.#openNames.get(name)) return;
    for (let open = this.#stack.pop(); open; open = this.#stack.pop()) {
      this.#openNames.set(open.name, (this.#openNames.get(open.name) ?? 1) - 1);
      if (open.name === name) return;
    }
  }
}

function skipTo(html: string, end: string, from: number): number {
  const found = html.indexOf(end, from);
  return found === -1 ? html.length : found + end.length;
}

function readAttributes(
  html: string,
  from: number,
): { attributes: RawAttribute[]; isSelfClosing: boolean; end: number } {
  const attributes: RawAttribute[] = [];
  let at = from;
  for (;;) {
    tagEnd.lastIndex = at;
    const end = tagEnd.exec(html);
    if (end) return { attributes, isSelfClosing: end[1] === "/", end: tagEnd.lastIndex };
    attribute.lastIndex = at;
    const match = attribute.exec(html);
    if (!match) return { attributes, isSelfClosing: false, end: skipTo(html, ">", at) };
    at = attribute.lastIndex;
    const value = match[2] ?? match[3] ?? match[4];
    attributes.push({
      type: "mdxJsxAttribute",
      name: match[1] ?? "",
      value: value === undefined ? null : decodeEntities(value),
    });
  }
}

export interface ParsedText {
  /** The text to which the offsets of nodes refer. */
  readonly text: string;
  readonly nodes: readonly RawNode[];
  /** The imports that MDX would have read as text. In `text`, they are replaced with spaces. */
  readonly strayImports?: readonly ImportLines[];
}

/**
 * Limits on the number of times that a page is repaired and parsed again, and on the total number of parsed characters.
 */
const maxRepairs = 40;
const maxParsedCharacters = 4 * limits.pageBytes;

/**
 * Parses MDX. Shows invalid syntax as text and reports it as an error. Reads a page as Markdown if it has more invalid
 * syntax than can be repaired. Reports a problem and returns undefined if the page must not be parsed.
 */
export function parseMdx(
  text: string,
  file: string,
  problems: ProblemList,
): ParsedText | undefined {
  const added = new AddedLines();
  let current = text;
  let [parsedCharacters, totalWork] = [0, 0];
  const blankedImports: ImportLines[] = [];
  for (let attempt = 0; attempt < maxRepairs; attempt++) {
    const screening = screenText(current, "mdx");
    parsedCharacters += current.length;
    totalWork += screening.workNanoseconds;
    const isAffordable =
      parsedCharacters <= maxParsedCharacters && totalWork <= maxParseNanoseconds;
    if (!isAffordable && !screening.hazard) break;
    const outcome = parseScreened(current, screening);
    if ("nodes" in outcome) {
      if (isTooDeep(outcome.nodes)) return refuse(text, file, problems);
      const strayImports = findStrayImports(findImportLines(current), outcome.nodes);
      if (strayImports.length === 0) {
        added.restoreIn(outcome.nodes);
        return { ...outcome, strayImports: blankedImports };
      }
      appendAll(blankedImports, strayImports);
      current = blankOutImports(current, strayImports);
      continue;
    }
    const brokenImports = findBrokenImports(findImportLines(current), outcome.offset);
    if (brokenImports.length > 0) {
      appendAll(blankedImports, brokenImports);
      current = blankOutImports(current, brokenImports);
      continue;
    }
    const parsedPosition = new LineIndex(current).locationAt(file, outcome.offset);
    const position = { ...parsedPosition, line: added.findOriginalLine(parsedPosition.line) };
    if (outcome.text === undefined) {
      problems.error(outcome.code, outcome.message, position);
      if (outcome.isRefused) return undefined;
      break;
    }
    if (outcome.isValid === true) {
      current = outcome.text;
      if (outcome.joinedLine !== undefined) added.remove(outcome.joinedLine);
      continue;
    }
    if (outcome.isRepaired) problems.warn(outcome.code, outcome.message, position);
    else problems.error(outcome.code, outcome.message, position);
    current = outcome.text;
    if (outcome.addedLine !== undefined) added.add(outcome.addedLine);
  }
  problems.error(
    "invalid_mdx",
    "Too much of this page is not valid MDX; the page is shown as plain Markdown.",
    { file, line: 1, column: 1 },
  );
  return parseMarkdown(text, file, problems);
}

/** Parses CommonMark with GFM, and HTML as elements. Reports a page that must not be parsed and returns undefined. */
export function parseMarkdown(
  text: string,
  file: string,
  problems: ProblemList,
): ParsedText | undefined {
  const { hazard } = screenText(text, "md");
  if (hazard) {
    const location = new LineIndex(text).locationAt(file, hazard.offset);
    problems.error(
      `page_too_${hazard.reason === "depth" ? "deep" : "slow"}`,
      hazard.message,
      location,
    );
    return undefined;
  }
  const root: RawNode = markdownToMdast(text);
  const nodes = root.children ?? [];
  return isTooDeep(nodes) ? refuse(text, file, problems) : { text, nodes: convertHtmlNodes(nodes) };
}

/** Reports whether the nesting of lists, emphasis and elements exceeds the depth to which later stages can recurse. */
function isTooDeep(nodes: readonly RawNode[]): boolean {
  return measureNodes(nodes).depth > limits.nesting;
}

function refuse(text: string, file: string, problems: ProblemList): undefined {
  const message = `The page is nested deeper than ${limits.nesting} levels; it was not rendered.`;
  problems.error("page_too_deep", message, new LineIndex(text).locationAt(file, 0));
}

/**
 * Searches for the angle bracket first, because it is rare in text. Testing the start of each line would take three
 * times as long.
 */
const componentTag = /<(?<=^ {0,3}<)[A-Z]/m;

/** Reports whether a Markdown file uses components, so that it is worth trying to parse it as MDX. */
export function hasComponents(text: string): boolean {
  return componentTag.test(text);
}

/** Parses MDX without repairs. Returns undefined if any of `text` is invalid. */
export function parseStrictMdx(text: string): ParsedText | undefined {
  const outcome = parseScreened(text, screenText(text, "mdx"));
  return "nodes" in outcome && !isTooDeep(outcome.nodes) ? outcome : undefined;
}

interface Failure {
  readonly code: string;
  readonly message: string;
  readonly offset: number;
  /** The text with the rejected syntax repaired or marked as text; undefined if neither is possible. */
  readonly text?: string;
  /** Whether the page must not be parsed at all. */
  readonly isRefused?: boolean;
  /** Whether the repair matches the author's intent, so that a warning is enough. */
  readonly isRepaired?: boolean;
  /** The line that the repair added to `text`. */
  readonly addedLine?: number;
  /** Whether the rejected syntax is valid MDX, so that there is nothing to report. */
  readonly isValid?: boolean;
  /** The line of `text` to which the repair joined the next line. */
  readonly joinedLine?: number;
}

function parseScreened(
  text: string,
  { hazard, hiddenRanges, voidTag, closedVoids }: Screening,
): ParsedText | Failure {
  if (hazard) {
    const { reason, message, offset } = hazard;
    if (reason === "script") {
      return { code: "invalid_mdx", message, offset, text: markAt(text, [offset]) };
    }
    const code = reason === "depth" ? "page_too_deep" : "page_too_slow";
    return { code, message, offset, isRefused: true };
  }
  const closedText = voidTag && closeVoidTags(text, voidTag.name, closedVoids);
  if (voidTag && closedText !== undefined)
    return buildUnclosedVoidFailure(voidTag.name, voidTag.offset, closedText);
  const markedText = hiddenRanges.length > 0 ? markRegions(text, hiddenRanges) : text;
  try {
    const root: RawNode = mdxToMdast(markedText);
    const nodes = root.children ?? [];
    return findInvalidEsm(nodes, text) ?? { text: markedText, nodes };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return repair(text, error.message);
  }
}

function buildUnclosedVoidFailure(name: string, offset: number, text: string): Failure {
  const message = `MDX requires elements without content to be closed; write <${name} />.`;
  return { code: "unclosed_tag", message, offset, text, isRepaired: true };
}

/** Finds text that begins like ESM but is not ESM ("export the file"). */
function findInvalidEsm(nodes: readonly RawNode[], text: string): Failure | undefined {
  if (!/^(?:import|export)/m.test(text)) return undefined;
  for (const node of walkNodes(nodes)) {
    if (node.type !== "mdxjsEsm") continue;
    if (parseModule(restoreMarks(node.value ?? ""))) continue;
    const offset = node.position?.start.offset ?? 0;
    return {
      code: "invalid_esm",
      message:
        "In MDX, a line that begins with `import` or `export` must be JavaScript; this line is shown as text.",
      offset,
      text: markAt(text, [offset]),
    };
  }
  return undefined;
}

const locatedMessage = /^(\d+):(\d+): ([^]*?)(?: \([\w-]+:[\w-]+\))?$/;

/** Matches `<https://...>` and `<name@host>`, which are valid in Markdown but not in MDX. */
const autolink = /^<(?:[a-z][a-z\d+.-]{1,31}:[^\s<>]+|[^\s<>@]+@[^\s<>@]+)>/i;

const scriptFault = /^Could not parse (expression|esm) with oxc(?:: (.*))?$/s;

/** Rewords the parser's reason for writers: replaces parser terms and positions that mean nothing to them. */
function describeReason(reason: string): string {
  const [found, part, fault] = scriptFault.exec(reason) ?? [];
  if (found === undefined) {
    const isPlaced = reason.startsWith("Expected a closing tag");
    return reason.replace(/ \((\d+):\d+\)$/, isPlaced ? "" : " of line $1");
  }
  const what = part === "esm" ? "the import or export" : "the expression in braces";
  const why = fault === undefined ? "" : ` (${fault.slice(0, 1).toLowerCase()}${fault.slice(1)})`;
  return `${what} is not valid JavaScript${why}`;
}

/** Finds the syntax that the parser rejected, and repairs it or marks it as text. */
function repair(text: string, message: string): Failure {
  const match = locatedMessage.exec(message);
  const reason = match?.[3] ?? message;
  const index = new LineIndex(text);
  const at = match ? index.offsetOf(Number(match[1]), Number(match[2])) : 0;
  const link = autolink.exec(text.slice(at, at + 2_000))?.[0];
  if (link !== undefined) {
    return {
      code: "autolink",
      message: `MDX does not allow ${link}; write the bare address, or [text](address).`,
      offset: at,
      text: `${text.slice(0, at)} ${link.slice(1, -1)} ${text.slice(at + link.length)}`,
      isRepaired: true,
    };
  }
  const joinResult = joinTagEnd(text, at);
  if (joinResult !== undefined) {
    return { code: "invalid_mdx", message: reason, offset: at, isValid: true, ...joinResult };
  }
  const splitResult = splitTagLine(text, { reason, at }, index);
  if (splitResult) {
    return { code: "unclosed_tag", ...splitResult, addedLine: splitResult.line, isRepaired: true };
  }
  const sign = /expression|brace/.test(reason) ? "{" : "<";
  const offset = text.lastIndexOf(sign, at);
  const failure = {
    code: reason.startsWith("Expected a closing tag") ? "unclosed_tag" : "invalid_mdx",
    message: `This is not valid MDX and is shown as text: ${describeReason(reason)}.`,
    offset: Math.max(0, offset === -1 ? at : offset),
  };
  return offset === -1 ? failure : { ...failure, text: markAt(text, [offset]) };
}

/** Matches an opening tag whose `>` begins a line. */
const brokenTag =
  /<[\w.]+(?:\s+[\w:-]+(?:=(?:"[^"]*"|'[^']*'|\{(?:[^{}]|\{[^{}]*\})*\}))?)*[ \t]*\n[ \t]*>/y;

/** Joins the last two lines of an opening tag if its `>` begins a line, because that `>` would begin a blockquote. */
function joinTagEnd(
  text: string,
  at: number,
): { readonly text: string; readonly joinedLine: number } | undefined {
  brokenTag.lastIndex = at;
  const [tag] = brokenTag.exec(text) ?? [];
  if (tag === undefined) return undefined;
  const end = text.slice(0, at) + tag.replace(/\s*>$/, " >");
  return { text: end + text.slice(at + tag.length), joinedLine: end.split("\n").length };
}

/** Text in which a tag was moved to its own line. */
interface SplitText {
  readonly text: string;
  /** The 1-based number, in `text`, of the added line. */
  readonly line: number;
  /** The offset of the tag in the text before the change. */
  readonly offset: number;
  /** The change that the author should make. */
  readonly message: string;
}

const closingTagExpected = /^Expected the closing tag `<\/([\w.]{1,100})>` either after the end of/;
const openingTagUnclosed =
  /^Expected a closing tag for `<([A-Z][\w.]{0,99})>` \((\d+):(\d+)\) before the end of/;

/**
 * Repairs an element that begins on its own line and ends in a paragraph, or vice versa. MDX requires both tags to be
 * in the same line of text, or each to be on its own line. `reason` and the offset `at` come from the parser. Returns
 * undefined if the parser's error has a different cause.
 */
function splitTagLine(
  text: string,
  error: { readonly reason: string; readonly at: number },
  index: LineIndex,
): SplitText | undefined {
  const closing = closingTagExpected.exec(error.reason)?.[1];
  if (closing !== undefined && text.startsWith("</", error.at) && !startsLine(text, error.at)) {
    const message = `MDX requires the closing tag of a multi-line element to be on its own line; move </${closing}> to its own line.`;
    return { ...splitAt(text, error.at), offset: error.at, message };
  }
  const opening = openingTagUnclosed.exec(error.reason);
  if (!opening) return undefined;
  const offset = index.offsetOf(Number(opening[2]), Number(opening[3]));
  openingTag.lastIndex = offset;
  if (!startsLine(text, offset) || !openingTag.test(text)) return undefined;
  const message = `MDX requires the opening tag of a multi-paragraph element to be on its own line; put the content after <${opening[1]}> on the next line.`;
  return { ...splitAt(text, openingTag.lastIndex), offset, message };
}

/** Matches an opening tag with simple attributes that is followed by other characters on its line. */
const openingTag = /<[\w.]+(?:\s+[\w:-]+(?:=(?:"[^"]*"|'[^']*'|\{[^{}]*\}))?)*\s*>(?=[ \t]*[^\s])/y;

function startsLine(text: string, offset: number): boolean {
  return !/[^ \t>]/.test(text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset));
}

/** Inserts a line break at `offset`, followed by the indentation and blockquote markers of the line before it. */
function splitAt(text: string, offset: number): { text: string; line: number } {
  const before = text.slice(0, offset);
  const prefix = /^[ \t>]*/.exec(before.slice(before.lastIndexOf("\n") + 1))?.[0] ?? "";
  const line = before.split("\n").length + 1;
  return { text: `${before}\n${prefix}${text.slice(offset)}`, line };
}

/** The lines that were added to a text or joined in it, for mapping positions back to the author's file. */
class AddedLines {
  /** The first line after each change (1-based in the text with all changes), and the number of added lines. */
  #changes: { readonly line: number; readonly by: 1 | -1 }[] = [];

  /** Records an added line. `line` is 1-based in the text with this line and all previous changes. */
  add(line: number): void {
    this.#change(line, 1);
  }

  /** Records that the line after `line` was joined to `line`. */
  remove(line: number): void {
    this.#change(line + 1, -1);
  }

  #change(line: number, by: 1 | -1): void {
    const movedChanges = this.#changes.map((other) =>
      other.line >= line ? { ...other, line: other.line + by } : other,
    );
    this.#changes = [...movedChanges, { line, by }];
  }

  /** Returns the line number in the author's file that corresponds to `line` in the text. */
  findOriginalLine(line: number): number {
    let original = line;
    for (const change of this.#changes) if (change.line <= line) original -= change.by;
    return original;
  }

  /**
   * Changes the line numbers of `nodes` to the line numbers in the author's file. Their offsets still refer to the
   * text.
   */
  restoreIn(nodes: readonly RawNode[]): void {
    if (this.#changes.length === 0) return;
    for (const { position } of walkNodes(nodes)) {
      if (!position) continue;
      const points: { line: number }[] = [position.start, position.end];
      for (const point of points) point.line = this.findOriginalLine(point.line);
    }
  }
}
