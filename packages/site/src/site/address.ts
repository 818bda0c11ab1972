/** Addresses of files of the bundle, as the outputs write them. */
import { encodePath } from "../core/index.ts";

/** The file of a page: `guides/start` is `guides/start.html`. */
export function pageFile(path: string): string {
  return `${path}.html`;
}

/** The feed of a page's changelog: `changelog` has `changelog/rss.xml`, a folder's own page `rss.xml` beside it. */
export function feedFile(path: string): string {
  return path === "index" ? "rss.xml" : `${path.replace(/\/index$/, "")}/rss.xml`;
}

/**
 * Where a file of the bundle is found: below `baseUrl`, or relative to the bundle's root where the
 * bundle does not know its address. The root's own page is the root.
 */
export function fileAddress(file: string, baseUrl: string | undefined): string {
  if (baseUrl === undefined) return encodePath(file);
  const root = baseUrl.replace(/\/$/, "");
  return file === "index.html" ? `${root}/` : `${root}/${encodePath(file)}`;
}

/** The way from one file of the bundle to another, which holds from `file://` and below any path. */
export function relativeAddress(from: string, to: string): string {
  const [fromParts, toParts] = [from.split("/").slice(0, -1), to.split("/")];
  let shared = 0;
  while (shared < toParts.length - 1 && fromParts[shared] === toParts[shared]) shared++;
  const up = fromParts.slice(shared).map(() => "..");
  const way = [...up, encodeReadably(toParts.slice(shared).join("/"))].join("/");
  // A first part with a colon would read as a scheme.
  return /^[^/]*:/.test(way) ? `./${way}` : way;
}

/** As `encodePath`, but for what may stand in a path as it is, such as `@` and `+`. */
function encodeReadably(path: string): string {
  return encodeURI(path.toWellFormed()).replaceAll("?", "%3F").replaceAll("#", "%23");
}
