import { editionOf, isEdition, sameEdition } from "./edition.ts";
import { plainAddress } from "../page-path.ts";
import type { SiteIndex } from "./site-index.ts";

/** The page at an address below the language's or version's folder that another page lies in. */
export function inOwnEdition(
  address: string,
  from: string | undefined,
  index: SiteIndex,
): string | undefined {
  if (!sameEdition(address, "")) return undefined;
  const folders = (from ?? "").split("/").slice(0, -1);
  const depth = folders.findLastIndex(isEdition) + 1;
  return depth === 0 ? undefined : index.pageAt(`${folders.slice(0, depth).join("/")}/${address}`);
}

/**
 * Whether pages of a language or version lead to pages outside its folder that it has within, too: what their links
 * name is then not to be looked for within. `texts` are those that were read, by file; each edition is looked at once.
 */
export function createLeavingReader(
  texts: ReadonlyMap<string, string>,
  index: SiteIndex,
): (from: string | undefined) => boolean {
  const known = new Map<string, boolean>();
  const isLeft = (path: string, page: string): boolean => {
    const found = index.pageAt(path);
    const isThere = found !== undefined && plainAddress(found) === path;
    return isThere && inOwnEdition(path, page, index) !== undefined;
  };
  return (from) => {
    if (from === undefined) return false;
    const edition = editionOf(from);
    const isLeaving =
      known.get(edition) ??
      [...texts].some(
        ([file, text]) =>
          editionOf(file) === edition && rootPaths(text).some((path) => isLeft(path, file)),
      );
    known.set(edition, isLeaving);
    return isLeaving;
  };
}

/** What links from the root name, in Markdown and in tags. */
function rootPaths(text: string): readonly string[] {
  const found = text.matchAll(/(?:\]\(|\bhref=["'])\/([^\s)"'#?]+)/g);
  return [...found].map(([, path = ""]) => plainAddress(path));
}
