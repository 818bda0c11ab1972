import { createSiteLinks } from "../site/index.ts";
import { distinctProblems } from "../outputs/index.ts";
import type { Problem } from "../core/index.ts";
import type { Reference } from "../page/index.ts";
import type { Site } from "../site/index.ts";
import type { CheckedPage } from "./checked-page.ts";
import { checkConfiguredLinks, checkConfiguredPictures } from "./configured-links.ts";
import { checkRedirects } from "./redirects.ts";
import { createReferenceCheck } from "./references.ts";

/**
 * The whole truth of a rendered site: what reading and rendering it found, and links, anchors, files
 * and redirects that lead nowhere. Each problem once, in the order of files and lines. Addresses
 * outside the site are not looked at, and nothing is read or fetched.
 *
 * `isPart` says that pages were left out on purpose: then nobody can tell whether a link to a page is
 * broken, and only anchors and files are looked at.
 */
export function checkSite(
  site: Site,
  pages: readonly CheckedPage[],
  { isPart = false }: { readonly isPart?: boolean } = {},
): Problem[] {
  const links = createSiteLinks(site);
  const checkReference = createReferenceCheck({ site, pages, links, isPart });
  const checkWhole = () => [...checkConfiguredLinks(site, links), ...checkRedirects(site, links)];
  return distinctProblems([
    ...site.problems,
    ...pages.flatMap(({ rendered }) => rendered.problems),
    ...pages.flatMap(({ page, rendered }) =>
      withoutRepeats(rendered.references).flatMap((reference) =>
        checkReference(page.path, reference),
      ),
    ),
    ...checkConfiguredPictures(site, links),
    ...(isPart ? [] : checkWhole()),
  ]);
}

/** A file that a page shows many times is missing once. */
function withoutRepeats(references: readonly Reference[]): Reference[] {
  const seen = new Set<string>();
  return references.filter(({ kind, target, file }) => {
    const key = `${file}\0${target}`;
    if (kind === "link") return true;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
