import { formatCount } from "../../../core/index.ts";
import type { DifferentPage, SiteDifference } from "../../../difference/index.ts";
import type { Addresses } from "../../addresses.ts";
import { safeHtml, type SafeHtml } from "../../safe-html.ts";
import { renderEmptyNote } from "../parts.ts";
import { renderPullRequestFrame, type PullRequestFrame } from "./frame.ts";

export interface DifferenceTabView extends PullRequestFrame {
  readonly difference: SiteDifference;
  /** Names the site with which the branch is compared, in a sentence. */
  readonly base: string;
  /** Returns where a page's changes are shown. */
  readonly getHref: (page: DifferentPage) => string;
  /** The page that is shown here; undefined if pages are shown at their own address. */
  readonly current: { readonly file: string; readonly address: string } | undefined;
}

/** The maximum number of pages that the tab lists. */
const maxListed = 500;

/** Renders the pages that readers will see differently, and one of them with its changes marked. */
export function renderDifferenceTab(addresses: Addresses, view: DifferenceTabView): SafeHtml {
  const { difference, base, current } = view;
  const { pages, omitted } = difference;
  const listed = pages.slice(0, maxListed);
  const left = pages.length - listed.length + omitted;
  const content = safeHtml`<div class="review" id="review">
    <nav class="tree" aria-label="Changed pages">
      <p class="soft">${formatCount(pages.length + omitted, "page")} changed, compared with ${base}.</p>
      <ul>
        ${listed.map((page) => renderItem(view, page))}
      </ul>
      ${left > 0 && safeHtml`<p class="faint">And ${formatCount(left, "more page")}.</p>`}
    </nav>
    <div class="review-files">
      ${pages.length === 0 && renderEmptyNote("Readers will see no difference.")}
      ${
        current &&
        safeHtml`<iframe class="preview difference" title="The page with its changes" sandbox="allow-scripts" src="${current.address}"></iframe>`
      }
    </div>
  </div>`;
  return renderPullRequestFrame(addresses, view, { tab: "preview", content });
}

function renderItem({ current, getHref }: DifferenceTabView, page: DifferentPage): SafeHtml {
  const isCurrent = page.file === current?.file;
  return safeHtml`<li>
    <a href="${getHref(page)}" ${isCurrent && safeHtml`aria-current="page"`}>
      ${page.title} <span class="faint">${describeChange(page)}</span>
    </a>
  </li>`;
}

function describeChange({ kind, changes, formerFile }: DifferentPage): string {
  if (kind === "added") return "new";
  if (kind === "removed") return "deleted";
  const count = changes === null ? "not compared" : formatCount(changes, "change");
  return formerFile === undefined ? count : `moved, ${count}`;
}
