import { createCodeSpanIndex, readFenceLine, type OpenFence } from "../text/index.ts";
import { dollarMark, markFormula, restoreMarks } from "./marks.ts";
import type { MarkdownNode, FilePosition } from "./tree.ts";

/** The maximum length of a formula between single dollars. Longer text is prose between two prices. */
const maxInlineLength = 300;
/** The maximum length of a formula between double dollars. */
const maxDisplayLength = 10_000;

/**
 * Marks formulas (`$x$`, `$$x$$` and `<Latex>x</Latex>`) in a page's text, so that Markdown and MDX do not find syntax
 * in them. Pandoc's rule distinguishes formulas from prices: there is no space next to the dollars inside a formula and
 * no digit after the last dollar. `isFormula` also excludes `$28/mes o $37` and `$HOME/$USER`. Skips code. Takes linear
 * time.
 */
export function markFormulas(text: string): string {
  if (!formulaStart.test(text)) return text;
  const parts: string[] = [];
  let cursor = 0;
  for (const { start, end } of listParagraphs(text)) {
    const paragraph = text.slice(start, end);
    if (!formulaStart.test(paragraph)) continue;
    for (const formula of listFormulas(paragraph)) {
      const [from, to] = [start + formula.start, start + formula.end];
      parts.push(text.slice(cursor, from), markFormula(text.slice(from, to), formula.dollarCount));
      cursor = to;
    }
  }
  parts.push(text.slice(cursor));
  return parts.join("");
}

const formulaStart = /\$|<Latex>/;

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Yields each run of lines that are neither blank nor code. */
function* listParagraphs(text: string): Generator<Span> {
  let fence: OpenFence | undefined;
  let start = -1;
  let offset = 0;
  for (const line of text.split("\n")) {
    const fenceLine = readFenceLine(line, fence);
    fence = fenceLine.open;
    const isProse = !fenceLine.isCode && line.trim() !== "";
    if (isProse && start === -1) start = offset;
    if (!isProse && start !== -1) {
      yield { start, end: offset };
      start = -1;
    }
    offset += line.length + 1;
  }
  if (start !== -1) yield { start, end: text.length };
}

interface Formula extends Span {
  /** The number of dollars on each side; 0 inside `<Latex>`. */
  readonly dollarCount: 0 | 1 | 2;
}

/** Yields the formulas of one paragraph, in order. */
function* listFormulas(text: string): Generator<Formula> {
  const token = /\\[^]|`+|\$+|<Latex>/g;
  const codeSpans = createCodeSpanIndex(text);
  const lastElementEnd = text.lastIndexOf("</Latex>");
  for (let match = token.exec(text); match; match = token.exec(text)) {
    const [run] = match;
    if (run === "<Latex>" && match.index < lastElementEnd) {
      const end = text.indexOf("</Latex>", token.lastIndex);
      yield { start: token.lastIndex, end, dollarCount: 0 };
      token.lastIndex = end;
    }
    if (run.startsWith("`"))
      token.lastIndex = codeSpans.findAt(match.index)?.end ?? token.lastIndex;
    if (!run.startsWith("$") || run.length > 2) continue;
    const dollarCount = run.length === 1 ? 1 : 2;
    const end =
      dollarCount === 1 ? findInlineEnd(text, match.index) : findDisplayEnd(text, match.index);
    if (end === undefined) continue;
    yield { start: match.index, end, dollarCount };
    token.lastIndex = end;
  }
}

/** Returns the end of an inline formula, whose last dollar must not follow a space or a backslash. */
function findInlineEnd(text: string, start: number): number | undefined {
  if (/[\p{L}\p{N}$]/u.test(text.charAt(start - 1))) return undefined;
  const rest = text.slice(start + 1, start + 1 + maxInlineLength);
  const match = /^(?!\s)((?:[^$\\`]|\\[^])*?(?:[^\s$\\`]|\\[^]))\$(?![\p{L}\p{N}$])/u.exec(rest);
  return match?.[1] !== undefined && isFormula(match[1]) ? start + 1 + match[0].length : undefined;
}

function findDisplayEnd(text: string, start: number): number | undefined {
  const end = text.indexOf("$$", start + 2);
  if (end === -1 || end - start > maxDisplayLength) return undefined;
  const source = text.slice(start + 2, end);
  return source.trim() === "" || source.includes("`") ? undefined : end + 2;
}

/** Matches two adjacent words, which indicate prose unless the text also contains TeX characters. */
const adjacentWords = /\p{L}{2,}[\s,;:]+\p{L}{2,}/u;
const texCharacter = /[\\^_={}]/;

/** Reports whether the text between two dollars is a formula, not an amount of money or a sentence. */
function isFormula(source: string): boolean {
  if (texCharacter.test(source)) return true;
  return !/^[\d.,]/.test(source) && !adjacentWords.test(source);
}

const markedFormula = new RegExp(`(${dollarMark}{1,2})([^${dollarMark}]+)\\1`, "g");

/** Splits the text of a node into text and formula nodes. Returns undefined if it has no formulas. */
export function splitFormulas(
  value: string,
  position: FilePosition,
): readonly MarkdownNode[] | undefined {
  if (!value.includes(dollarMark)) return undefined;
  const nodes: MarkdownNode[] = [];
  let cursor = 0;
  const pushText = (end: number) => {
    if (end > cursor) {
      nodes.push({ type: "text", value: restoreMarks(value.slice(cursor, end)), position });
    }
  };
  for (const { 0: whole, 1: dollars = "", 2: source = "", index } of value.matchAll(
    markedFormula,
  )) {
    pushText(index);
    const isDisplay = dollars.length === 2;
    nodes.push({ type: "inlineMath", value: restoreMarks(source).trim(), isDisplay, position });
    cursor = index + whole.length;
  }
  pushText(value.length);
  return nodes;
}
