import {
  escapeHtml,
  getLanguageName,
  toLanguageTag,
  getLanguageWords,
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

/** The values that a page's frame is built from: everything around its article. */
export interface FrameContext extends SharedContext {
  /** The configuration with the overrides of the page's language. */
  readonly config: SiteConfig;
  readonly layout: ThemeLayout;
  /** The page's ancestors in the navigation, outermost first. */
  readonly crumbs: readonly Crumb[];
  readonly words: FrameWords;
  readonly notFoundWords: NotFoundWords;
  /** The words of the reader's script, as escaped JSON. */
  readonly scriptWords: Html;
  /** The form of addresses, if pages are not addressed by their files. */
  readonly addresses: Site["addresses"];
  /** BCP 47 */
  readonly languageTag: string;
  readonly trail: Trail;
  /** Undefined for `404.html`. */
  readonly page: SitePage | undefined;
  /** Returns the name of a division, as readers see it. */
  readonly labelOf: (division: NavDivision) => string;
  /** Returns the `href` of a division's own or first page, with `rootMark`; undefined if it has neither. */
  readonly divisionHref: (division: NavDivision) => Html | undefined;
  /** Returns the `href` of the page's counterpart in another language, version or product, else of its first page. */
  readonly counterpartHref: (division: NavDivision) => Html | undefined;
}

/** The part that is the same for all pages. */
interface SharedContext {
  readonly links: Links;
  readonly renderIcon: SiteIconRenderer;
  /** The address at which the bundle will be served, if known. */
  readonly baseUrl?: string;
  /** Returns the names of the search indexes for a page. */
  readonly searchScope: (page: SitePage | undefined) => readonly string[];
  /** The key under which readers' preferences are stored: the same for each page and version of the site. */
  readonly siteKey: string;
}

/** Creates the contexts of a site's pages; looks up words and the first pages of divisions once for all pages. */
export function createFrameContexts(
  site: Site,
  shared: SharedContext,
  loaded: LoadedWords,
): (page: SitePage | undefined) => FrameContext {
  const trailOf = createTrails(site);
  const labelOf = memoize(labelOfDivision);
  const languageOf = memoize((tag: string) => createLanguagePart(tag, loaded));
  const { divisionHref, counterpartsOf } = createDivisionHrefs(site, shared.links);

  return function contextOf(page) {
    const trail = trailOf(page);
    const language = trail.divisions.find(({ kind }) => kind === "language")?.label;
    const config = withOverrides(site, trail.divisions);
    return {
      ...shared,
      ...languageOf(toLanguageTag(page?.language ?? language)),
      config,
      addresses: site.addresses,
      layout: getPageLayout(config.theme, getPageMode(page)),
      trail,
      page,
      crumbs: page === undefined ? [] : listBreadcrumbs(site, page),
      labelOf,
      divisionHref,
      counterpartHref: counterpartsOf(page),
    };
  };
}

/** Returns the label of a division; looking up the name of a language takes about 10 µs. */
function labelOfDivision({ kind, label }: NavDivision): string {
  return kind === "language" ? getLanguageName(label) : label;
}

type LanguagePart = Pick<FrameContext, "languageTag" | "words" | "notFoundWords" | "scriptWords">;

function createLanguagePart(tag: string, loaded: LoadedWords): LanguagePart {
  const words = getLanguageWords(loaded, tag);
  return {
    languageTag: tag,
    words: words.frame,
    notFoundWords: words.notFound,
    scriptWords: escapeHtml(JSON.stringify(getScriptWords(words))),
  };
}

interface DivisionHrefs {
  readonly divisionHref: FrameContext["divisionHref"];
  readonly counterpartsOf: (page: SitePage | undefined) => FrameContext["counterpartHref"];
}

function createDivisionHrefs(site: Site, links: Links): DivisionHrefs {
  const toPage = (path: string | undefined) =>
    path === undefined ? undefined : links.toPage(path);
  const divisionHref = memoize((division: NavDivision) => {
    const own = division.href === undefined ? undefined : links.toTarget(division.href);
    return own ?? toPage(findFirstOwnPage(site, division));
  });
  return {
    divisionHref,
    counterpartsOf(page) {
      if (page === undefined) return divisionHref;
      return memoize((division: NavDivision) =>
        division.href === undefined
          ? toPage(findCounterpart(site, page, division))
          : divisionHref(division),
      );
    },
  };
}

/** Returns the configuration with the overrides of the page's language. */
function withOverrides({ config }: Site, divisions: readonly NavDivision[]): SiteConfig {
  let result = config;
  for (const { overrides } of divisions) if (overrides) result = { ...result, ...overrides };
  return result;
}

/** Returns the words of the reader's script: its own, and some that it shares with the frame. */
function getScriptWords({ frame, reader }: Words): ScriptWords {
  const { search, close, more, language } = frame;
  return { ...reader, search, close, more, language };
}
