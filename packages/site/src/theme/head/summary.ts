import { splitSearchSections } from "../../markup/index.ts";
import type { Html } from "../../markup/index.ts";

/** The approximate number of characters that search engines show. */
const maxLength = 160;
/** The minimum length of a paragraph. Shorter paragraphs say little about their page. */
const minLength = 40;
/** The maximum number of paragraphs that are tried. */
const maxParagraphs = 12;

/**
 * Returns the text of the first paragraph that is long enough, for a page without a description. Returns undefined if
 * there is none.
 */
export function extractSummary(html: Html): string | undefined {
  let searchStart = 0;
  for (let count = 0; count < maxParagraphs; count += 1) {
    const start = html.indexOf("<p>", searchStart);
    if (start === -1) return undefined;
    const end = html.indexOf("</p>", start);
    searchStart = end === -1 ? html.length : end;
    const text = splitSearchSections(html.slice(start, searchStart))[0]?.text ?? "";
    if (text.length >= minLength) return truncateWords(text, maxLength);
  }
  return undefined;
}

/**
 * Truncates text to at most `maxLength` characters and marks omitted text with an ellipsis. Truncates at a word
 * boundary if the language has spaces.
 */
export function truncateWords(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const end = text.lastIndexOf(" ", maxLength - 1);
  const shortened = text.slice(0, end > maxLength / 2 ? end : maxLength - 1);
  return `${shortened.replace(/[\s,;:.\u2013\u2014-]+$/, "").toWellFormed()}…`;
}
