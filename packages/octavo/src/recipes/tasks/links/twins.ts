import { lastPart } from "../../pages.ts";
import type { SiteIndex } from "./site-index.ts";

/**
 * Whether the folders in which two paths begin to differ have pages of the same names: then one path is the other's
 * twin, for another product or kind of reader, and not what became of it.
 */
export function isTwin(one: string, other: string, index: SiteIndex): boolean {
  const [a, b] = [one.split("/"), other.split("/")];
  while (a.length > 1 && b.length > 1 && a.at(-1) === b.at(-1)) {
    a.pop();
    b.pop();
  }
  const [mine, theirs] = [`${a.join("/")}/`, `${b.join("/")}/`];
  if (mine.startsWith(theirs) || theirs.startsWith(mine)) return false;
  const names = new Set(
    pagesBelow(mine, index).filter((name) => !index.isCommonName(lastPart(name))),
  );
  return pagesBelow(theirs, index).some((name) => names.has(name));
}

function pagesBelow(folder: string, index: SiteIndex): string[] {
  return index.pagesBelow(folder.slice(0, -1)).map((page) => page.slice(folder.length));
}
