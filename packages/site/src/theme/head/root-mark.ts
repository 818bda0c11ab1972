import { escapeHtml, html, replaceHtml, type Html } from "../../markup/index.ts";

/**
 * Stands in prepared markup for a page's way to the bundle's root (`../../../`): the addresses of a site's navigation
 * are made once, for pages in any folder. Escaped text holds no NUL, so no author can write it.
 */
export const rootMark = html`\0`;

/** Fits prepared markup to a page. `root` is its way to the bundle's root, e.g. `../`. */
export function fitToRoot(markup: Html, root: string): Html {
  return replaceHtml(markup, rootMark, escapeHtml(root));
}
