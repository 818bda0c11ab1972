/** Addresses of files of the bundle, as the outputs write them. */
import { encodePath } from "../core/index.ts";

/** The HTML file of a page: `guides/start` has `guides/start.html`. */
export function pageFile(path: string): string {
  return `${path}.html`;
}

/** The feed of a page's changelog: `changelog` has `changelog/rss.xml`, `changelog/index` too. */
export function feedFile(path: string): string {
  return path === "index" ? "rss.xml" : `${path.replace(/\/index$/, "")}/rss.xml`;
}

/**
 * The address of a file of the bundle: below `baseUrl`, or relative to the bundle's root if there is no
 * base URL. `index.html` has the address of the root.
 */
export function fileAddress(file: string, baseUrl: string | undefined): string {
  if (baseUrl === undefined) return encodePath(file);
  const root = baseUrl.replace(/\/$/, "");
  return file === "index.html" ? `${root}/` : `${root}/${encodePath(file)}`;
}

/** The relative address of one file of the bundle from another; valid for `file://` and below any path. */
export function relativeAddress(from: string, to: string): string {
  const [fromParts, toParts] = [from.split("/").slice(0, -1), to.split("/")];
  let shared = 0;
  while (shared < toParts.length - 1 && fromParts[shared] === toParts[shared]) shared++;
  const up = fromParts.slice(shared).map(() => "..");
  const way = [...up, encodeReadably(toParts.slice(shared).join("/"))].join("/");
  // A first part with a colon would read as a scheme.
  return /^[^/]*:/.test(way) ? `./${way}` : way;
}

/** Like `encodePath`, but keeps characters that paths may contain, such as `@` and `+`. */
function encodeReadably(path: string): string {
  return encodeURI(path.toWellFormed()).replaceAll("?", "%3F").replaceAll("#", "%23");
}
