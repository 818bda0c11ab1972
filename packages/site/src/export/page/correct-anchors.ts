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
import type { Site } from "../../site/index.ts";
import type { ExportedPage } from "../export-settings.ts";

/** Addresses in a page's links whose anchor does not exist, each with the address that is meant. */
export type LinkCorrections = ReadonlyMap<string, string>;

/**
 * Finds links whose anchor is spelled differently from the id on the target page: by slug rules of other or older
 * tools that no alias of a heading covers, such as `#example%3A-start` for `example-start`, or because the layout uses
 * the id that the heading would have. Ids are known only after all pages are rendered. Most pages need no corrections
 * and are absent.
 */
export function findCorrections<Page extends ExportedPage>(
  site: Site,
  pages: readonly Page[],
): ReadonlyMap<Page, LinkCorrections> {
  const links = createSiteLinks(site);
  // Made when the first link names an anchor: after an edit few links are looked at.
  let rendered: ReadonlyMap<string, ExportedPage["rendered"]> | undefined;
  const anchorsOf = createAnchorIndexes((path) => {
    rendered ??= new Map(pages.map((entry) => [entry.page.path, entry.rendered]));
    return rendered.get(path)?.anchors ?? [];
  });
  const corrections = new Map<Page, LinkCorrections>();
  for (const entry of pages) {
    if (entry.hasSoundLinks) continue;
    const changes = correctionsOf(entry, links, anchorsOf);
    if (changes.size > 0) corrections.set(entry, changes);
  }
  return corrections;
}

/** Corrects the links of a page's document. */
export function correctLinks(document: Html, corrections: LinkCorrections): Html {
  let corrected = document;
  for (const [from, to] of corrections)
    corrected = replaceHtml(corrected, hrefAttribute(from), hrefAttribute(to));
  return corrected;
}

function correctionsOf(
  { page, rendered }: ExportedPage,
  links: SiteLinks,
  anchorsOf: (path: string) => AnchorIndex,
): LinkCorrections {
  const corrections = new Map<string, string>();
  for (const { kind, target, file } of rendered.references) {
    if (kind !== "link" || !target.includes("#")) continue;
    const found = resolveLink(target, { page: page.path, file }, links);
    if (found.kind !== "page" || found.anchor === "") continue;
    const anchors = anchorsOf(found.path);
    const id = anchors.idOf(found.anchor) ?? anchors.suggest(found.anchor);
    if (id === undefined || id === found.anchor) continue;
    const corrected = hrefOf(withAnchor(found, id), page.path, links);
    corrections.set(hrefOf(found, page.path, links), corrected);
  }
  return corrections;
}

function hrefAttribute(address: string): Html {
  return html` href="${escapeHtml(address)}"`;
}
