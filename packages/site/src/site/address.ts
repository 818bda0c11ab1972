/** Addresses of files of the bundle, as the outputs write them. */
import { encodePath } from "../core/index.ts";
import type { Site } from "./site.ts";

/** The HTML file of a page, or of an address that has none. */
export type FindPageFile = (path: string) => string;

/** In a bundle of folders, a page beside the folder of another (`guides` and `guides/index`) keeps its own file. */
export function createPageFiles({
  addresses,
  pages,
}: Pick<Site, "addresses" | "pages">): FindPageFile {
  if (addresses !== "folder") return (path) => `${path}.html`;
  const indexes = new Set(pages.flatMap(({ path }) => (isIndex(path) ? [path] : [])));
  return (path) =>
    isIndex(path) || indexes.has(`${path}/index`) ? `${path}.html` : `${path}/index.html`;
}

function isIndex(path: string): boolean {
  return path === "index" || path.endsWith("/index");
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
  return `${baseUrl.replace(/\/+$/, "")}/${file === "index.html" ? "" : encodePath(file)}`;
}

/** Likewise of a page: in a bundle of folders, its folder. */
export function pageAddress(
  { addresses }: Pick<Site, "addresses">,
  file: string,
  baseUrl: string | undefined,
): string {
  const isFolder = addresses === "folder" && baseUrl !== undefined;
  return fileAddress(file, baseUrl).replace(isFolder ? /(?<=\/)index\.html$/ : /$^/, "");
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
