import { sha256 } from "../core/index.ts";
import type { NavDivision, Site, SitePage } from "./site.ts";

const maxNameBytes = 100;
const nameOfAll = "all";

/** Returns the name of the search index that contains a page: there is one for each language and version of a site. */
export function getSearchIndexName(page: Pick<SitePage, "language" | "version">): string {
  // Called for each page of a site; most pages have neither.
  if (page.language === undefined && page.version === undefined) return nameOfAll;
  const parts = [page.language, page.version].filter((part) => part !== undefined);
  const name = parts
    .join("-")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}.]+/gu, "-");
  const short = name.replace(/^[-.]+|[-.]+$/g, "") || nameOfAll;
  // It becomes the name of a folder, and a version's label may be long.
  return Buffer.byteLength(short) <= maxNameBytes ? short : sha256(short).slice(0, 16);
}

/**
 * Creates a function from a page to the names of the search indexes for its readers: the index of its language and
 * version, and that of pages without a version; for a page without a version, those of the default versions. Returns
 * only names of indexes that exist.
 */
export function createSearchScope(site: Site): (page: SitePage | undefined) => readonly string[] {
  // The first pages nearly always suffice: not all of them are read.
  const hasIndex = (name: string) =>
    site.pages.some((page) => page.searchable && getSearchIndexName(page) === name);
  const [homeLanguage] = defaultLabels(site.navigation, "language");
  const defaultVersions = defaultLabels(site.navigation, "version");
  const scopes = new Map<string, readonly string[]>();

  function scopeOf(language: string | undefined, version: string | undefined): readonly string[] {
    const versions = version === undefined ? [undefined, ...defaultVersions] : [version, undefined];
    const names = versions.map((label) =>
      getSearchIndexName({
        ...(language === undefined ? {} : { language }),
        ...(label === undefined ? {} : { version: label }),
      }),
    );
    return [...new Set(names)].filter(hasIndex);
  }
  return (page) => {
    const language = page ? page.language : homeLanguage;
    const key = JSON.stringify([language, page?.version]);
    let scope = scopes.get(key);
    if (!scope) scopes.set(key, (scope = scopeOf(language, page?.version)));
    return scope;
  };
}

function defaultLabels(division: NavDivision, kind: NavDivision["kind"]): string[] {
  const own = division.kind === kind && division.isDefault ? [division.label] : [];
  const below = division.divisions.flatMap((child) => defaultLabels(child, kind));
  return [...new Set([...own, ...below])];
}
