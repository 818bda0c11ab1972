import { attributes, escapeHtml, html, joinHtml, type Html } from "../markup/index.ts";
import type { OutlineEntry, PageContent } from "../page/index.ts";
import type { SitePage } from "../site/index.ts";
import type { FrameContext } from "./frame-context.ts";
import { layoutIcon } from "./layout-icons.ts";
import { isMenuInContents, renderPageActions } from "./page-menu.ts";

/** With more entries, the third level is shown of the section being read only: all of it would be no overview. */
const longContents = 32;
/** With more entries, the third level is left out: even hidden, it would add a kilobyte or more to the page. */
const maxContentsLength = 96;

/** Empty if there is nothing to list. */
export function renderTableOfContents(
  frame: FrameContext,
  page: SitePage,
  { outline, changes }: Pick<PageContent, "outline" | "changes">,
): Html {
  const hasMenu = isMenuInContents(frame, page);
  const menu = hasMenu ? renderPageActions(frame, page, changes !== undefined) : "";
  if (outline.length === 0 && menu === "") return "";
  const label = escapeHtml(frame.words.onThisPage);
  const title = html`<p class="toc-title">${layoutIcon("toc")}${label}</p>`;
  const list = outline.length === 0 ? "" : html`${title}${renderList(outline)}`;
  return html`<aside id="table-of-contents"><nav id="table-of-contents-content" popover aria-label="${label}">${list}${menu}</nav></aside>`;
}

function renderList(outline: readonly OutlineEntry[]): Html {
  const isTooLong = outline.length > maxContentsLength;
  const shown = isTooLong ? outline.filter(({ depth }) => depth <= 3) : outline;
  const start = attributes({ "data-long": outline.length > longContents });
  return html`<ul${start}>${joinHtml(shown.map(renderEntry))}</ul>`;
}

function renderEntry({ depth, id, text }: OutlineEntry): Html {
  const level = attributes({ "data-depth": depth > 2 && String(depth) });
  const href = escapeHtml(`#${encodeURIComponent(id.toWellFormed())}`);
  return html`<li${level}><a class="toc-item" href="${href}">${escapeHtml(text)}</a></li>`;
}
