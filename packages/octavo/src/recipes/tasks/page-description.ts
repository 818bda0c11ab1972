import { inlineCodeSpans, inlineText } from "@octavo/site/text";
import { pageBlocks } from "../text/page-blocks.ts";

/** What search engines show; less says nothing. */
const [shortest, longest] = [50, 160];
/** Scripts without blanks say as much in a third of the characters. */
const dense = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const shortestDense = 18;

/** Paragraphs that are looked at from the page's beginning. */
const maxParagraphs = 6;
const paragraphLength = 4_000;

/** A line that is no sentence: a heading, a list, a table, a quotation, a tag, an expression, a picture. */
const noSentence = /^\s*(?:#|[-*+] |\d+[.)] |\||>|<|\{|!\[|---|===|\[[^\]]+\]: )/;

/**
 * The page's own first sentences as a description of 50 to 160 characters; undefined where they make none.
 */
export function descriptionOf(page: string): string | undefined {
  let text = "";
  for (const paragraph of firstParagraphs(page)) {
    text = `${text} ${proseOf(paragraph)}`.trim();
    if (text.length >= shortest) break;
  }
  const min = dense.test(text) ? shortestDense : shortest;
  const cut = cutAtSentence(text) ?? cutAtWord(text);
  return cut.length >= min ? cut : undefined;
}

/** Paragraphs of sentences before the second heading of the page. */
function firstParagraphs(page: string): string[] {
  const paragraphs: string[] = [];
  for (const { kind, start, end } of pageBlocks(page)) {
    if (kind !== "text") continue;
    for (const part of page.slice(start, end).split(/\r?\n[ \t]*\r?\n/)) {
      const paragraph = part.replace(/^\s*#[^\n]*\n/, "").trim();
      const isProse = paragraph !== "" && !noSentence.test(paragraph) && !/[{}]/.test(paragraph);
      if (isProse && !isCode(paragraph)) paragraphs.push(paragraph.slice(0, paragraphLength));
      if (paragraphs.length === maxParagraphs) return paragraphs;
    }
  }
  return paragraphs;
}

/** A paragraph that is mostly code, such as a command line, says nothing of the page. */
function isCode(paragraph: string): boolean {
  let length = 0;
  for (const { start, end } of inlineCodeSpans(paragraph)) length += end - start;
  return length * 2 > paragraph.length;
}

function proseOf(paragraph: string): string {
  const text = inlineText(paragraph.replaceAll(/!\[[^\]]*\]\([^)]*\)|\[\^[^\]]*\]/g, ""));
  // A paragraph that only leads to a list says nothing alone.
  return text.endsWith(":") || text.endsWith("：") ? withoutLastSentence(text) : text;
}

function withoutLastSentence(text: string): string {
  return sentencesOf(text).slice(0, -1).join("").trim();
}

/** As many whole sentences as fit, if they are long enough. */
function cutAtSentence(text: string): string | undefined {
  let kept = "";
  for (const sentence of sentencesOf(text)) {
    if ((kept + sentence).trim().length > longest) break;
    kept += sentence;
  }
  const min = dense.test(text) ? shortestDense : shortest;
  return kept.trim().length >= min ? kept.trim() : undefined;
}

function cutAtWord(text: string): string {
  if (text.length <= longest) return text;
  const head = text.slice(0, longest - 1);
  const blank = head.lastIndexOf(" ");
  const kept = blank > shortest ? head.slice(0, blank) : head.toWellFormed().replace(/\uFFFD$/, "");
  return `${kept.replace(/[\s,;:–—-]+$/, "")}…`;
}

/** Abbreviations after which a sentence goes on. */
const goesOn =
  /(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|no|fig|incl|min|max|dr|mr|ms|st)\.|\bv?\d+\.)\s*$/i;

function sentencesOf(text: string): string[] {
  const sentences: string[] = [];
  const segmenter = new Intl.Segmenter("en", { granularity: "sentence" });
  for (const { segment } of segmenter.segment(text)) {
    const last = sentences.at(-1);
    if (last !== undefined && goesOn.test(last)) sentences[sentences.length - 1] = last + segment;
    else sentences.push(segment);
  }
  return sentences;
}
