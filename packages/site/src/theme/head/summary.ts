import { splitSearchSections } from "../../markup/index.ts";
import type { Html } from "../../markup/index.ts";

/** Search engines show about this many characters. */
const maxLength = 160;
/** A shorter paragraph says little about its page. */
const minLength = 40;
/** Paragraphs that are tried. */
const maxParagraphs = 12;

/** The text of the first paragraph that is long enough, for a page without a description; undefined if there is none. */
export function extractSummary(html: Html): string | undefined {
  let at = 0;
  for (let count = 0; count < maxParagraphs; count += 1) {
    const start = html.indexOf("<p>", at);
    if (start === -1) return undefined;
    const found = html.indexOf("</p>", start);
    at = found === -1 ? html.length : found;
    const text = splitSearchSections(html.slice(start, at))[0]?.text ?? "";
    if (text.length >= minLength) return truncateWords(text, maxLength);
  }
  return undefined;
}

/** At most `maxLength` characters, with an ellipsis where some are left out. Cuts between words, if the language has spaces. */
export function truncateWords(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const end = text.lastIndexOf(" ", maxLength - 1);
  const cut = text.slice(0, end > maxLength / 2 ? end : maxLength - 1);
  return `${cut.replace(/[\s,;:.\u2013\u2014-]+$/, "").toWellFormed()}…`;
}
