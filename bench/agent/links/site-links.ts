import { renderSite } from "../../../packages/site/src/index.ts";
import type { ExportedPage, RenderChildren, Site } from "../../../packages/site/src/index.ts";
import {
  createAnchorIndex,
  createSiteLinks,
  resolveLink,
} from "../../../packages/site/src/site/index.ts";
import type { AnchorIndex } from "../../../packages/site/src/site/index.ts";

/** Where a link leads: a page, and the id of a place on it, or none. */
export interface Place {
  readonly page: string;
  readonly anchor: string;
}

/** A link that an author wrote. */
export interface AuthoredLink {
  /** One of the pages that show it. */
  readonly page: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly target: string;
}

/** A folder as its pages and the links on them. */
export interface LinkedSite {
  readonly site: Site;
  /** In the order of the site's pages and of each page's text; a link of a snippet once. */
  readonly links: readonly AuthoredLink[];
  /** Undefined for what leads nowhere, to a file or to another site; an anchor that is not there counts as nowhere. */
  resolve(target: string, from: Pick<AuthoredLink, "page" | "file">): Place | undefined;
  /** Every id of a page. */
  anchorsOf(page: string): readonly string[];
}

export interface ReadOptions {
  readonly cacheDir: string;
  readonly children?: RenderChildren;
}

export async function readLinks(siteDir: string, options: ReadOptions): Promise<LinkedSite> {
  let anchors: ReadonlyMap<string, readonly string[]> = new Map();
  let authored: readonly AuthoredLink[] = [];
  const { site } = await renderSite({
    siteDir,
    ...options,
    check(_, pages) {
      // After the export they cannot be read any more.
      anchors = new Map(pages.map(({ page, rendered }) => [page.path, rendered.anchors]));
      authored = authoredLinks(pages);
      return [];
    },
  });
  const links = createSiteLinks(site);
  const indexes = new Map<string, AnchorIndex>();
  const indexOf = (page: string): AnchorIndex => {
    const known = indexes.get(page) ?? createAnchorIndex(anchors.get(page) ?? []);
    indexes.set(page, known);
    return known;
  };
  const placeOf = (target: string, from: Pick<AuthoredLink, "page" | "file">) => {
    const found = resolveLink(target, from, links);
    if (found.kind !== "page") return undefined;
    const { path: page, anchor } = found;
    if (anchor === "") return { page, anchor };
    const id = indexOf(page).findId(anchor);
    return id === undefined ? undefined : { page, anchor: id };
  };
  // Asked for every link at every change.
  const places = new Map<string, Place | undefined>();
  return {
    site,
    links: authored,
    resolve(target, from) {
      const key = JSON.stringify([target, from.page, from.file]);
      if (!places.has(key)) places.set(key, placeOf(target, from));
      return places.get(key);
    },
    anchorsOf: (page) => anchors.get(page) ?? [],
  };
}

function authoredLinks(pages: readonly ExportedPage[]): AuthoredLink[] {
  const seen = new Map<string, Set<string>>();
  return pages.flatMap(({ page, rendered }) => {
    const own = rendered.references.filter(({ kind }) => kind === "link");
    // A snippet that another page showed before is known; two links at one place are told apart by their order.
    const files = Map.groupBy(own, ({ file }) => file);
    return [...files].flatMap(([file, references]) => {
      if (file !== page.file && seen.has(file)) return [];
      seen.set(file, new Set());
      return references.map(({ target, line, column }) => ({
        page: page.path,
        file,
        line,
        column,
        target,
      }));
    });
  });
}
