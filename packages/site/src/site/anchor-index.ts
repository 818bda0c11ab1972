import { findOnlySimilarName, foldLettersAndDigits } from "../core/index.ts";

/** Finds ids on one page by the fragment of a link to the page. */
export interface AnchorIndex {
  /**
   * Returns the id to which a fragment leads, or undefined if there is none. It is usually the fragment itself, but a
   * different id if the layout uses the fragment as an id.
   */
  findId(anchor: string): string | undefined;
  /**
   * Returns the id that differs from the fragment only in punctuation and case; if there are several, the one with the
   * least punctuation. If there is none, returns the most similar id, unless several are equally similar.
   */
  suggest(anchor: string): string | undefined;
}

/**
 * Ids of the layout around an article and of elements that the reader's script adds. Styles and scripts of sites rely
 * on them. A heading such as `Footer` gets a different id, because it would otherwise have the styles of the layout's
 * footer, and links to it would be ambiguous.
 */
export const layoutIds: ReadonlySet<string> = new Set([
  "banner",
  "body-content",
  "changelog-filters",
  "content",
  "content-area",
  "content-container",
  "footer",
  "header",
  "mdx-content",
  "multi-view",
  "navbar",
  "navigation-items",
  "page-context-menu",
  "page-directory",
  "page-source",
  "page-title",
  "pagination",
  "search",
  "search-bar-entry",
  "search-input",
  "search-results",
  "side-panel",
  "sidebar",
  "sidebar-column",
  "sidebar-content",
  "table-of-contents",
  "table-of-contents-content",
]);

/** @param ids The ids in the format of `PageContent.anchors`, in the order of the page. */
export function createAnchorIndex(ids: readonly string[]): AnchorIndex {
  const idSet = new Set(ids);
  return {
    findId(anchor) {
      const ownId = layoutIds.has(anchor) ? avoidLayoutId(anchor) : anchor;
      if (idSet.has(ownId)) return ownId;
      return idSet.has(anchor) ? anchor : undefined;
    },
    suggest(anchor) {
      // Broken anchors are so rare that they do not justify an index.
      const folded = foldLettersAndDigits(anchor);
      if (folded === "") return undefined;
      const matches = ids.filter((id) => foldLettersAndDigits(id) === folded);
      return matches.toSorted((a, b) => a.length - b.length)[0] ?? findOnlySimilarName(anchor, ids);
    },
  };
}

/**
 * The maximum number of pages whose anchor indexes are in memory. Most links lead to the same pages as links near them.
 */
const maxIndexes = 1_000;

/**
 * Returns a function that finds the index of a page by path. An index is built when it is first accessed. Only a few
 * are kept in memory, because a large site has millions of anchors.
 */
export function createAnchorIndexes(
  listAnchors: (path: string) => readonly string[],
): (path: string) => AnchorIndex {
  let recent = new Map<string, AnchorIndex>();
  let older = recent;
  return (path) => {
    let index = recent.get(path);
    if (index) return index;
    index = older.get(path) ?? createAnchorIndex(listAnchors(path));
    if (recent.size === maxIndexes) [older, recent] = [recent, new Map()];
    recent.set(path, index);
    return index;
  };
}

/** Returns the id that a heading or component gets instead of `id` if the layout uses `id`. */
export function avoidLayoutId(id: string): string {
  return `${id}-section`;
}
