import type { NavDivision, SitePage } from "../site/index.ts";
import type { PageSource } from "./read-pages.ts";
import type { PageUse, NavigationResult } from "./read-navigation.ts";

/**
 * Adds to pages their positions in the navigation and their visibility, by the visibility matrix of the
 * format:
 *
 * | | navigation | search | sitemap, llms.txt | crawlers |
 * |---|---|---|---|---|
 * | `hidden: true`, or below a hidden level | no | no | no | no |
 * | not listed | no | no | no | yes |
 * | `noindex: true` | yes | no | no | no |
 * | `searchable: false` | yes | no | yes | yes |
 * | below a hidden level with `searchable: true`, or with `hidden: false` of its own | no | yes | yes | yes |
 * | `seo.indexing: "all"` | as above | yes | yes | yes |
 */
export function addPagePlacements(
  sources: readonly PageSource[],
  navigation: NavigationResult,
  indexing: "navigable" | "all",
): SitePage[] {
  return sources.map((source) => {
    const uses = byImportance(navigation.uses.get(source.path) ?? [], navigation.root);
    const [canonical] = uses;
    const boost = source.frontmatter.boost ?? canonical?.boost;
    const { language, version } = canonical ?? {};
    return {
      ...source,
      places: uses.map((use) => use.place),
      ...visibility(source, uses, indexing),
      ...(boost === undefined ? {} : { boost }),
      ...(language === undefined ? {} : { language }),
      ...(version === undefined ? {} : { version }),
    };
  });
}

type Visibility = Required<Pick<SitePage, "hidden" | "indexed" | "searchable" | "crawlable">>;

function visibility(
  { frontmatter }: PageSource,
  uses: readonly PageUse[],
  indexing: "navigable" | "all",
): Visibility {
  const isListed = uses.length > 0;
  const hidesItself = frontmatter.hidden === true;
  const hidden = hidesItself || uses.every((use) => use.hidden);
  const isFoundThere = uses.some((use) => !use.hidden || use.discoverable);
  const isFound = !hidesItself && isListed && (isFoundThere || frontmatter.hidden === false);
  const isSearchableThere = !isListed || uses.some((use) => use.searchable);
  const isSearchAllowed = frontmatter.searchable !== false && isSearchableThere;
  // A page that is only a link has no content to find.
  if (frontmatter.url !== undefined) {
    return { hidden, indexed: false, searchable: false, crawlable: false };
  }
  if (indexing === "all") {
    return { hidden, indexed: true, searchable: isSearchAllowed, crawlable: true };
  }
  const indexed = isFound && frontmatter.noindex !== true;
  const isUnlisted = !isListed && !hidesItself && frontmatter.noindex !== true;
  return {
    hidden,
    indexed,
    searchable: indexed && isSearchAllowed,
    crawlable: indexed || isUnlisted,
  };
}

/** Puts the canonical use first: a visible use in the default language and version. Otherwise keeps the order. */
function byImportance(uses: readonly PageUse[], root: NavDivision): readonly PageUse[] {
  if (uses.length < 2) return uses;
  const ranked = uses.map((use) => ({ use, rank: rankUse(use, root) }));
  return ranked.toSorted((a, b) => a.rank - b.rank).map(({ use }) => use);
}

function rankUse(use: PageUse, root: NavDivision): number {
  if (use.hidden) return 2;
  let division: NavDivision | undefined = root;
  for (const index of use.place.divisions) {
    division = division?.divisions[index];
    const isSwitched = division?.kind === "language" || division?.kind === "version";
    if (isSwitched && !division?.isDefault) return 1;
  }
  return 0;
}
