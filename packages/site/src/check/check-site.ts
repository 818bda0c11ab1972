import { createSiteLinks } from "../site/index.ts";
import { listDistinctProblems } from "../outputs/index.ts";
import type { Problem } from "../core/index.ts";
import type { Reference } from "../page/index.ts";
import type { Site } from "../site/index.ts";
import { createReferenceCheck, type CheckedPage } from "./references.ts";
import {
  checkConfiguredLinks,
  checkConfiguredPictures,
  checkDescriptions,
  checkRedirects,
} from "./configured-links.ts";

/**
 * Returns all problems of a rendered site: those found by reading and rendering it, and broken links, anchors, files
 * and redirects. Each problem occurs once, in the order of files and lines. Addresses outside the site are not checked;
 * nothing is fetched, and nothing read but the names of missing files, which the site may exclude, and pages
 * whose frontmatter has a problem.
 *
 * With `isPart`, pages were left out on purpose: links to pages then cannot be checked, only anchors and files.
 */
export function checkSite(
  site: Site,
  pages: readonly CheckedPage[],
  { isPart = false }: { readonly isPart?: boolean } = {},
): Problem[] {
  const links = createSiteLinks(site);
  const checkReference = createReferenceCheck({ site, pages, links, isPart });
  const checkLinksOfSite = () => [
    ...checkConfiguredLinks(site, links),
    ...checkDescriptions(site, links),
    ...checkRedirects(site, links),
  ];
  return listDistinctProblems([
    ...site.problems,
    ...pages.flatMap(({ rendered }) => rendered.problems),
    ...pages.flatMap(({ page, rendered, hasVerifiedLinks = false }) => {
      const references = hasVerifiedLinks ? [] : withoutRepeats(rendered.references);
      return references.flatMap((reference) => checkReference(page.path, reference));
    }),
    ...checkConfiguredPictures(site, links),
    ...(isPart ? [] : checkLinksOfSite()),
  ]);
}

/** Removes repeated references to files: a missing file is one problem, however often the page shows it. */
function withoutRepeats(references: readonly Reference[]): Reference[] {
  const included = new Set<string>();
  return references.filter(({ kind, target, file }) => {
    const key = `${file}\0${target}`;
    if (kind === "link") return true;
    if (included.has(key)) return false;
    included.add(key);
    return true;
  });
}
