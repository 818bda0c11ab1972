import { posix } from "node:path";
import {
  escapeHtml,
  html,
  joinHtml,
  wrapInElement,
  type Html,
  renderAddress,
} from "../markup/index.ts";
import { findOperation, type Operation, type SitePage } from "../site/index.ts";
import type { FrameContext } from "./frame-context.ts";
import { renderDescription } from "./inline-markdown.ts";
import type { Links } from "./link.ts";
import { renderShortMethodLabel } from "./navigation/nav-label.ts";
import { renderPageMenu } from "./page-menu.ts";

interface PageHeaderParts {
  /** The title's HTML, used instead of the plain title. */
  readonly titleHtml: Html | undefined;
  /** Whether the bundle has a feed of the page's changelog. */
  readonly hasFeed: boolean;
  /** Whether the page's actions are below its table of contents. */
  readonly isMenuElsewhere: boolean;
}

/** Renders the part above the content: eyebrow, title, description and more. */
export function renderPageHeader(
  frame: FrameContext,
  page: SitePage,
  { titleHtml, hasFeed, isMenuElsewhere }: PageHeaderParts,
): Html {
  const { frontmatter, title } = page;
  const { description } = frontmatter;
  const operation = findOperation(frontmatter);
  const heading = html`${titleHtml ?? escapeHtml(title)}${renderTags(frame, page)}`;
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

/** Returns the links of a page's own head: unlike links in the configuration, they are relative to the page. */
function createLinkResolver({ links }: FrameContext, { path }: SitePage): Pick<Links, "toTarget"> {
  const isFromRoot = /^(?:[/#]|[a-z][a-z\d+.-]*:)/i;
  return {
    toTarget: (target) =>
      links.toTarget(isFromRoot.test(target) ? target : posix.join("/", path, "..", target)),
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
