import type { Crumb, NavDivision, SitePage, SiteConfig } from "../site/index.ts";
import type { Links } from "./link.ts";
import type { IconMarkup } from "./site-icons.ts";
import type { ThemeLayout } from "./theme-layout.ts";
import type { Trail } from "./trail.ts";
import type { FrameWords, NotFoundWords } from "../markup/index.ts";

/** What the parts around the article are made from. */
export interface Frame {
  /** With the overrides of the page's language. */
  readonly config: SiteConfig;
  readonly layout: ThemeLayout;
  readonly links: Links;
  readonly icon: IconMarkup;
  /** Where the bundle will stand, where that is known. */
  readonly baseUrl?: string;
  /** What stands above the page, outermost first. */
  readonly crumbs: readonly Crumb[];
  readonly words: FrameWords;
  readonly notFoundWords: NotFoundWords;
  /** What the reader's script says, as JSON. */
  readonly scriptWords: string;
  /** Names of the search indexes that a page's readers search. */
  readonly searchScope: (page: SitePage | undefined) => readonly string[];
  /** Under which readers' choices are kept: the same for each page and each version of the site. */
  readonly siteKey: string;
  /** BCP 47 */
  readonly languageTag: string;
  readonly trail: Trail;
  /** Undefined on the page that says there is none. */
  readonly page: SitePage | undefined;
  /** Escaped `href` of a division's first page or of where else it leads, with `rootMark`. */
  hrefOf(division: NavDivision): string | undefined;
  /** Likewise for a switch to another language, version or product: of the same page there, if there is one. */
  switchTo(division: NavDivision): string | undefined;
}
