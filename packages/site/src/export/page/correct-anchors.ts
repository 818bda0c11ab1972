import { createSortedLookup } from "../../core/index.ts";
import { escapeHtml, html, replaceHtml, type Html } from "../../markup/index.ts";
import {
  hrefOf,
  createSiteLinks,
  resolveLink,
  withAnchor,
  type SiteLinks,
  createAnchorIndexes,
  type AnchorIndex,
} from "../../site/index.ts";
import type { Resolution, Site } from "../../site/index.ts";
import type { ExportedPage } from "../export-settings.ts";

/** Addresses in a page's links whose anchor does not exist, each with the address that is meant. */
export type LinkCorrections = ReadonlyMap<string, string>;

interface AnchorLinks<Page> {
  /** Most pages need none and are absent. */
  readonly corrections: ReadonlyMap<Page, LinkCorrections>;
  /** For each page that was looked at the numbers of other pages of which its links name an anchor; absent if there are none. */
  readonly targets: ReadonlyMap<Page, readonly number[]>;
}

/**
 * Finds links whose anchor is spelled differently from the id on the target page: by slug rules of other or older
 * tools that no alias of a heading covers, such as `#example%3A-start` for `example-start`, or because the layout uses
 * the id that the heading would have. Ids are known only after all pages are rendered.
 */
export function findCorrections<Page extends ExportedPage>(
  site: Site,
  pages: readonly Page[],
): AnchorLinks<Page> {
  const links = createSiteLinks(site);
  const numberOf = createSortedLookup(pages.map(({ page }) => page.path));
  const anchorsOf = createAnchorIndexes(
    (path) => pages[numberOf(path) ?? -1]?.rendered.anchors ?? [],
  );
  const corrections = new Map<Page, LinkCorrections>();
  const targets = new Map<Page, readonly number[]>();
  for (const entry of pages) {
    if (entry.hasSoundLinks) continue;
    const found = linksToAnchors(entry, links);
    const changes = correctionsOf(entry.page.path, found, { links, anchorsOf });
    if (changes.size > 0) corrections.set(entry, changes);
    const others = new Set(found.map(({ path }) => path));
    others.delete(entry.page.path);
    if (others.size > 0)
      targets.set(
        entry,
        [...others].flatMap((path) => numberOf(path) ?? []),
      );
  }
  return { corrections, targets };
}

/** Corrects the links of a page's document. */
export function correctLinks(document: Html, corrections: LinkCorrections): Html {
  let corrected = document;
  for (const [from, to] of corrections)
    corrected = replaceHtml(corrected, hrefAttribute(from), hrefAttribute(to));
  return corrected;
}

type PageResolution = Extract<Resolution, { readonly kind: "page" }>;

function linksToAnchors({ page, rendered }: ExportedPage, links: SiteLinks): PageResolution[] {
  return rendered.references.flatMap(({ kind, target, file }) => {
    // An escaped sign becomes one where a redirect puts it into its destination.
    if (kind !== "link" || !/#|%23/.test(target)) return [];
    const found = resolveLink(target, { page: page.path, file }, links);
    return found.kind === "page" && found.anchor !== "" ? found : [];
  });
}

function correctionsOf(
  page: string,
  found: readonly PageResolution[],
  site: { readonly links: SiteLinks; readonly anchorsOf: (path: string) => AnchorIndex },
): LinkCorrections {
  const { links, anchorsOf } = site;
  const corrections = new Map<string, string>();
  for (const link of found) {
    const anchors = anchorsOf(link.path);
    const id = anchors.idOf(link.anchor) ?? anchors.suggest(link.anchor);
    if (id === undefined || id === link.anchor) continue;
    corrections.set(hrefOf(link, page, links), hrefOf(withAnchor(link, id), page, links));
  }
  return corrections;
}

function hrefAttribute(address: string): Html {
  return html` href="${escapeHtml(address)}"`;
}
