import { createSiteLinks } from "../site/index.ts";
import { listDistinctProblems } from "../outputs/index.ts";
import type { Problem } from "../core/index.ts";
import type { Reference } from "../page/index.ts";
import type { Site } from "../site/index.ts";
import { createPageHint, createReferenceCheck, type CheckedPage } from "./references.ts";
import {
  checkCanonicalAddresses,
  checkConfiguredLinks,
  checkConfiguredImages,
  checkDescriptions,
  checkRedirects,
} from "./configured-links.ts";

/**
 * Returns all problems of a rendered site: those found by reading and rendering it, and broken links, anchors, files
 * and redirects. They are sorted by file and line, without duplicates. Addresses outside the site are not checked, and
 * nothing is fetched. The file system is accessed only to see whether missing files exist but are excluded, and to
 * locate a problem in a page's frontmatter.
 *
 * With `isPart`, pages were left out on purpose. Only anchors and files can then be checked, not links to pages.
 */
export function checkSite(
  site: Site,
  pages: readonly CheckedPage[],
  { isPart = false }: { readonly isPart?: boolean } = {},
): Problem[] {
  const links = createSiteLinks(site);
  const hintPage = createPageHint(site);
  const checkReference = createReferenceCheck({ site, pages, links, hintPage, isPart });
  const checkLinksOfSite = () => [
    ...checkConfiguredLinks(site, links, hintPage),
    ...checkDescriptions(site, links, hintPage),
    ...checkCanonicalAddresses(site, links, hintPage),
    ...checkRedirects(site, links, hintPage),
  ];
  return listDistinctProblems([
    ...site.problems,
    ...pages.flatMap(({ rendered }) => rendered.problems),
    ...pages.flatMap(({ page, rendered, hasVerifiedLinks = false }) => {
      const references = hasVerifiedLinks ? [] : removeRepeats(rendered.references);
      return references.flatMap((reference) => checkReference(page.path, reference));
    }),
    ...checkConfiguredImages(site, links),
    ...(isPart ? [] : checkLinksOfSite()),
  ]);
}

/** Removes repeated references to files, because a missing file is one problem however often the page shows it. */
function removeRepeats(references: readonly Reference[]): Reference[] {
  const included = new Set<string>();
  return references.filter(({ kind, target, file }) => {
    const key = `${file}\0${target}`;
    if (kind === "link") return true;
    if (included.has(key)) return false;
    included.add(key);
    return true;
  });
}
