import { escapeHtml } from "../markup/index.ts";
import { createAnchorIndex, type AnchorIndex } from "../article/index.ts";
import {
  addressOf,
  createSiteLinks,
  resolveLink,
  withAnchor,
  type SiteLinks,
} from "../site/index.ts";
import type { Site } from "../site/index.ts";
import type { ExportedPage } from "./render-options.ts";

/** Addresses in a page's links that arrive nowhere on their page, and those that do instead. */
export type MendedLinks = ReadonlyMap<string, string>;

/**
 * Leads links to the place they mean where they spell its id otherwise than its page does: by slug rules of
 * other tools or years that no alias of a heading covers, such as `#example%3A-start` for `example-start`,
 * or where the layout has the id that the heading would have.
 * Which ids a page has is known when all are rendered. Gives what each page has to change, a few of a large site.
 */
export function findMendedLinks(
  site: Site,
  pages: readonly ExportedPage[],
): ReadonlyMap<ExportedPage, MendedLinks> {
  const links = createSiteLinks(site);
  const anchors = new Map<string, AnchorIndex>();
  const rendered = new Map(pages.map((entry) => [entry.page.path, entry.rendered]));

  function anchorsOf(path: string): AnchorIndex {
    let index = anchors.get(path);
    if (!index) anchors.set(path, (index = createAnchorIndex(rendered.get(path)?.anchors ?? [])));
    return index;
  }
  const mended = new Map<ExportedPage, MendedLinks>();
  for (const entry of pages) {
    const changes = changesOf(entry, links, anchorsOf);
    if (changes.size > 0) mended.set(entry, changes);
  }
  return mended;
}

export function mendLinks(html: string, changes: MendedLinks): string {
  let mended = html;
  for (const [from, to] of changes) mended = mended.replaceAll(hrefOf(from), hrefOf(to));
  return mended;
}

function changesOf(
  { page, rendered }: ExportedPage,
  links: SiteLinks,
  anchorsOf: (path: string) => AnchorIndex,
): MendedLinks {
  const changes = new Map<string, string>();
  for (const { kind, target, file } of rendered.references) {
    if (kind !== "link" || !target.includes("#")) continue;
    const found = resolveLink(target, { page: page.path, file }, links);
    if (found.kind !== "page" || found.anchor === "") continue;
    const anchors = anchorsOf(found.path);
    const id = anchors.idOf(found.anchor) ?? anchors.suggest(found.anchor);
    if (id === undefined || id === found.anchor) continue;
    changes.set(addressOf(found, page.path), addressOf(withAnchor(found, id), page.path));
  }
  return changes;
}

function hrefOf(address: string): string {
  return ` href="${escapeHtml(address)}"`;
}
