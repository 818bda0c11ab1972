import { html, joinHtml, wrap, type Html } from "../markup/index.ts";
import type { ComponentLinks } from "./component.ts";

/** What a title that folds shows, and its links, which are to stand in what it opens. */
export interface FoldTitle {
  readonly title: Html;
  /** Empty if the title has no links. */
  readonly links: Html;
}

/**
 * Renders the title of something that opens without its links: it is a button, which may hold no other, so that
 * readers without a mouse could not tell what they would start.
 */
export function renderFoldTitle(render: () => Html, links: ComponentLinks): FoldTitle {
  const { html: title, taken } = links.withoutLinks(render);
  return { title, links: wrap("p", "fold-links", joinHtml(taken, html` `)) };
}
