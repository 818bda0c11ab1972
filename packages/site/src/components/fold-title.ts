import { html, joinHtml, replaceHtml, trustedHtml, wrap, type Html } from "../markup/index.ts";

/** Anchors of headings are for the mouse alone. */
const link = /<a (?!class="anchor")[^>]*>(.*?)<\/a>/gs;

/** What a title that folds shows, and its links, which are to stand in what it opens. */
export interface FoldTitle {
  readonly title: Html;
  /** Empty if the title has no links. */
  readonly links: Html;
}

/**
 * Takes the links out of the title of something that opens: it is a button, which may hold no other, so that readers
 * without a mouse could not tell what they would start.
 */
export function takeLinks(title: Html): FoldTitle {
  if (!title.includes("<a ")) return { title, links: "" };
  const links: Html[] = [];
  let plain = title;
  for (const [whole, content = ""] of title.matchAll(link)) {
    if (isPermalink(whole, content)) {
      const forMouse = `<a tabindex="-1" aria-hidden="true"${whole.slice("<a".length)}`;
      plain = replaceHtml(plain, trustedHtml(whole), trustedHtml(forMouse));
      continue;
    }
    // Both are cut out of markup, and are whole elements: links hold no links.
    links.push(trustedHtml(whole));
    plain = replaceHtml(plain, trustedHtml(whole), trustedHtml(content));
  }
  return { title: plain, links: wrap("p", "fold-links", joinHtml(links, html` `)) };
}

/** An icon that leads to the place where it is: like the anchor of a heading it is for the mouse alone. */
function isPermalink(whole: string, content: string): boolean {
  return /^<a (?:[^>]*\s)?href="#/.test(whole) && content.replaceAll(/<[^>]*>/g, "").trim() === "";
}
