import { sha256 } from "../core/index.ts";
import type { NavDivision, Site, SitePage } from "./site.ts";

const maxNameBytes = 100;
const fallbackName = "all";

/**
 * Returns the name of the search index that contains a page. There is one index for each language and version of a
 * site.
 */
export function getSearchIndexName(page: Pick<SitePage, "language" | "version">): string {
  // This function is called for each page of a site, and most pages have neither a language nor a version.
  if (page.language === undefined && page.version === undefined) return fallbackName;
  const parts = [page.language, page.version].filter((part) => part !== undefined);
  const name = parts
    .join("-")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}.]+/gu, "-");
  const short = name.replace(/^[-.]+|[-.]+$/g, "") || fallbackName;
  // The name is used for a folder, and a version's label may be too long.
  return Buffer.byteLength(short) <= maxNameBytes ? short : sha256(short).slice(0, 16);
}

/**
 * Creates a function that returns the names of the existing search indexes for readers of a page. These are the index
 * of the page's language and version, and the index of pages without a version. For a page without a version, they also
 * include the indexes of the default versions. For a page without a language, such as one outside the navigation, they
 * also include the indexes of the default language. If none of these exist for a language, all of its indexes are
 * returned.
 */
export function createSearchScope(site: Site): (page: SitePage | undefined) => readonly string[] {
  // The first pages are nearly always enough, so not all pages are read.
  const hasIndex = (name: string) =>
    site.pages.some((page) => page.searchable && getSearchIndexName(page) === name);
  const [homeLanguage] = collectDefaultLabels(site.navigation, "language");
  const defaultVersions = collectDefaultLabels(site.navigation, "version");
  const scopes = new Map<string, readonly string[]>();

  function computeScope(
    language: string | undefined,
    version: string | undefined,
  ): readonly string[] {
    const versions = version === undefined ? [undefined, ...defaultVersions] : [version, undefined];
    const languages = language === undefined ? [undefined, homeLanguage] : [language];
    const names = languages.flatMap((tag) =>
      versions.map((label) =>
        getSearchIndexName({
          ...(tag === undefined ? {} : { language: tag }),
          ...(label === undefined ? {} : { version: label }),
        }),
      ),
    );
    const found = [...new Set(names)].filter(hasIndex);
    if (found.length > 0 || language === undefined) return found;
    const languagePages = site.pages.filter(
      (page) => page.searchable && page.language === language,
    );
    return [...new Set(languagePages.map(getSearchIndexName))];
  }
  return (page) => {
    const key = JSON.stringify([page?.language, page?.version]);
    let scope = scopes.get(key);
    if (!scope) scopes.set(key, (scope = computeScope(page?.language, page?.version)));
    return scope;
  };
}

function collectDefaultLabels(division: NavDivision, kind: NavDivision["kind"]): string[] {
  const ownLabels = division.kind === kind && division.isDefault ? [division.label] : [];
  const below = division.divisions.flatMap((child) => collectDefaultLabels(child, kind));
  return [...new Set([...ownLabels, ...below])];
}
