import { searchSections } from "../article/index.ts";

/** Search engines show about so many characters. */
const maxLength = 160;
/** A shorter paragraph says nothing of its page by itself. */
const minLength = 40;
/** Paragraphs that are looked at. */
const maxParagraphs = 12;

/**
 * The words of the first paragraph that says something, for a page that nobody described; undefined where
 * there is none. `html` is the page's content.
 */
export function summaryOf(html: string): string | undefined {
  let at = 0;
  for (let count = 0; count < maxParagraphs; count += 1) {
    const start = html.indexOf("<p>", at);
    if (start === -1) return undefined;
    const found = html.indexOf("</p>", start);
    at = found === -1 ? html.length : found;
    const text = searchSections(html.slice(start, at))[0]?.text ?? "";
    if (text.length >= minLength) return shortened(text, maxLength);
  }
  return undefined;
}

/**
 * At most `maxLength` characters, with an ellipsis where some are gone. Cut between two words where there
 * are any: some languages write none apart.
 */
export function shortened(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const end = text.lastIndexOf(" ", maxLength - 1);
  const cut = text.slice(0, end > maxLength / 2 ? end : maxLength - 1);
  return `${cut.replace(/[\s,;:.\u2013\u2014-]+$/, "").toWellFormed()}…`;
}
