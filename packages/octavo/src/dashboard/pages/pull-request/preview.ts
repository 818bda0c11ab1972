import { formatCount } from "../../../core/index.ts";
import type { DifferentPage, SiteDifference } from "../../../difference/index.ts";
import type { MeasuredChange } from "../../../git/index.ts";
import type { Addresses } from "../../addresses.ts";
import { renderLineCounts, renderFileTitle } from "../../diff/diff-view.ts";
import { comparePages } from "../../markdown/compare-pages.ts";
import type { ComparedBlock } from "../../markdown/compare-pages.ts";
import { safeHtml } from "../../safe-html.ts";
import type { HtmlValue, SafeHtml } from "../../safe-html.ts";
import { renderEmptyNote } from "../parts.ts";
import { renderFileTree } from "./file-tree.ts";
import { renderPullRequestFrame } from "./frame.ts";
import type { PullRequestFrame } from "./frame.ts";

export interface RenderedView extends PullRequestFrame {
  /** The changed Markdown and MDX pages. */
  readonly files: readonly MeasuredChange[];
  /** The shown file and its texts; undefined if there is none. */
  readonly current: RenderedFile | undefined;
  /** Links to the exported versions of the site. */
  readonly sites: readonly { readonly href: string; readonly text: string }[];
}

export interface RenderedFile {
  readonly file: MeasuredChange;
  /** The text before the change; undefined if the page did not exist or is too large to render. */
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly isTooLarge: boolean;
}

/** The number of unchanged blocks shown next to a changed one. */
const contextBlocks = 2;
/** The minimum number of unchanged blocks that are collapsed. */
const minCollapsed = 3;

export function renderComparedPage(addresses: Addresses, view: RenderedView): SafeHtml {
  const { project, page, files, current, sites } = view;
  const address = `${addresses.pull(project.id, page.pullRequest.number)}/preview`;
  const tree = files.map((file) => ({
    file,
    href: `${address}?page=${encodeURIComponent(file.path)}`,
    isSeen: false,
    isCurrent: file.path === current?.file.path,
  }));
  const content = safeHtml`<div class="review" id="review">
    <nav class="tree" aria-label="Changed pages">
      <p class="soft">${formatCount(files.length, "page")} changed</p>
      ${renderFileTree(tree)}
    </nav>
    <div class="review-files">
      ${
        sites.length > 0 &&
        safeHtml`<div class="actions">
          ${sites.map(({ href, text }) => safeHtml`<a class="button" href="${href}">${text}</a>`)}
        </div>`
      }
      ${current ? renderedFile(current) : renderEmptyNote("No pages were changed.")}
    </div>
  </div>`;
  return renderPullRequestFrame(addresses, view, { tab: "preview", content });
}

function renderedFile({ file, before, after, isTooLarge }: RenderedFile): SafeHtml {
  const { added = 0, removed = 0 } = file;
  return safeHtml`<section class="file" aria-label="${file.path}">
    <h2 class="hidden">${file.path}</h2>
    <div class="file-head">${renderFileTitle(file)} ${renderLineCounts({ added, removed })}</div>
    ${
      isTooLarge
        ? renderEmptyNote("The page is too large to render here. Its lines are in the changes.")
        : safeHtml`<div class="sides">
            <p class="side-name">Before</p>
            <p class="side-name">After</p>
            ${collapseBlocks(comparePages(before, after))}
          </div>`
    }
  </section>`;
}

/** Renders the blocks as rows. Unchanged blocks far from a change are collapsed. */
function collapseBlocks(blocks: readonly ComparedBlock[]): readonly SafeHtml[] {
  const rows: SafeHtml[] = [];
  for (let at = 0; at < blocks.length;) {
    let to = at;
    while (blocks[to]?.kind === "same") to += 1;
    if (to === at) {
      rows.push(...blocks.slice(at, at + 1).map(blockRow));
      at += 1;
      continue;
    }
    const from = at === 0 ? at : at + contextBlocks;
    const end = to === blocks.length ? to : to - contextBlocks;
    if (end - from < minCollapsed) {
      rows.push(...blocks.slice(at, to).map(blockRow));
    } else {
      rows.push(
        ...blocks.slice(at, from).map(blockRow),
        renderCollapsedBlocks(blocks.slice(from, end)),
        ...blocks.slice(end, to).map(blockRow),
      );
    }
    at = to;
  }
  return rows;
}

function renderCollapsedBlocks(blocks: readonly ComparedBlock[]): SafeHtml {
  return safeHtml`<details class="folded-blocks">
    <summary>${formatCount(blocks.length, "unchanged block")}</summary>
    <div class="sides">${blocks.map(blockRow)}</div>
  </details>`;
}

function blockRow({ kind, before, after }: ComparedBlock): SafeHtml {
  return safeHtml`${side(`side-before is-${kind}`, before)}${side(`side-after is-${kind}`, after)}`;
}

function side(name: string, content: HtmlValue): SafeHtml {
  return safeHtml`<div class="side prose ${name}${content === undefined && " is-absent"}">${content}</div>`;
}

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
