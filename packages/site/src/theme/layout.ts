import { sha256, hashParts, limits } from "../core/index.ts";
import {
  html,
  type Html,
  escapeHtml,
  getTextDirection,
  joinAttributes,
  joinHtml,
  wrapInElement,
} from "../markup/index.ts";
import type { PageContent } from "../page/index.ts";
import { createSearchScope, listOuterEntries } from "../site/index.ts";
import type { Site, SitePage, NavDivision, SiteConfig } from "../site/index.ts";
import { createFrameContexts, type FrameContext } from "./frame-context.ts";
import { renderHead } from "./head/head.ts";
import { getPlainDescription, renderInlineMarkdown } from "./inline-markdown.ts";
import type { LayoutOptions } from "./layout-options.ts";
import { createLinks, getPathToRoot, replaceRootMark } from "./link.ts";
import { renderMain, renderNotFoundMain, type MainElement } from "./main-element.ts";
import { findRemoteContent, type PageRemoteContent } from "./head/page-policy.ts";
import { createSidebars } from "./navigation/sidebar.ts";
import type { Sidebar } from "./navigation/sidebar.ts";
import { createSiteIconRenderer } from "./site-icons.ts";
import { extractSummary } from "./head/summary.ts";
import {
  listBarSwitches,
  renderBarEnd,
  renderHeader,
  renderNavbarLinks,
  renderSchemeToggle,
} from "./header.ts";
import { findTextFont } from "./assets.ts";
import { getPageMode } from "./theme-layout.ts";
import { chooseTextColor, parseHex, toHex } from "./color.ts";
import { renderLayoutIcon, socialIcons } from "./layout-icons.ts";
import {
  findShownDivision,
  listDivisionChoices,
  renderSwitchMenu,
  renderSwitches,
} from "./navigation/switches.ts";
import type { SwitchKind } from "./navigation/switches.ts";
import { renderTag } from "./navigation/nav-label.ts";

/**
 * Renders the documents of one site. Data that pages share is kept, so that rendering a page takes little longer than
 * rendering its text.
 */
export interface Layout {
  /** Renders the whole HTML document of a page. */
  renderPage(page: SitePage, content: PageContent): Html;
  /**
   * Renders `404.html`. Hosts show it at addresses of any depth, so its links begin at `root`, the path of the bundle
   * on its host. The default is the path of `baseUrl` if it is set, or else the host's root. Opened as a file, the page
   * has no styles but is readable.
   */
  renderNotFound(root?: string): Html;
}

/** The length of a site's key, which is long enough to distinguish the few sites that a reader opens. */
const siteKeyLength = 8;

interface DocumentParts {
  readonly title: string;
  readonly description: string | undefined;
  /** The relative path to the bundle's root. It has a trailing slash unless it is empty. */
  readonly root: string;
  /** Whether the bundle's root is certain to be at that path. */
  readonly isRootKnown: boolean;
  readonly main: MainElement;
  /** Whether the bundle has a feed of the page's changelog. */
  readonly hasFeed: boolean;
  readonly componentScripts: PageContent["scripts"];
  readonly remote: PageRemoteContent;
}

export function createLayout(site: Site, options: LayoutOptions): Layout {
  const { baseUrl } = options;
  const links = createLinks(site, options.findCopy);
  const renderIcon = createSiteIconRenderer(options.renderIcon, links);
  const shared = {
    links,
    renderIcon,
    getSearchScope: createSearchScope(site),
    siteKey: sha256(site.config.name).slice(0, siteKeyLength),
    ...(baseUrl === undefined ? {} : { baseUrl }),
  };
  const createContext = createFrameContexts(site, shared, options.words);
  const getSidebar = createSidebars(site, { links, renderIcon });

  function renderDocument(frame: FrameContext, parts: DocumentParts): Html {
    const { root, main, ...headParts } = parts;
    const { page, trail, words, languageTag, crumbs } = frame;
    const { hasContents, hasFormulas, hasDiagrams } = main;
    const content = { hasFormulas, hasDiagrams };
    const input = { site, links, options, page, languageTag, crumbs, ...content, ...headParts };
    const { before, after } = renderFrame(frame, getSidebar(trail, words), hasContents);
    const beforeMain = html`<!doctype html>${renderHtmlTag(frame, root)}<head>${renderHead(input)}</head>${before}`;
    return html`${replaceRootMark(beforeMain, root)}${main.markup}${replaceRootMark(after, root)}</html>\n`;
  }

  return {
    renderPage(page, content) {
      const frame = createContext(page);
      const { name } = site.config;
      const root = getPathToRoot(links.fileOf(page.path));
      return renderDocument(frame, {
        title: page.title === name ? name : `${page.title} - ${name}`,
        description: findDescription(site, page, content),
        root,
        isRootKnown: true,
        main: renderMain(frame, { site, page, content, root }),
        hasFeed: content.changes !== undefined,
        componentScripts: content.scripts,
        remote: findRemoteContent(content),
      });
    },
    renderNotFound(requestedRoot) {
      const frame = createContext(undefined);
      const { name, description, notFound } = site.config;
      const heading = notFound.title ?? frame.notFoundWords.title;
      const knownRoot = requestedRoot ?? (baseUrl === undefined ? undefined : getBasePath(baseUrl));
      const root = knownRoot ?? "/";
      return renderDocument(frame, {
        title: `${heading} - ${name}`,
        description,
        root,
        isRootKnown: knownRoot !== undefined,
        main: renderNotFoundMain(frame, heading, root),
        hasFeed: false,
        componentScripts: [],
        remote: { hasMedia: false, frameOrigins: [] },
      });
    },
  };
}

/** Returns the author's description of the page or the site or, if there is none, the beginning of the page. */
function findDescription(
  { config }: Site,
  { frontmatter }: SitePage,
  content: PageContent,
): string | undefined {
  const authoredDescription = frontmatter.description;
  const authored =
    authoredDescription === undefined
      ? config.description
      : getPlainDescription(authoredDescription);
  if (authored !== undefined || "description" in config.seo.metatags) return authored;
  return extractSummary(content.html);
}

function getBasePath(baseUrl: string): string {
  return `${new URL(baseUrl).pathname.replace(/\/+$/, "")}/`;
}

type BannerConfig = NonNullable<SiteConfig["banner"]>;

/**
 * Renders the start tag of `<html>`. Its attributes contain the path to the root and the search indexes for the
 * reader's script. They also identify the page for the site's own styles and scripts. The tag is short, because
 * browsers look for the page's encoding, which is declared after it, in the first kilobyte.
 */
function renderHtmlTag(frame: FrameContext, root: string): Html {
  const { addresses, config, page, languageTag } = frame;
  const { appearance } = config;
  const font = findTextFont(config, languageTag);
  const path = page === undefined ? "" : `/${page.path === "index" ? "" : page.path}`;
  const language = joinAttributes({ lang: languageTag, dir: getTextDirection(languageTag) });
  const rootAttributes = html` data-root="${escapeHtml(root)}"${joinAttributes({ "data-site": frame.siteKey })}`;
  const search = html` data-search="${escapeHtml(listSearchIndexes(frame).join(" "))}"`;
  const scope = joinAttributes({ "data-search-scope": formatSearchScope(frame) });
  const currentPath = html` data-current-path="${escapeHtml(path)}"`;
  const pageAttributes = joinAttributes({
    "data-page-mode": getPageMode(page),
    "data-theme": config.theme,
    "data-layout": frame.layout,
    "data-appearance": appearance.default,
    "data-fixed": appearance.strict,
    "data-addresses": addresses,
    "data-text-font": font && `${root}${font}`,
    class: appearance.default === "dark" && "dark",
  });
  return html`<html${language}${rootAttributes}${search}${scope}${currentPath}${pageAttributes}>`;
}

/** The markup of `<body>` before and after `<main>`, with `rootMark`. */
interface FrameMarkup {
  readonly before: Html;
  readonly after: Html;
}

function renderFrame(frame: FrameContext, sidebar: Sidebar, hasContents: boolean): FrameMarkup {
  const { config } = frame;
  const bodyStart = renderBodyStart(frame);
  const banner = config.banner === undefined ? "" : renderBanner(config.banner, frame);
  const header = renderHeader(frame, hasContents);
  const panel = renderSidePanel(frame, sidebar);
  const footer = renderFooter(frame);
  if (frame.layout === "sidebar") {
    const column = html`<div id="sidebar-column">${header}${panel}${renderBarEnd(frame)}</div>`;
    return {
      before: html`${bodyStart}<div id="body-content">${banner}${column}`,
      after: html`${footer}</div></body>`,
    };
  }
  return {
    before: html`${bodyStart}${banner}${header}<div id="body-content">${panel}`,
    after: html`</div>${footer}</body>`,
  };
}

function renderBodyStart({ config, words, scriptWords }: FrameContext): Html {
  const attributes = joinAttributes({
    class: `${config.theme}-layout`,
    "data-background": config.background.decoration,
  });
  const skip = escapeHtml(words.skipToContent);
  return html`<body${attributes} data-words='${scriptWords}'><a class="skip-link" href="#content-area">${skip}</a>`;
}

/**
 * Renders the banner at the top of the page. Its id distinguishes a changed banner from one that the reader dismissed.
 */
function renderBanner(banner: BannerConfig, { words, links }: FrameContext): Html {
  const attributes = joinAttributes({
    id: "banner",
    class: `banner-${banner.type}`,
    "data-banner": hashParts([banner.content]).slice(0, 12),
    style: formatColorStyle(banner),
  });
  const text = renderInlineMarkdown(banner.content, links);
  const close = banner.dismissible ? renderCloseButton(words.close) : "";
  return html`<div${attributes}><div class="banner-text">${text}</div>${close}</div>`;
}

/**
 * Renders the author's colors, each with a readable text color. The style sheet uses the colors of the current scheme.
 */
function formatColorStyle({ color }: BannerConfig): string {
  const declarations = (["light", "dark"] as const).flatMap((scheme) => {
    const paper = parseHex(color?.[scheme] ?? "");
    if (paper === undefined) return [];
    const ink = toHex(chooseTextColor(paper));
    return [`--banner-${scheme}:${toHex(paper)}`, `--banner-${scheme}-text:${ink}`];
  });
  return declarations.join(";");
}

function renderCloseButton(label: string): Html {
  const attributes = joinAttributes({
    class: "banner-close icon-button",
    type: "button",
    "aria-label": label,
  });
  return html`<button${attributes}>${renderLayoutIcon("close")}</button>`;
}

function renderFooter(frame: FrameContext): Html {
  const { columns, socials } = frame.config.footer;
  const inner = joinHtml([
    wrapInElement(
      "div",
      "footer-columns",
      joinHtml(columns.map((column) => renderFooterColumn(column, frame))),
    ),
    wrapInElement("ul", "footer-socials", renderSocialLinks(socials, frame)),
  ]);
  if (inner === "") return "";
  return html`<footer id="footer"><div class="footer-inner">${inner}</div></footer>`;
}

type FooterConfig = SiteConfig["footer"];

function renderFooterColumn(
  column: FooterConfig["columns"][number],
  { links }: FrameContext,
): Html {
  const header =
    column.header === undefined
      ? ""
      : html`<p class="footer-header">${escapeHtml(column.header)}</p>`;
  const items = column.items.map(({ label, href }) => {
    const target = links.toTarget(href);
    return target === undefined ? "" : html`<li><a href="${target}">${escapeHtml(label)}</a></li>`;
  });
  return html`<div>${header}<ul>${joinHtml(items)}</ul></div>`;
}

function renderSocialLinks(socials: FooterConfig["socials"], { links }: FrameContext): Html {
  const items = Object.entries(socials).map(([network, href]) => {
    const target = links.toTarget(href);
    if (target === undefined) return "";
    const name = getSocialName(network);
    const label = joinAttributes({ "aria-label": name, title: name });
    const icon = renderLayoutIcon(socialIcons.has(network) ? network : "link");
    return html`<li><a href="${target}"${label}>${icon}</a></li>`;
  });
  return joinHtml(items);
}

function listSearchIndexes({ page, trail, getSearchScope }: FrameContext): readonly string[] {
  // A page outside the navigation has no language of its own, but is shown with the navigation of one language.
  const shownLanguage = trail.divisions.find(({ kind }) => kind === "language")?.label;
  const isLanguageInferred = page && page.language === undefined && shownLanguage !== undefined;
  return getSearchScope(isLanguageInferred ? { ...page, language: shownLanguage } : page);
}

/**
 * Returns the names of the language and version to which a page's search is limited, or an empty string if the site has
 * only one of each.
 */
function formatSearchScope(frame: FrameContext): string {
  const labels: string[] = [];
  for (const kind of ["language", "version"] as const) {
    for (const choice of listDivisionChoices(frame, kind)) {
      const searchedDivision = findShownDivision(choice);
      if (choice.divisions.length > 1 && searchedDivision)
        labels.push(frame.getDivisionLabel(searchedDivision));
    }
  }
  return labels.join(" · ");
}

/** Renders the panel next to the article. On phones, it also contains the content that does not fit in the top bar. */
function renderSidePanel(frame: FrameContext, sidebar: Sidebar): Html {
  const navigation = joinAttributes({
    id: "navigation-items",
    "aria-label": frame.words.navigation,
    "data-nav": sidebar.isPartial && sidebar.id,
  });
  const content = joinHtml([
    renderPanelTop(frame),
    renderSwitchBoxes(frame),
    renderDropdowns(frame),
    renderAnchors(frame),
    html`<nav${navigation}>${sidebar.renderPart(frame.trail.entryIndexes)}</nav>`,
    wrapInElement("div", "sidebar-links only-phone", renderNavbarLinks(frame)),
  ]);
  return html`<div id="sidebar"><div id="sidebar-content">${content}</div></div>`;
}

/** Renders the top of the panel. It is shown only on phones, where the panel covers the page. */
function renderPanelTop(frame: FrameContext): Html {
  const { navigation, close } = frame.words;
  const attributes = joinAttributes({
    class: "menu-close icon-button",
    href: "#",
    "aria-label": close,
  });
  const closeLink = html`<a${attributes}>${renderLayoutIcon("close")}</a>`;
  return html`<div class="sidebar-top"><span>${escapeHtml(navigation)}</span>${renderSchemeToggle(frame)}${closeLink}</div>`;
}

const switchKinds: readonly SwitchKind[] = ["product", "version", "language"];

/** Renders the switches that the bar does not show. On phones, these are all switches, because the bar shows none. */
function renderSwitchBoxes(frame: FrameContext): Html {
  const barKinds: readonly SwitchKind[] = [...listBarSwitches(frame), "language"];
  const remainingKinds = switchKinds.filter((kind) => !barKinds.includes(kind));
  return joinHtml([
    wrapInElement("div", "sidebar-switches", renderSwitches(frame, remainingKinds)),
    wrapInElement("div", "sidebar-switches only-phone", renderSwitches(frame, barKinds)),
  ]);
}

function renderDropdowns(frame: FrameContext): Html {
  const choices = [
    ...listDivisionChoices(frame, "dropdown"),
    ...listDivisionChoices(frame, "item"),
  ].filter(({ divisions, current }) => divisions.length > 1 && current !== undefined);
  const label = frame.words.navigation;
  const menus = choices.map((choice) => renderSwitchMenu(choice, frame, label));
  return wrapInElement("div", "sidebar-switches", joinHtml(menus));
}

/** Renders the anchors and, in the same form, the dropdowns that do not contain the page. */
function renderAnchors(frame: FrameContext): Html {
  const otherDropdowns = listDivisionChoices(frame, "dropdown").filter(
    ({ current }) => current === undefined,
  );
  const items = [...otherDropdowns, ...listDivisionChoices(frame, "anchor")].flatMap(
    ({ divisions, current }) =>
      divisions.map((anchor) => renderDivisionAnchor(anchor, anchor === current, frame)),
  );
  return wrapInElement("ul", "nav-anchors", joinHtml([...renderOuterEntries(frame), ...items]));
}

/**
 * Renders the groups and pages beside the divisions that lead to the page: the page's sidebar does not contain them,
 * and a version or language may have no other link to them.
 */
function renderOuterEntries(frame: FrameContext): readonly Html[] {
  const levels = frame.trail.divisions.slice(0, -1);
  const entries = levels.flatMap((division) =>
    listOuterEntries(division.entries).slice(0, limits.outerEntries),
  );
  return entries.map(({ entry, path }) => {
    const page = frame.links.findPage(path);
    if (!page) return "";
    const name = entry.type === "group" ? entry : { ...page.frontmatter, label: page.navTitle };
    return renderAnchor(name, { href: frame.links.toPage(page.path), isCurrent: false }, frame);
  });
}

function renderDivisionAnchor(anchor: NavDivision, isCurrent: boolean, frame: FrameContext): Html {
  const href = frame.findDivisionHref(anchor);
  if (href === undefined) return "";
  return renderAnchor(
    { ...anchor, label: frame.getDivisionLabel(anchor) },
    { href, isCurrent },
    frame,
  );
}

function renderAnchor(
  { label, icon, iconType, tag }: Pick<NavDivision, "label" | "icon" | "iconType" | "tag">,
  { href, isCurrent }: { readonly href: Html; readonly isCurrent: boolean },
  { renderIcon }: FrameContext,
): Html {
  const state = joinAttributes({ "aria-current": isCurrent && "true" });
  const content = joinHtml([
    html`<span class="nav-anchor-icon">${renderIcon(icon, iconType) || renderLayoutIcon("link")}</span>`,
    html`<span>${escapeHtml(label)}</span>${renderTag(tag)}`,
  ]);
  return html`<li><a class="nav-anchor" href="${href}"${state}>${content}</a></li>`;
}

const socialNames: ReadonlyMap<string, string> = new Map([
  ["x-twitter", "X"],
  ["twitter", "X"],
  ["github", "GitHub"],
  ["linkedin", "LinkedIn"],
  ["youtube", "YouTube"],
  ["hacker-news", "Hacker News"],
]);

/** Returns the display name of a network. */
function getSocialName(network: string): string {
  return socialNames.get(network) ?? network.charAt(0).toUpperCase() + network.slice(1);
}
