import { sha256 } from "../core/index.ts";
import { html, type Html } from "../markup/index.ts";
import type { PageContent } from "../page/index.ts";
import { createSearchScope } from "../site/index.ts";
import type { Site, SitePage } from "../site/index.ts";
import { createFrameContexts, type FrameContext } from "./frame-context.ts";
import { renderFrame, renderHtmlTag } from "./frame.ts";
import { renderHead } from "./head/head.ts";
import { getPlainDescription } from "./inline-markdown.ts";
import type { LayoutOptions } from "./layout-options.ts";
import { createLinks, getPathToRoot, replaceRootMark } from "./link.ts";
import { renderMain, renderNotFoundMain, type MainElement } from "./main-element.ts";
import { findRemoteContent, type PageRemoteContent } from "./head/page-policy.ts";
import { createSidebars } from "./navigation/sidebar.ts";
import { createSiteIconRenderer } from "./site-icons.ts";
import { extractSummary } from "./head/summary.ts";

/**
 * Renders the documents of one site. Data that pages share is kept, so that rendering a page takes little more time
 * than its text.
 */
export interface Layout {
  /** Renders the whole HTML document of a page. */
  renderPage(page: SitePage, content: PageContent): Html;
  /**
   * Renders `404.html`. Hosts show it at addresses of any depth, so its links begin at `root`, the path of the bundle on
   * its host; by default, that of `baseUrl` if it is set, and the host's root otherwise. Opened as a file, the page has no
   * styles but is readable.
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
  /** Whether the page certainly finds the bundle's root there. */
  readonly isRootKnown: boolean;
  readonly main: MainElement;
  /** Whether the bundle has a feed of the page's changelog. */
  readonly hasFeed: boolean;
  readonly componentScripts: PageContent["scripts"];
  readonly remote: PageRemoteContent;
}

export function createLayout(site: Site, options: LayoutOptions): Layout {
  const { baseUrl } = options;
  const links = createLinks(site, options.copyOf);
  const renderIcon = createSiteIconRenderer(options.icons, links);
  const shared = {
    links,
    renderIcon,
    searchScope: createSearchScope(site),
    siteKey: sha256(site.config.name).slice(0, siteKeyLength),
    ...(baseUrl === undefined ? {} : { baseUrl }),
  };
  const contextOf = createFrameContexts(site, shared, options.words);
  const sidebarOf = createSidebars(site, { links, renderIcon });

  function renderDocument(frame: FrameContext, parts: DocumentParts): Html {
    const { root, main, ...about } = parts;
    const { page, trail, words, languageTag, crumbs } = frame;
    const { hasContents, hasFormulas, hasDiagrams } = main;
    const content = { hasFormulas, hasDiagrams };
    const input = { site, links, options, page, languageTag, crumbs, ...content, ...about };
    const { before, after } = renderFrame(frame, sidebarOf(trail, words), hasContents);
    const start = html`<!doctype html>${renderHtmlTag(frame, root)}<head>${renderHead(input)}</head>${before}`;
    return html`${replaceRootMark(start, root)}${main.markup}${replaceRootMark(after, root)}</html>\n`;
  }

  return {
    renderPage(page, content) {
      const frame = contextOf(page);
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
    renderNotFound(ownRoot) {
      const frame = contextOf(undefined);
      const { name, description, notFound } = site.config;
      const heading = notFound.title ?? frame.notFoundWords.title;
      const knownRoot = ownRoot ?? (baseUrl === undefined ? undefined : getBasePath(baseUrl));
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

/** Returns the author's description of the page or the site, else the beginning of the page. */
function findDescription(
  { config }: Site,
  { frontmatter }: SitePage,
  content: PageContent,
): string | undefined {
  const own = frontmatter.description;
  const authored = own === undefined ? config.description : getPlainDescription(own);
  if (authored !== undefined || "description" in config.seo.metatags) return authored;
  return extractSummary(content.html);
}

function getBasePath(baseUrl: string): string {
  return `${new URL(baseUrl).pathname.replace(/\/+$/, "")}/`;
}
