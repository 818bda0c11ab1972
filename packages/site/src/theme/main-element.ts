import { escapeHtml, html, joinHtml, type Html } from "../markup/index.ts";
import type { PageContent } from "../page/index.ts";
import { neighbours, type Site, type SitePage } from "../site/index.ts";
import { renderChangelogFilters } from "./changelog.ts";
import { renderDirectory } from "./navigation/directory.ts";
import type { FrameContext } from "./frame-context.ts";
import { renderInlineMarkdown } from "./inline-markdown.ts";
import { renderPageHeader } from "./page-header.ts";
import { isMenuInContents } from "./page-menu.ts";
import { pageMode } from "./page-mode.ts";
import { renderPagination } from "./navigation/pagination.ts";
import { fitToRoot } from "./head/root-mark.ts";
import { sidePlacesOf, takeSideParts } from "./navigation/side-parts.ts";
import { renderSourceLine } from "./source-line.ts";
import { renderTableOfContents } from "./table-of-contents.ts";

/** `<main>`, and facts about it that the rest of the document needs: searching its markup would copy it. */
export interface MainElement {
  /** Fitted to the page's root. */
  readonly markup: Html;
  /** It has a table of contents. */
  readonly hasContents: boolean;
  readonly hasFormulas: boolean;
}

export interface MainInput {
  readonly site: Site;
  readonly page: SitePage;
  readonly content: PageContent;
  /** The page's way to the bundle's root. */
  readonly root: string;
}

export function renderMain(frame: FrameContext, input: MainInput): MainElement {
  const { page, content, root } = input;
  const mode = pageMode(page);
  const { main, side } = takeSideParts(content.html, sidePlacesOf(mode));
  if (mode === "custom" || mode === "frame") return renderPlainMain(main);
  const filters = mode === "default" ? renderChangelogFilters(frame.words, content.changes) : "";
  const mayHaveContents = mode === "default" && filters === "" && side === "";
  const contents = mayHaveContents ? renderTableOfContents(frame, page, content) : "";
  const { titleHtml, changes } = content;
  const header = renderPageHeader(frame, page, {
    titleHtml,
    hasFeed: changes !== undefined,
    isMenuElsewhere: mayHaveContents && isMenuInContents(frame, page),
  });
  const article = joinHtml([
    fitToRoot(header, root),
    filters,
    renderContent(main),
    // On phones this follows the text, so that the links to other pages come after both.
    side === "" ? "" : html`<div id="side-panel" class="prose">${side}</div>`,
    fitToRoot(renderBelow(frame, input), root),
  ]);
  return {
    markup: html`<main id="content-container"><article id="content-area" tabindex="-1">${article}</article>${fitToRoot(contents, root)}</main>`,
    hasContents: contents !== "",
    hasFormulas: [main, side, titleHtml ?? ""].some(hasFormula),
  };
}

/** The content alone, for pages that fill the window. */
function renderPlainMain(content: Html): MainElement {
  const area = html`<div id="content-area" tabindex="-1">${renderContent(content)}</div>`;
  const markup = html`<main id="content-container">${area}</main>`;
  return { markup, hasContents: false, hasFormulas: hasFormula(content) };
}

function renderContent(content: Html): Html {
  return html`<div id="mdx-content"><div id="content" class="mdx-content prose">${content}</div></div>`;
}

/** What follows the content. */
function renderBelow(frame: FrameContext, { site, page }: MainInput): Html {
  return joinHtml([
    renderDirectory(frame),
    renderSourceLine(frame, page, site),
    renderPagination(frame, neighbours(site, page)),
  ]);
}

function hasFormula(content: Html): boolean {
  return content.includes('class="katex');
}

export function renderNotFoundMain(
  frame: FrameContext,
  heading: string,
  root: string,
): MainElement {
  const { config, links, notFoundWords } = frame;
  const { description } = config.notFound;
  const [, home] = frame.trail.divisions;
  const href = (home && frame.divisionHref(home)) ?? links.toTarget("/") ?? "";
  const text =
    description === undefined
      ? escapeHtml(notFoundWords.text)
      : renderInlineMarkdown(description, links);
  const content = joinHtml([
    html`<p class="not-found-status-code">404</p><h1 id="page-title">${escapeHtml(heading)}</h1>`,
    html`<p class="page-description">${text}</p>`,
    html`<p><a class="button" href="${href}">${escapeHtml(notFoundWords.home)}</a></p>`,
  ]);
  const area = html`<div id="content-area" class="not-found" tabindex="-1">${content}</div>`;
  const markup = fitToRoot(html`<main id="content-container">${area}</main>`, root);
  return { markup, hasContents: false, hasFormulas: false };
}
