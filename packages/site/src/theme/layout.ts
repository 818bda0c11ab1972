import { sha256 } from "../core/index.ts";
import {
  escapeHtml,
  languageTag,
  textDirection,
  wordsInLanguage,
  type LoadedWords,
} from "../markup/index.ts";
import type { PageContent } from "../page/index.ts";
import {
  createSearchScope,
  counterpart,
  breadcrumbs,
  firstOwnPage,
  neighbours,
} from "../site/index.ts";
import type { NavDivision, Site, SitePage } from "../site/index.ts";
import { pageHeader, pagination, tableOfContents, sidePlaces, takeSideParts } from "./article.ts";
import { pageMode } from "./page-mode.ts";
import { banner } from "./banner.ts";
import { changelogFilters } from "./changelog.ts";
import { directory } from "./directory.ts";
import { summaryOf } from "./summary.ts";
import { footer } from "./footer.ts";
import type { Frame } from "./frame.ts";
import { head } from "./head.ts";
import { barEnd, header } from "./header.ts";
import { inlineMarkdown } from "./inline-markdown.ts";
import type { LayoutOptions } from "./layout-options.ts";
import { createLinks, rootOf } from "./link.ts";
import { fitToRoot } from "./markup.ts";
import { isMenuInContents } from "./page-menu.ts";
import { pageSource } from "./page-source.ts";
import { searchScopeLabel } from "./search-scope.ts";
import { sidePanel } from "./side-panel.ts";
import { scriptWordsOf } from "./script-words.ts";
import { createSidebars, type Sidebar } from "./sidebar.ts";
import { createIconMarkup } from "./site-icons.ts";
import { layoutOfPage } from "./theme-layout.ts";
import { createTrails } from "./trail.ts";

/** The documents of one site. Holds what its pages share, so that a page costs little more than its own text. */
export interface Layout {
  /** The whole HTML document of a page. */
  page(page: SitePage, content: PageContent): string;
  /**
   * `404.html`. A host shows it at addresses of any depth, so its links begin at the host's root, or
   * at `baseUrl`'s path where one is known; opened as a file it is readable, without styles.
   */
  notFound(): string;
}

/** Enough to tell apart the few sites that one reader opens. */
const siteKeyLength = 8;

export function createLayout(site: Site, options: LayoutOptions): Layout {
  const links = createLinks(site, options.copyOf);
  const icon = createIconMarkup(options.icons, links);
  const frameOf = createFrames(
    site,
    {
      links,
      icon,
      searchScope: createSearchScope(site),
      siteKey: sha256(site.config.name).slice(0, siteKeyLength),
      ...baseOf(options),
    },
    options.words,
  );
  const sidebarOf = createSidebars(site, { links, icon });

  function write(frame: Frame, parts: DocumentParts): string {
    const { title, description, root, main, hasFeed = false } = parts;
    const { page, trail, languageTag } = frame;
    const shown = {
      page,
      title,
      description,
      languageTag,
      crumbs: frame.crumbs,
      hasFormulas: main.hasFormulas,
      hasFeed,
    };
    const headMarkup = head({ site, links, options, ...shown });
    const around = surroundings(frame, sidebarOf(trail, frame.words), main.hasContents);
    const before = `<!doctype html>${openTag(frame, root)}<head>${headMarkup}</head>${around.before}`;
    return `${fitToRoot(before, root)}${main.markup}${fitToRoot(around.after, root)}</html>\n`;
  }

  return {
    page(page, content) {
      const frame = frameOf(page);
      const root = rootOf(page.path);
      const { name } = site.config;
      const title = page.title === name ? name : `${page.title} - ${name}`;
      const around =
        directory(frame) +
        pageSource(frame, page, site) +
        pagination(frame, neighbours(site, page));
      const below = fitToRoot(around, root);
      const main = article(frame, { page, content, root, below });
      const description = descriptionOf(site, page, content);
      const hasFeed = content.changes !== undefined;
      return write(frame, { title, description, root, main, hasFeed });
    },
    notFound() {
      const frame = frameOf(undefined);
      const root = options.baseUrl === undefined ? "/" : folderOf(options.baseUrl);
      const heading = site.config.notFound.title ?? frame.notFoundWords.title;
      const markup = fitToRoot(notFoundArticle(frame, heading), root);
      const main = { markup, hasContents: false, hasFormulas: false };
      const { name, description } = site.config;
      return write(frame, { title: `${heading} - ${name}`, description, root, main });
    },
  };
}

function baseOf({ baseUrl }: LayoutOptions): { readonly baseUrl?: string } {
  return baseUrl === undefined ? {} : { baseUrl };
}

/** What authors say of the page or of the site, and else what the page begins with. */
function descriptionOf(
  { config }: Site,
  { frontmatter }: SitePage,
  content: PageContent,
): string | undefined {
  const authored = frontmatter.description ?? config.description;
  if (authored !== undefined || "description" in config.seo.metatags) return authored;
  return summaryOf(content.html);
}

/** `<main>`, and what the rest of the document must know of it: to search its markup would copy it once more. */
interface Main {
  /** Fitted to the page's root. */
  readonly markup: string;
  /** It holds a table of contents. */
  readonly hasContents: boolean;
  readonly hasFormulas: boolean;
}

interface DocumentParts {
  readonly title: string;
  readonly description: string | undefined;
  /** Way to the bundle's root, with a slash at its end where it is not empty. */
  readonly root: string;
  readonly main: Main;
  /** The bundle has a feed of the page's changelog. */
  readonly hasFeed?: boolean;
}

function folderOf(baseUrl: string): string {
  return `${new URL(baseUrl).pathname.replace(/\/+$/, "")}/`;
}

/** Makes the frame of a page; words and the first pages of divisions are looked up once for all. */
function createFrames(
  site: Site,
  shared: Pick<Frame, "links" | "icon" | "searchScope" | "siteKey" | "baseUrl">,
  loaded: LoadedWords,
) {
  const { links } = shared;
  const trailOf = createTrails(site);
  const scriptWords = new Map<string, string>();
  const hrefs = new Map<NavDivision, string | undefined>();

  const pageHref = (path: string | undefined) =>
    path === undefined ? undefined : links.toPage(path);

  function hrefOf(division: NavDivision): string | undefined {
    if (!hrefs.has(division)) {
      const own = division.href === undefined ? undefined : links.toTarget(division.href);
      hrefs.set(division, own ?? pageHref(firstOwnPage(site, division)));
    }
    return hrefs.get(division);
  }

  function switchesOf(page: SitePage | undefined): Frame["switchTo"] {
    const targets = new Map<NavDivision, string | undefined>();
    return (division) => {
      if (page === undefined || division.href !== undefined) return hrefOf(division);
      if (!targets.has(division))
        targets.set(division, pageHref(counterpart(site, page, division)));
      return targets.get(division);
    };
  }

  return function frameOf(page: SitePage | undefined): Frame {
    const trail = trailOf(page);
    const language = trail.divisions.find(({ kind }) => kind === "language")?.label;
    const tag = languageTag(page?.language ?? language);
    const words = wordsInLanguage(loaded, tag);
    const said = scriptWords.get(tag) ?? JSON.stringify(scriptWordsOf(words));
    scriptWords.set(tag, said);
    const config = withOverrides(site, trail.divisions);
    const crumbs = page === undefined ? [] : breadcrumbs(site, page);
    const switchTo = switchesOf(page);
    return {
      ...shared,
      config,
      layout: layoutOfPage(config.theme, pageMode(page)),
      words: words.frame,
      notFoundWords: words.notFound,
      scriptWords: said,
      languageTag: tag,
      trail,
      page,
      crumbs,
      hrefOf,
      switchTo,
    };
  };
}

/** The configuration as the page's language changes it. */
function withOverrides(site: Site, divisions: readonly NavDivision[]): Site["config"] {
  let { config } = site;
  for (const { overrides } of divisions) if (overrides) config = { ...config, ...overrides };
  return config;
}

/**
 * `<html>` with what the reader's script needs to know: the way to the root, the search index, and
 * what the site's own styles may ask for.
 */
function openTag(frame: Frame, root: string): string {
  const { config, page, languageTag } = frame;
  const { appearance } = config;
  const path = page === undefined ? "" : `/${page.path === "index" ? "" : page.path}`;
  const scope = searchScopeLabel(frame);
  const attributes = [
    `lang="${languageTag}"`,
    `dir="${textDirection(languageTag)}"`,
    `data-root="${escapeHtml(root)}"`,
    `data-site="${frame.siteKey}"`,
    `data-search="${escapeHtml(frame.searchScope(page).join(" "))}"`,
    scope === "" ? "" : `data-search-scope="${escapeHtml(scope)}"`,
    `data-current-path="${escapeHtml(path)}"`,
    `data-page-mode="${pageMode(page)}"`,
    `data-theme="${config.theme}"`,
    `data-layout="${frame.layout}"`,
    `data-appearance="${appearance.default}"`,
    appearance.strict ? "data-fixed" : "",
    appearance.default === "dark" ? 'class="dark"' : "",
    `data-words="${escapeHtml(frame.scriptWords)}"`,
  ];
  return `<html ${attributes.filter((attribute) => attribute !== "").join(" ")}>`;
}

/** Everything before and after `<main>`. */
function surroundings(
  frame: Frame,
  sidebar: Sidebar,
  hasContents: boolean,
): { before: string; after: string } {
  const { config, words } = frame;
  const decoration = config.background.decoration;
  const start =
    `<body class="${config.theme}-layout"${decoration ? ` data-background="${decoration}"` : ""}>` +
    `<a class="skip-link" href="#content-area">${escapeHtml(words.skipToContent)}</a>`;
  const strip = config.banner === undefined ? "" : banner(frame, config.banner);
  const navigation = sidePanel(frame, sidebar);
  if (frame.layout === "sidebar") {
    const column = `<div id="sidebar-column">${header(frame, hasContents)}${navigation}${barEnd(frame)}</div>`;
    return {
      before: `${start}<div id="body-content">${strip}${column}`,
      after: `${footer(frame)}</div></body>`,
    };
  }
  return {
    before: `${start}${strip}${header(frame, hasContents)}<div id="body-content">${navigation}`,
    after: `</div>${footer(frame)}</body>`,
  };
}

interface ArticleParts {
  readonly page: SitePage;
  readonly content: PageContent;
  readonly root: string;
  /** Markup after the content, fitted to `root`. */
  readonly below: string;
}

function mdxContent(html: string): string {
  return `<div id="mdx-content"><div id="content" class="mdx-content prose">${html}</div></div>`;
}

function article(frame: Frame, { page, content, root, below }: ArticleParts): Main {
  const mode = pageMode(page);
  const { main, side } = takeSideParts(content.html, sidePlaces(mode));
  if (mode === "custom" || mode === "frame") {
    const markup = `<main id="content-container"><div id="content-area" tabindex="-1">${mdxContent(main)}</div></main>`;
    return { markup, hasContents: false, hasFormulas: hasFormula(main) };
  }
  const filters = mode === "default" ? changelogFilters(frame.words, content.changes) : "";
  const mayHaveContents = mode === "default" && filters === "" && side === "";
  const contents = mayHaveContents ? tableOfContents(frame, page, content) : "";
  const hasFeed = content.changes !== undefined;
  const isMenuElsewhere = mayHaveContents && isMenuInContents(frame, page);
  const { titleHtml } = content;
  const top = pageHeader(frame, page, { titleHtml, hasFeed, isMenuElsewhere });
  // On phones what stands at the side follows the text, so the links to other pages come after both.
  const panel = side === "" ? "" : `<div id="side-panel" class="prose">${side}</div>`;
  const markup =
    '<main id="content-container"><article id="content-area" tabindex="-1">' +
    `${fitToRoot(top, root)}${filters}${mdxContent(main)}${panel}${below}</article>` +
    `${fitToRoot(contents, root)}</main>`;
  const hasFormulas = [main, side, titleHtml ?? ""].some(hasFormula);
  return { markup, hasContents: contents !== "", hasFormulas };
}

function hasFormula(html: string): boolean {
  return html.includes('class="katex');
}

function notFoundArticle(frame: Frame, heading: string): string {
  const { config, links, notFoundWords } = frame;
  const text = config.notFound.description;
  const [, home] = frame.trail.divisions;
  const href = (home && frame.hrefOf(home)) ?? links.toTarget("/") ?? "";
  return (
    '<main id="content-container"><div id="content-area" class="not-found" tabindex="-1">' +
    `<p class="not-found-status-code">404</p><h1 id="page-title">${escapeHtml(heading)}</h1>` +
    `<p class="page-description">${text === undefined ? escapeHtml(notFoundWords.text) : inlineMarkdown(text, links)}</p>` +
    `<p><a class="button" href="${href}">${escapeHtml(notFoundWords.home)}</a></p></div></main>`
  );
}
