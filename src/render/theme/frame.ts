import type { NavDivision, SitePage } from "../site/site.ts";
import type { SiteConfig } from "../site/config.ts";
import type { IconMarkup } from "./layout-options.ts";
import type { Links } from "./link.ts";
import type { Trail } from "./trail.ts";
import type { Words } from "./words.ts";

/** What the parts around the article are made from. */
export interface Frame {
  /** With the overrides of the page's language. */
  readonly config: SiteConfig;
  readonly links: Links;
  readonly icon: IconMarkup;
  readonly words: Words;
  /** BCP 47 */
  readonly languageTag: string;
  readonly trail: Trail;
  /** Undefined on the page that says there is none. */
  readonly page: SitePage | undefined;
  /** Escaped `href` of where a switch to this division leads, with `rootMark`. */
  hrefOf(division: NavDivision): string | undefined;
}
