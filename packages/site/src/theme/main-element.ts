import { posix } from "node:path";
import {
  buildElement,
  escapeHtml,
  html,
  joinAttributes,
  joinHtml,
  renderAddress,
  trustHtml,
  wrapInElement,
} from "../markup/index.ts";
import type { Html } from "../markup/index.ts";
import type { OutlineEntry, PageContent } from "../page/index.ts";
import {
  fillLink,
  findModifiedDay,
  findNeighborPages,
  findOperation,
  shouldShowModifiedDay,
} from "../site/index.ts";
import type { NavDirectory, NavEntry, NavGroup, Operation, Site, SitePage } from "../site/index.ts";
import { renderChangelogFilters } from "./changelog.ts";
import type { FrameContext } from "./frame-context.ts";
import { truncateWords } from "./head/summary.ts";
import { getPlainDescription, renderDescription, renderInlineMarkdown } from "./inline-markdown.ts";
import { renderLayoutIcon } from "./layout-icons.ts";
import { replaceRootMark } from "./link.ts";
import type { Links } from "./link.ts";
import {
  createPageNavLabel,
  renderCollapsibleLink,
  renderNavLabel,
  renderShortMethodLabel,
} from "./navigation/nav-label.ts";
import { isMenuInContents, renderPageActions, renderPageMenu } from "./page-menu.ts";
import { getPageMode } from "./theme-layout.ts";
import type { PageMode } from "./theme-layout.ts";

/**
 * The `<main>` element, with information about it for the rest of the document. The information is collected here
 * because searching the finished markup for it would copy the markup.
 */
export interface MainElement {
  /** The markup with the page's path to the root. */
  readonly markup: Html;
  /** Whether the element has a table of contents. */
  readonly hasContents: boolean;
  readonly hasFormulas: boolean;
  /** Whether the element has diagrams that are drawn in the reader's browser. */
  readonly hasDiagrams: boolean;
}

interface MainInput {
  readonly site: Site;
  readonly page: SitePage;
  readonly content: PageContent;
  /** The page's relative path to the bundle's root. */
  readonly root: string;
}

/**
 * The maximum number of entries of a table of contents that shows all levels. In a longer table of contents, only the
 * current section shows its third level, so that the table remains an overview.
 */
const maxFullContentsLength = 32;
/**
 * The maximum number of entries with which the third level is shown. In a longer table of contents, it is omitted
 * because it would add a kilobyte or more to the page, even if it is hidden.
 */
const maxContentsLength = 96;

/**
 * The maximum length of a description that fits below a title. In narrow windows, the style sheet truncates it further.
 */
const maxDescriptionLength = 100;

export function renderMain(frame: FrameContext, input: MainInput): MainElement {
  const { page, content, root } = input;
  const mode = getPageMode(page);
  const { main, side } = extractSideParts(content.html, getSidebarPositions(mode));
  if (mode === "custom" || mode === "frame") return renderPlainMain(main);
  const filters = mode === "default" ? renderChangelogFilters(frame.words, content.changes) : "";
  const mayHaveContents = mode === "default" && filters === "" && side === "";
  const contents = mayHaveContents ? renderTableOfContents(frame, page, content) : "";
  const { titleAnchor, titleHtml, changes } = content;
  const header = renderPageHeader(frame, page, {
    titleAnchor,
    titleHtml,
    hasFeed: changes !== undefined,
    isMenuElsewhere: mayHaveContents && isMenuInContents(frame, page),
  });
  const article = joinHtml([
    replaceRootMark(header, root),
    filters,
    renderContent(main),
    // On phones, the side panel follows the text, so that the links to other pages come after both.
    side === "" ? "" : html`<div id="side-panel" class="prose">${side}</div>`,
    replaceRootMark(renderBelow(frame, input), root),
  ]);
  return {
    markup: html`<main id="content-container"><article id="content-area" tabindex="-1">${article}</article>${replaceRootMark(contents, root)}</main>`,
    hasContents: contents !== "",
    hasFormulas: [main, side, titleHtml ?? ""].some(hasFormula),
    hasDiagrams: [main, side].some(hasDiagram),
  };
}

/** Renders only the content, for pages whose content fills the window. */
function renderPlainMain(content: Html): MainElement {
  const area = html`<div id="content-area" tabindex="-1">${renderContent(content)}</div>`;
  const markup = html`<main id="content-container">${area}</main>`;
  const flags = { hasFormulas: hasFormula(content), hasDiagrams: hasDiagram(content) };
  return { markup, hasContents: false, ...flags };
}

function renderContent(content: Html): Html {
  return html`<div id="mdx-content"><div id="content" class="mdx-content prose">${content}</div></div>`;
}

/** Renders the directory, the source line and the pagination, which are below the content. */
function renderBelow(frame: FrameContext, { site, page }: MainInput): Html {
  return joinHtml([
    renderDirectory(frame),
    renderSourceLine(frame, page, site),
    renderPagination(frame, findNeighborPages(site, page)),
  ]);
}

function hasFormula(content: Html): boolean {
  return content.includes('class="katex');
}

function hasDiagram(content: Html): boolean {
  return content.includes('class="diagram diagram-live"');
}

export function renderNotFoundMain(
  frame: FrameContext,
  heading: string,
  root: string,
): MainElement {
  const { config, links, notFoundWords } = frame;
  const { description } = config.notFound;
  const [, home] = frame.trail.divisions;
  const href = (home && frame.findDivisionHref(home)) ?? links.toTarget("/") ?? "";
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
  const markup = replaceRootMark(html`<main id="content-container">${area}</main>`, root);
  return { markup, hasContents: false, hasFormulas: false, hasDiagrams: false };
}

/**
 * Renders the line below an article, with the date of the last change and links to edit the page or report an issue.
 */
function renderSourceLine(
  { config, words, languageTag }: FrameContext,
  page: SitePage,
  { editUrl, issueUrl }: Pick<Site, "editUrl" | "issueUrl">,
): Html {
  const day = shouldShowModifiedDay(config, page) ? findModifiedDay(page) : undefined;
  // A page that is generated from an API description has no file of its own.
  const hasFile = !page.isGenerated;
  const parts = joinHtml([
    day === undefined ? "" : renderModifiedDate(day, words.lastModified, languageTag),
    editUrl !== undefined && hasFile
      ? renderSourceLink(fillLink(editUrl, "path", page.file), words.editPage)
      : "",
    issueUrl !== undefined && hasFile
      ? renderSourceLink(fillLink(issueUrl, "title", page.title), words.reportIssue)
      : "",
  ]);
  return parts === "" ? "" : html`<div id="page-source">${parts}</div>`;
}

function renderModifiedDate(day: string, label: string, languageTag: string): Html {
  const format = new Intl.DateTimeFormat(languageTag, { dateStyle: "long", timeZone: "UTC" });
  const date = format.format(new Date(`${day}T00:00:00Z`));
  const time = buildElement("time", joinAttributes({ datetime: day }), escapeHtml(date));
  return html`<p class="page-date">${escapeHtml(label)}: ${time}</p>`;
}

/** Renders a link that search engines do not follow, because they would find only a sign-in form at its target. */
function renderSourceLink(address: string, label: string): Html {
  const attributes = joinAttributes({
    href: address,
    target: "_blank",
    rel: "nofollow noreferrer",
  });
  return buildElement("a", attributes, escapeHtml(label));
}

/** Renders the table of contents. Returns an empty string if there are no entries. */
function renderTableOfContents(
  frame: FrameContext,
  page: SitePage,
  { outline, changes }: Pick<PageContent, "outline" | "changes">,
): Html {
  const hasMenu = isMenuInContents(frame, page);
  const menu = hasMenu ? renderPageActions(frame, page, changes !== undefined) : "";
  if (outline.length === 0 && menu === "") return "";
  const label = escapeHtml(frame.words.onThisPage);
  const title = html`<p class="toc-title">${renderLayoutIcon("toc")}${label}</p>`;
  const list = outline.length === 0 ? "" : html`${title}${renderContentsList(outline)}`;
  return html`<aside id="table-of-contents"><nav id="table-of-contents-content" popover aria-label="${label}">${list}${menu}</nav></aside>`;
}

function renderContentsList(outline: readonly OutlineEntry[]): Html {
  const isTooLong = outline.length > maxContentsLength;
  const renderedEntries = isTooLong ? outline.filter(({ depth }) => depth <= 3) : outline;
  const visibleEntries = outline.filter(({ isHidden }) => isHidden !== true);
  const attributes = joinAttributes({ "data-long": visibleEntries.length > maxFullContentsLength });
  return html`<ul${attributes}>${joinHtml(renderedEntries.map(renderContentsEntry))}</ul>`;
}

function renderContentsEntry({ depth, id, text, isHidden }: OutlineEntry): Html {
  const level = joinAttributes({
    "data-depth": depth > 2 && String(depth),
    "data-hidden": isHidden === true,
  });
  const href = escapeHtml(`#${encodeURIComponent(id.toWellFormed())}`);
  return html`<li${level}><a class="toc-item" href="${href}">${escapeHtml(text)}</a></li>`;
}

/** Renders links to the previous and the next page, whose paths are given. */
function renderPagination(
  { links, words }: FrameContext,
  { previous, next }: { readonly previous?: string; readonly next?: string },
): Html {
  const render = (path: string | undefined, side: "previous" | "next"): Html => {
    const page = path === undefined ? undefined : links.findPage(path);
    if (page === undefined) return "";
    const attributes = joinAttributes({
      class: `pagination-${side}`,
      rel: side === "next" ? "next" : "prev",
    });
    return html`<a${attributes} href="${links.toPage(page.path)}"><small>${escapeHtml(words[side])}</small>${renderPaginationTarget(page)}</a>`;
  };
  const both = html`${render(previous, "previous")}${render(next, "next")}`;
  if (both === "") return "";
  const label = escapeHtml(`${words.previous}, ${words.next}`);
  return html`<nav id="pagination" aria-label="${label}">${both}</nav>`;
}

function renderPaginationTarget({ navTitle, frontmatter: { description } }: SitePage): Html {
  const title = html`<span>${escapeHtml(navTitle)}</span>`;
  if (description === undefined) return title;
  return html`${title}<small>${escapeHtml(truncateWords(getPlainDescription(description), maxDescriptionLength))}</small>`;
}

interface PageHeaderParts {
  readonly titleAnchor: string | undefined;
  /** The title's HTML, used instead of the plain title. */
  readonly titleHtml: Html | undefined;
  /** Whether the bundle has a feed of the page's changelog. */
  readonly hasFeed: boolean;
  /** Whether the page's actions are shown below its table of contents. */
  readonly isMenuElsewhere: boolean;
}

/** Renders the part above the content, which includes the eyebrow, title and description. */
function renderPageHeader(
  frame: FrameContext,
  page: SitePage,
  { titleAnchor, titleHtml, hasFeed, isMenuElsewhere }: PageHeaderParts,
): Html {
  const { frontmatter, title } = page;
  const { description } = frontmatter;
  const operation = findOperation(frontmatter);
  const mark = titleAnchor === undefined ? "" : html`<span id="${escapeHtml(titleAnchor)}"></span>`;
  const heading = html`${mark}${titleHtml ?? escapeHtml(title)}${renderTags(frame, page)}`;
  const menu = isMenuElsewhere ? "" : renderPageMenu(frame, page, hasFeed);
  const content = joinHtml([
    renderEyebrow(frame),
    html`<div class="page-title-row"><h1 id="page-title">${heading}</h1>${menu}</div>`,
    description === undefined
      ? ""
      : html`<p class="page-description">${renderDescription(description, createLinkResolver(frame, page))}</p>`,
    operation === undefined ? "" : renderOperation(operation),
  ]);
  return html`<header class="page-header">${content}</header>`;
}

/**
 * Creates a resolver of the links in a page's own header. Unlike links in the configuration, they are relative to the
 * page.
 */
function createLinkResolver({ links }: FrameContext, { path }: SitePage): Pick<Links, "toTarget"> {
  const rootedTarget = /^(?:[/#]|[a-z][a-z\d+.-]*:)/i;
  return {
    toTarget: (target) =>
      links.toTarget(rootedTarget.test(target) ? target : posix.join("/", path, "..", target)),
  };
}

function renderTags({ words }: FrameContext, { frontmatter }: SitePage): Html {
  const { tag, deprecated } = frontmatter;
  const isDeprecated = deprecated === true;
  return joinHtml([
    tag === undefined ? "" : html`<span class="page-tag">${escapeHtml(tag)}</span>`,
    isDeprecated
      ? wrapInElement("span", "page-tag page-deprecated", escapeHtml(words.deprecated))
      : "",
  ]);
}

function renderEyebrow({ config, crumbs, links, words }: FrameContext): Html {
  const last = crumbs.at(-1);
  if (last === undefined) return "";
  if (config.eyebrows === "section") return html`<p class="eyebrow">${escapeHtml(last.label)}</p>`;
  const items = crumbs.map(({ label, path }) => {
    const text = escapeHtml(label);
    return html`<li>${path === undefined ? text : html`<a href="${links.toPage(path)}">${text}</a>`}</li>`;
  });
  const label = escapeHtml(words.breadcrumbs);
  return html`<nav class="eyebrow" aria-label="${label}"><ol class="breadcrumb-list">${joinHtml(items)}</ol></nav>`;
}

function renderOperation({ method, path }: Operation): Html {
  return html`<div class="operation">${renderShortMethodLabel(method)}${renderAddress(path)}</div>`;
}

/** The positions in which an article's panels and examples are shown. */
interface SidebarPositions {
  readonly panel: "side" | "nowhere";
  readonly example: "side" | "text";
}

/**
 * Returns the positions for a mode. Pages without a table of contents have no panel, and pages whose content fills the
 * window have no side content.
 */
function getSidebarPositions(mode: PageMode): SidebarPositions {
  return {
    panel: mode === "default" ? "side" : "nowhere",
    example: mode === "custom" || mode === "frame" ? "text" : "side",
  };
}

/** An article without its side content, and the side content itself. */
interface ExtractedSideParts {
  readonly main: Html;
  readonly side: Html;
}

const sideStart =
  /<aside class="[^"]*"(?: id="[^"]*")? data-(?:example(?:="(?<kind>\w+)")?|panel)[ =>]/g;
const asideTag = /<(\/?)aside\b/g;

/** Extracts examples and panels from an article in one pass. They remain in order, except that requests come first. */
function extractSideParts(article: Html, positions: SidebarPositions): ExtractedSideParts {
  // Each cut is at the start or end of an element, so that all parts are complete markup.
  const sliceArticle = (start: number, end?: number): Html => trustHtml(article.slice(start, end));
  const main: Html[] = [];
  const requests: Html[] = [];
  const others: Html[] = [];
  let end = 0;
  for (const match of article.matchAll(sideStart)) {
    if (match.index < end) continue;
    const close = findAsideEnd(article, match.index);
    if (close === undefined) break;
    main.push(sliceArticle(end, match.index));
    end = close;
    const kind = match.groups?.["kind"];
    const placement = kind === undefined ? positions.panel : positions.example;
    if (placement === "nowhere") continue;
    const part = sliceArticle(match.index, close);
    if (placement === "text") main.push(part);
    else if (kind === "request") requests.push(part);
    else others.push(part);
  }
  return {
    main: html`${joinHtml(main)}${sliceArticle(end)}`,
    side: joinHtml([...requests, ...others]),
  };
}

/** Returns the end of the element that begins at `start`. Text never contains an unescaped `<`. */
function findAsideEnd(article: Html, start: number): number | undefined {
  let depth = 0;
  for (const { 1: slash, index } of article.slice(start).matchAll(asideTag)) {
    depth += slash === "" ? 1 : -1;
    if (depth === 0) return article.indexOf(">", start + index) + 1;
  }
  return undefined;
}

/** Renders the list of a group's contents below the group's root page. Returns an empty string for other pages. */
function renderDirectory(frame: FrameContext): Html {
  const directory = findGroup(frame);
  if (directory === undefined) return "";
  const { group, kind } = directory;
  const list =
    kind === "card" ? renderCards(group.entries, frame) : renderFolds(group.entries, frame);
  const label = escapeHtml(group.label);
  return list === "" ? "" : html`<nav id="page-directory" aria-label="${label}">${list}</nav>`;
}

/**
 * Finds the group whose root, at its canonical position, is the page, if the levels around the group request a listing.
 */
function findGroup({
  trail,
  page,
}: FrameContext): { group: NavGroup; kind: NavDirectory } | undefined {
  if (page === undefined || trail.entryIndexes === undefined) return undefined;
  let kind: NavDirectory = "none";
  for (const division of trail.divisions) kind = division.directory ?? kind;
  let entries = trail.divisions.at(-1)?.entries ?? [];
  let group: NavGroup | undefined;
  for (const index of trail.entryIndexes) {
    const entry: NavEntry | undefined = entries[index];
    if (entry?.type !== "group") return undefined;
    group = entry;
    kind = entry.directory ?? kind;
    ({ entries } = entry);
  }
  return group?.root === page.path && kind !== "none" ? { group, kind } : undefined;
}

/** A page or a link as the directory lists it. */
interface DirectoryItem {
  readonly href: Html;
  readonly label: Html;
  readonly description: string | undefined;
}

function createItem(
  entry: Exclude<NavEntry, NavGroup>,
  frame: FrameContext,
): DirectoryItem | undefined {
  const { renderIcon, links } = frame;
  if (entry.type === "link") {
    const href = links.toTarget(entry.href);
    if (href === undefined) return undefined;
    return { href, label: renderNavLabel(entry, renderIcon), description: undefined };
  }
  const page = links.findPage(entry.path);
  if (page === undefined || page.hidden) return undefined;
  const { description } = page.frontmatter;
  return {
    href: links.toPage(page.path),
    label: renderNavLabel(createPageNavLabel(page), renderIcon),
    description,
  };
}

function renderGroupLabel(group: NavGroup, frame: FrameContext): Html {
  const label = renderNavLabel(group, frame.renderIcon);
  const href = findRootHref(group, frame);
  return href === undefined ? label : html`<a href="${href}">${label}</a>`;
}

function findRootHref({ root }: NavGroup, { links }: FrameContext): Html | undefined {
  const page = root === undefined ? undefined : links.findPage(root);
  return page && links.toPage(page.path);
}

/** Reports whether a group has a root page, which is listed if the group has no listed entries. */
function hasRootPage(
  group: NavGroup,
  { links }: FrameContext,
): group is NavGroup & { readonly root: string } {
  return !group.hidden && group.root !== undefined && links.findPage(group.root) !== undefined;
}

function renderCard(entry: Exclude<NavEntry, NavGroup>, frame: FrameContext): Html {
  const item = createItem(entry, frame);
  if (item === undefined) return "";
  const { href, label, description } = item;
  const name = html`<span class="directory-label">${label}</span>`;
  const text =
    description === undefined
      ? ""
      : html`<small>${escapeHtml(getPlainDescription(description))}</small>`;
  return html`<li><a class="directory-card" href="${href}">${name}${text}</a></li>`;
}

/** Renders the pages as a row of cards, followed by the groups, each under its name. */
function renderCards(entries: readonly NavEntry[], frame: FrameContext): Html {
  const cards: Html[] = [];
  const groups: Html[] = [];
  for (const entry of entries) {
    if (entry.type !== "group") {
      cards.push(renderCard(entry, frame));
      continue;
    }
    const inner = entry.hidden ? "" : renderCards(entry.entries, frame);
    if (inner !== "") {
      groups.push(html`<p class="directory-title">${renderGroupLabel(entry, frame)}</p>${inner}`);
    } else if (hasRootPage(entry, frame)) {
      cards.push(renderCard({ type: "page", path: entry.root }, frame));
    }
  }
  return html`${wrapInElement("ul", "directory-cards", joinHtml(cards))}${joinHtml(groups)}`;
}

/** Renders a list with collapsible groups. */
function renderFolds(entries: readonly NavEntry[], frame: FrameContext): Html {
  const items = entries.map((entry) =>
    entry.type === "group" ? renderFold(entry, frame) : renderCollapsibleItem(entry, frame),
  );
  return wrapInElement("ul", "directory-list", joinHtml(items));
}

function renderFold(group: NavGroup, frame: FrameContext): Html {
  const inner = group.hidden ? "" : renderFolds(group.entries, frame);
  if (inner !== "") {
    const href = findRootHref(group, frame);
    const label = renderNavLabel(group, frame.renderIcon);
    if (href === undefined) {
      return html`<li><details><summary>${label}</summary>${inner}</details></li>`;
    }
    const name = group.label;
    return html`<li>${renderCollapsibleLink({ name, label }, { href, list: inner })}</li>`;
  }
  return hasRootPage(group, frame) ? html`<li>${renderGroupLabel(group, frame)}</li>` : "";
}

function renderCollapsibleItem(entry: Exclude<NavEntry, NavGroup>, frame: FrameContext): Html {
  const item = createItem(entry, frame);
  return item === undefined ? "" : html`<li><a href="${item.href}">${item.label}</a></li>`;
}
