import { escapeHtml } from "../markup/index.ts";
import type { PageContent } from "../page/index.ts";
import type { SitePage } from "../site/index.ts";
import type { Frame } from "./frame.ts";
import { isMenuInContents, pageActions, pageMenu } from "./page-menu.ts";
import { operationLine } from "./operation.ts";
import { operationOf } from "../site/index.ts";
import type { PageMode } from "./page-mode.ts";
import { shortened } from "./summary.ts";

export interface PageHeaderParts {
  /** Instead of the plain title. */
  readonly titleHtml: string | undefined;
  /** The bundle has a feed of the page's changelog. */
  readonly hasFeed: boolean;
  /** What can be done with the page stands below its table of contents. */
  readonly isMenuElsewhere: boolean;
}

/** Eyebrow, title, description and what else stands above the content. */
export function pageHeader(frame: Frame, page: SitePage, parts: PageHeaderParts): string {
  const { titleHtml, hasFeed, isMenuElsewhere } = parts;
  const { frontmatter, title } = page;
  const operation = operationOf(frontmatter);
  return (
    '<header class="page-header">' +
    eyebrow(frame) +
    '<div class="page-title-row">' +
    `<h1 id="page-title">${titleHtml ?? escapeHtml(title)}${pageTags(frame, page)}</h1>` +
    (isMenuElsewhere ? "" : pageMenu(frame, page, hasFeed)) +
    "</div>" +
    (frontmatter.description === undefined
      ? ""
      : `<p class="page-description">${escapeHtml(frontmatter.description)}</p>`) +
    (operation === undefined ? "" : operationLine(operation)) +
    "</header>"
  );
}

function pageTags({ words }: Frame, { frontmatter }: SitePage): string {
  let tags = "";
  if (frontmatter.tag !== undefined) {
    tags += `<span class="page-tag">${escapeHtml(frontmatter.tag)}</span>`;
  }
  if (frontmatter.deprecated === true) {
    tags += `<span class="page-tag page-deprecated">${escapeHtml(words.deprecated)}</span>`;
  }
  return tags;
}

function eyebrow({ config, crumbs, links, words }: Frame): string {
  const last = crumbs.at(-1);
  if (last === undefined) return "";
  if (config.eyebrows === "section") return `<p class="eyebrow">${escapeHtml(last.label)}</p>`;
  const items = crumbs.map(({ label, path }) => {
    const text = escapeHtml(label);
    return `<li>${path === undefined ? text : `<a href="${links.toPage(path)}">${text}</a>`}</li>`;
  });
  return `<nav class="eyebrow" aria-label="${escapeHtml(words.navigation)}"><ol class="breadcrumb-list">${items.join("")}</ol></nav>`;
}

/** Entries beyond which a table of contents is no overview: it shows the third level of the part being read alone. */
const longContents = 32;
/** Entries beyond which the third level is left out: folded, it would still weigh a kilobyte and more. */
const maxContentsLength = 96;

export function tableOfContents(
  frame: Frame,
  page: SitePage,
  { outline, changes }: Pick<PageContent, "outline" | "changes">,
): string {
  const { words } = frame;
  const menu = isMenuInContents(frame, page) ? pageActions(frame, page, changes !== undefined) : "";
  if (outline.length === 0 && menu === "") return "";
  let items = "";
  const isTooLong = outline.length > maxContentsLength;
  for (const { depth, id, text } of outline) {
    if (isTooLong && depth > 3) continue;
    const level = depth > 2 ? ` data-depth="${depth}"` : "";
    items += `<li${level}><a class="toc-item" href="#${escapeHtml(encodeURIComponent(id.toWellFormed()))}">${escapeHtml(text)}</a></li>`;
  }
  const label = escapeHtml(words.onThisPage);
  const long = outline.length > longContents ? " data-long" : "";
  const list =
    outline.length === 0
      ? ""
      : `<p class="toc-title"><i class="i i-toc"></i>${label}</p><ul${long}>${items}</ul>`;
  return (
    `<aside id="table-of-contents"><nav id="table-of-contents-content" popover aria-label="${label}">` +
    `${list}${menu}</nav></aside>`
  );
}

/** The line below a title has room for no more, and the style sheet cuts it where its window is narrower. */
const maxDescription = 100;

/** Links to the pages before and after, given by their paths. */
export function pagination(
  { links, words }: Frame,
  { previous, next }: { readonly previous?: string; readonly next?: string },
): string {
  const link = (path: string | undefined, side: "previous" | "next") => {
    const page = path === undefined ? undefined : links.page(path);
    if (page === undefined) return "";
    const { description } = page.frontmatter;
    const line =
      description === undefined
        ? ""
        : `<small>${escapeHtml(shortened(description, maxDescription))}</small>`;
    return (
      `<a class="pagination-${side}" rel="${side === "next" ? "next" : "prev"}" href="${links.toPage(page.path)}">` +
      `<small>${escapeHtml(words[side])}</small><span>${escapeHtml(page.navTitle)}</span>${line}</a>`
    );
  };
  const both = link(previous, "previous") + link(next, "next");
  return both === ""
    ? ""
    : `<nav id="pagination" aria-label="${escapeHtml(`${words.previous}, ${words.next}`)}">${both}</nav>`;
}

/** Where an article's panels and examples are shown. */
export interface SidePlaces {
  readonly panel: "side" | "nowhere";
  readonly example: "side" | "text";
}

/** Pages without a table of contents have no panel; what fills the window has nothing at its side. */
export function sidePlaces(mode: PageMode): SidePlaces {
  return {
    panel: mode === "default" ? "side" : "nowhere",
    example: mode === "custom" || mode === "frame" ? "text" : "side",
  };
}

/** An article and what was taken out of it to stand at its side. */
export interface SideParts {
  readonly main: string;
  readonly side: string;
}

const sideStart =
  /<aside class="[^"]*"(?: id="[^"]*")? data-(?:example(?:="(?<kind>\w+)")?|panel)[ =>]/g;
const asideTag = /<(\/?)aside\b/g;

/** Takes examples and panels out of an article's HTML, in one pass and in order, but requests before all else. */
export function takeSideParts(html: string, places: SidePlaces): SideParts {
  let main = "";
  let requests = "";
  let others = "";
  let end = 0;
  for (const match of html.matchAll(sideStart)) {
    if (match.index < end) continue;
    const close = closingAside(html, match.index);
    if (close === undefined) break;
    main += html.slice(end, match.index);
    end = close;
    const kind = match.groups?.["kind"];
    const place = kind === undefined ? places.panel : places.example;
    if (place === "nowhere") continue;
    const part = html.slice(match.index, close);
    if (place === "text") main += part;
    else if (kind === "request") requests += part;
    else others += part;
  }
  return { main: main + html.slice(end), side: requests + others };
}

/** Where the element that begins at `start` ends; text never holds a bare `<`. */
function closingAside(html: string, start: number): number | undefined {
  let depth = 0;
  asideTag.lastIndex = start;
  for (let tag = asideTag.exec(html); tag !== null; tag = asideTag.exec(html)) {
    depth += tag[1] === "" ? 1 : -1;
    if (depth === 0) return html.indexOf(">", tag.index) + 1;
  }
  return undefined;
}
