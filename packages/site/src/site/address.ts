/** Functions for the addresses of the bundle's files in generated output. */
import { encodePath } from "../core/index.ts";
import type { Site } from "./site.ts";

/** Returns the HTML file for the path of a page, or for an address without a page. */
export type FindPageFile = (path: string) => string;

/**
 * Creates a function that returns the HTML file of a page. In a bundle of folders, a page whose folder belongs to
 * another page (`guides` and `guides/index`) has its own file instead.
 */
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

/** Returns the path of the script with the parts of a page's schemas that are loaded when readers open them. */
export function getSchemaScriptPath(path: string): string {
  return `_octavo/schemas/${path}.js`;
}

/**
 * Returns the path of the feed of a page's changelog, e.g. `changelog/rss.xml` for both `changelog` and
 * `changelog/index`.
 */
export function getFeedPath(path: string): string {
  return path === "index" ? "rss.xml" : `${path.replace(/\/index$/, "")}/rss.xml`;
}

/**
 * Returns the address of a file in the bundle. The address is below `baseUrl`, or relative to the bundle's root if
 * there is no base URL. `index.html` has the address of the root.
 */
export function getFileAddress(file: string, baseUrl: string | undefined): string {
  if (baseUrl === undefined) return encodePath(file);
  return `${baseUrl.replace(/\/+$/, "")}/${file === "index.html" ? "" : encodePath(file)}`;
}

/**
 * Returns the address of a page. In a bundle of folders, it is the address of the page's folder; with clean addresses,
 * it has no extension.
 */
export function getPageAddress(
  { addresses }: Pick<Site, "addresses">,
  file: string,
  baseUrl: string | undefined,
): string {
  const address = getFileAddress(file, baseUrl);
  if (addresses === "clean") return stripPageExtension(address);
  const isFolder = addresses === "folder" && baseUrl !== undefined;
  return isFolder ? address.replace(/(?<=\/)index\.html$/, "") : address;
}

/** Returns the address of a page from another file of the bundle, in the form that the site's links use. */
export function getRelativePageAddress(
  { addresses }: Pick<Site, "addresses">,
  from: string,
  file: string,
): string {
  const address = getRelativeAddress(from, file);
  return addresses === "clean" ? stripPageExtension(address) || "./" : address;
}

/** Removes `index.html`, or the extension `.html` of any other page. */
function stripPageExtension(address: string): string {
  return address.replace(/(^|\/)index\.html$|\.html$/, "$1");
}

/** Returns the relative address of one file of the bundle from another. It works with `file://` and below any path. */
export function getRelativeAddress(from: string, to: string): string {
  const [fromParts, toParts] = [from.split("/").slice(0, -1), to.split("/")];
  let shared = 0;
  while (shared < toParts.length - 1 && fromParts[shared] === toParts[shared]) shared++;
  const up = fromParts.slice(shared).map(() => "..");
  const address = [...up, encodeReadably(toParts.slice(shared).join("/"))].join("/");
  // Without `./`, a first part with a colon would be parsed as a scheme.
  return /^[^/]*:/.test(address) ? `./${address}` : address;
}

/** Encodes like `encodePath`, but keeps characters that paths may contain, such as `@` and `+`. */
function encodeReadably(path: string): string {
  return encodeURI(path.toWellFormed()).replaceAll("?", "%3F").replaceAll("#", "%23");
}
