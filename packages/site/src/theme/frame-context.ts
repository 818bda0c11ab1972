import {
  escapeHtml,
  getLanguageName,
  toLanguageTag,
  getLanguageWords,
  trustHtml,
  type FrameWords,
  type Html,
  type LoadedWords,
  type NotFoundWords,
  type ScriptWords,
  type Words,
} from "../markup/index.ts";
import {
  listBreadcrumbs,
  findCounterpart,
  findFirstOwnPage,
  type Crumb,
  type NavDivision,
  type Site,
  type SiteConfig,
  type SitePage,
} from "../site/index.ts";
import type { Links } from "./link.ts";
import { memoize } from "./memoize.ts";
import { getPageMode, getPageLayout, type ThemeLayout } from "./theme-layout.ts";
import type { SiteIconRenderer } from "./site-icons.ts";
import { createTrails, type Trail } from "./navigation/trail.ts";

/** The values from which a page's frame is built. The frame is everything around the article. */
export interface FrameContext extends SharedContext {
  /** The configuration with the overrides of the page's language. */
  readonly config: SiteConfig;
  readonly layout: ThemeLayout;
  /** The page's ancestors in the navigation, outermost first. */
  readonly crumbs: readonly Crumb[];
  readonly words: FrameWords;
  readonly notFoundWords: NotFoundWords;
  /** The words for the reader's script as JSON that is escaped for single quotes. */
  readonly scriptWords: Html;
  /** The form of addresses, if pages do not have the addresses of their files. */
  readonly addresses: Site["addresses"];
  /** The page's language tag (BCP 47). */
  readonly languageTag: string;
  readonly trail: Trail;
  /** The page; undefined for `404.html`. */
  readonly page: SitePage | undefined;
  /** Returns the name of a division that readers see. */
  readonly getDivisionLabel: (division: NavDivision) => string;
  /**
   * Returns the `href`, with `rootMark`, of a division's own page or, without one, of its first page. Returns undefined
   * if it has neither.
   */
  readonly findDivisionHref: (division: NavDivision) => Html | undefined;
  /**
   * Returns the `href` of the page's counterpart in another language, version or product, or of the division's first
   * page if there is no counterpart.
   */
  readonly findCounterpartHref: (division: NavDivision) => Html | undefined;
}

/** The part of the context that all pages share. */
interface SharedContext {
  readonly links: Links;
  readonly renderIcon: SiteIconRenderer;
  /** The address at which the bundle will be served, if known. */
  readonly baseUrl?: string;
  /** Returns the names of the search indexes for a page. */
  readonly getSearchScope: (page: SitePage | undefined) => readonly string[];
  /** The key under which readers' preferences are stored. It is the same for all pages and versions of the site. */
  readonly siteKey: string;
}

/** Creates the contexts of a site's pages. Words and the first pages of divisions are looked up once for all pages. */
export function createFrameContexts(
  site: Site,
  shared: SharedContext,
  loadedWords: LoadedWords,
): (page: SitePage | undefined) => FrameContext {
  const findTrail = createTrails(site);
  const getDivisionLabel = memoize(formatDivisionLabel);
  const getLanguageContext = memoize((tag: string) => createLanguageContext(tag, loadedWords));
  const { findDivisionHref, createCounterpartFinder } = createDivisionHrefs(site, shared.links);

  return function createContext(page) {
    const trail = findTrail(page);
    const language = trail.divisions.find(({ kind }) => kind === "language")?.label;
    const config = applyOverrides(site, trail.divisions);
    return {
      ...shared,
      ...getLanguageContext(toLanguageTag(page?.language ?? language)),
      config,
      addresses: site.addresses,
      layout: getPageLayout(config.theme, getPageMode(page)),
      trail,
      page,
      crumbs: page === undefined ? [] : listBreadcrumbs(site, page),
      getDivisionLabel,
      findDivisionHref,
      findCounterpartHref: createCounterpartFinder(page),
    };
  };
}

/** Returns the label of a division. Looking up the name of a language takes about 10 µs. */
function formatDivisionLabel({ kind, label }: NavDivision): string {
  return kind === "language" ? getLanguageName(label) : label;
}

type LanguageContext = Pick<
  FrameContext,
  "languageTag" | "words" | "notFoundWords" | "scriptWords"
>;

function createLanguageContext(tag: string, loadedWords: LoadedWords): LanguageContext {
  const words = getLanguageWords(loadedWords, tag);
  return {
    languageTag: tag,
    words: words.frame,
    notFoundWords: words.notFound,
    scriptWords: escapeForQuotes(JSON.stringify(getScriptWords(words))),
  };
}

interface DivisionHrefs {
  readonly findDivisionHref: FrameContext["findDivisionHref"];
  readonly createCounterpartFinder: (
    page: SitePage | undefined,
  ) => FrameContext["findCounterpartHref"];
}

function createDivisionHrefs(site: Site, links: Links): DivisionHrefs {
  const toPage = (path: string | undefined) =>
    path === undefined ? undefined : links.toPage(path);
  const findDivisionHref = memoize((division: NavDivision) => {
    const ownHref = division.href === undefined ? undefined : links.toTarget(division.href);
    return ownHref ?? toPage(findFirstOwnPage(site, division));
  });
  return {
    findDivisionHref,
    createCounterpartFinder(page) {
      if (page === undefined) return findDivisionHref;
      return memoize((division: NavDivision) =>
        division.href === undefined
          ? toPage(findCounterpart(site, page, division))
          : findDivisionHref(division),
      );
    },
  };
}

/** Returns the configuration with the overrides of the page's language. */
function applyOverrides({ config }: Site, divisions: readonly NavDivision[]): SiteConfig {
  let result = config;
  for (const { overrides } of divisions) if (overrides) result = { ...result, ...overrides };
  return result;
}

/** Escapes JSON for an attribute in single quotes, in which JSON is a third shorter than in double quotes. */
function escapeForQuotes(json: string): Html {
  return trustHtml(escapeHtml(json).replaceAll("&quot;", '"').replaceAll("'", "&#39;"));
}

/** Returns the words of the reader's script, which are its own words and some that it shares with the frame. */
function getScriptWords({ frame, reader }: Words): ScriptWords {
  const { search, close, more, language, version } = frame;
  return { ...reader, search, close, more, language, version };
}
