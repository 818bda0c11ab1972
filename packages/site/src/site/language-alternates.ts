import { samePage } from "./counterpart.ts";
import type { NavDivision, Site, SitePage } from "./site.ts";

/** One page in one language. */
export interface LanguageAlternate {
  /** As the navigation names it, e.g. `en`. */
  readonly language: string;
  readonly path: string;
  readonly isDefault: boolean;
}

/** The versions of a page in all languages of the site, its own included; empty if it exists in one only. */
export function languageAlternates(site: Site, page: SitePage): LanguageAlternate[] {
  const found: LanguageAlternate[] = [];
  for (const division of siblingLanguages(site, page)) {
    const path = samePage(site, page, division);
    const { label: language, isDefault } = division;
    if (path !== undefined) found.push({ language, path, isDefault });
  }
  return found.length > 1 ? found : [];
}

/** The language divisions among which the page's own is. */
function siblingLanguages(site: Site, page: SitePage): NavDivision[] {
  let division: NavDivision | undefined = site.navigation;
  for (const index of page.places[0]?.divisions ?? []) {
    const inner: NavDivision | undefined = division?.divisions[index];
    if (inner?.kind === "language") {
      return division?.divisions.filter(({ kind, hidden }) => kind === "language" && !hidden) ?? [];
    }
    division = inner;
  }
  return [];
}
