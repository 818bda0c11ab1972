import { createPageFiles, getRelativeAddress } from "./address.ts";
import type { FindPageFile } from "./address.ts";
import { createFolderPageFinder, createPageFinder, findFirstPage } from "./navigation.ts";
import { createRedirectMatcher } from "./redirect-matcher.ts";
import { splitAddress } from "../text/index.ts";
import type { Site } from "./site.ts";
import { normalizeRemoteAddress, type FindCopy } from "./remote-media.ts";

/** The information about a site that resolving links needs. Paths have no leading slash and the case of their files. */
export interface SiteLinks {
  /** Reports whether there is a page with this `SitePage.path`. */
  hasPage(path: string): boolean;
  /** Reports whether the bundle has this file that is not a page. */
  hasFile(path: string): boolean;
  /** Returns the destination of the redirect from `path`: a path with a leading slash or a URL. */
  redirectOf(path: string): string | undefined;
  /** Returns the page that the address of a folder without an index shows. */
  folderPage(folder: string): string | undefined;
  /** Returns the HTML file of a page. */
  readonly fileOf: FindPageFile;
  /** The page that `/` shows. */
  readonly home: string | undefined;
  /** Finds copies of media on other hosts. If absent, media are shown from those hosts. */
  readonly copyOf?: FindCopy | undefined;
}

/** The target of a link or a picture. */
export type Resolution =
  /** A page of the site; `suffix` is the query and fragment as in a URL (`?a=b#c`), `anchor` the decoded fragment. */
  | {
      readonly kind: "page";
      readonly path: string;
      readonly suffix: string;
      readonly anchor: string;
    }
  /** A file of the bundle. */
  | { readonly kind: "file"; readonly path: string; readonly suffix: string }
  /** An address with a scheme (`https:`, `mailto:`, ...); `//host` becomes `https://host`. */
  | { readonly kind: "external"; readonly url: string }
  /** A picture, sound or video on another host that this bundle does not show. */
  | { readonly kind: "elsewhere"; readonly url: string }
  /** A path of the site that is neither a page nor a file; `path` is the first candidate. */
  | { readonly kind: "unknown"; readonly path: string; readonly suffix: string }
  /** A URL that would run code. */
  | { readonly kind: "unsafe" };

type PageResolution = Extract<Resolution, { readonly kind: "page" }>;

/** The position of a link in the site. */
export interface LinkOrigin {
  /** `SitePage.path` of the page that shows it. */
  readonly page: string;
  /** Source file that contains it, relative to the site's root: the snippet, if it is in one. */
  readonly file: string;
}

/** Maximum number of chained redirects to follow. */
const maxRedirects = 8;
/** Targets are truncated to this length: file systems and servers do not accept longer ones. */
const maxTargetLength = 4_000;

/**
 * Prepares a site for resolving links. Pages must be sorted by path, as a site's are. The home page is `index`,
 * otherwise the first page of the navigation, otherwise the first page of the site.
 */
export function createSiteLinks(
  site: Pick<Site, "addresses" | "pages" | "navigation" | "assets" | "spareAssets" | "redirects">,
): SiteLinks {
  const find = createPageFinder(site.pages);
  const files = new Set([...site.assets, ...(site.spareAssets ?? [])]);
  const hasPage = (path: string) => find(path) !== undefined;
  return {
    hasPage,
    fileOf: createPageFiles(site),
    folderPage: createFolderPageFinder(site, hasPage),
    hasFile: (path) => files.has(path),
    redirectOf: createRedirectMatcher(site.redirects),
    home: hasPage("index") ? "index" : (findFirstPage(site.navigation) ?? site.pages[0]?.path),
  };
}

/**
 * Resolves a link as authored: as a URL of the site, a file or a relative path (`/guides/start`, `guides/start`,
 * `./start`, `../x.md`, `start.mdx#a`, `/`), with query, percent-encoding or trailing slash. Has no side effects and
 * never throws.
 */
export function resolveLink(target: string, origin: LinkOrigin, links: SiteLinks): Resolution {
  return resolve(target, origin, links, 0);
}

/** Resolves the source of a picture, a video or a frame like a link, but prefers files to pages. */
export function resolveMedia(target: string, origin: LinkOrigin, links: SiteLinks): Resolution {
  const parts = splitTarget(target);
  if ("kind" in parts) return remoteMedia(allowMedia(parts, target), links);
  if (parts.path === "") return pageResolution(origin.page, parts.suffix);
  const paths = candidatePaths(parts.path, origin);
  const file = paths.find((path) => links.hasFile(path));
  if (file !== undefined) return { kind: "file", path: file, suffix: parts.suffix };
  const page = findPage(paths, links);
  if (page !== undefined) return pageResolution(page, parts.suffix);
  return { kind: "unknown", path: paths[0] ?? "", suffix: parts.suffix };
}

/**
 * Returns the address to write into the page `from`, or into the bundle's root if `from` is empty: relative and
 * percent-encoded, unless it is external. An unknown path without an extension is treated as a page. Returns `#` for an
 * unsafe address, and an empty address for media on another host that is not shown.
 */
export function getHref(
  resolution: Resolution,
  from: string,
  { fileOf }: Pick<SiteLinks, "fileOf">,
): string {
  if (resolution.kind === "external") return resolution.url;
  if (resolution.kind === "unsafe") return "#";
  if (resolution.kind === "elsewhere") return "";
  const { kind, path, suffix } = resolution;
  if (kind === "page" && path === from && suffix.startsWith("#")) return suffix;
  const target = targetFile(kind, path, fileOf);
  return getRelativeAddress(from === "" ? "" : fileOf(from), target) + suffix;
}

/** Returns the same page with the anchor `id`. */
export function replaceAnchor(page: PageResolution, id: string): PageResolution {
  const query = page.suffix.replace(/#.*$/s, "");
  return { ...page, suffix: `${query}#${encodeURI(id.toWellFormed())}`, anchor: id };
}

function targetFile(kind: "page" | "file" | "unknown", path: string, fileOf: FindPageFile): string {
  if (kind === "file") return path;
  return kind === "page" ? fileOf(path) : unknownFile(path, fileOf);
}

function unknownFile(path: string, fileOf: FindPageFile): string {
  if (path === "") return "index.html";
  const page = path.replace(/\.mdx?$/, "");
  return page === path && /\.[a-z][a-z0-9]{0,9}$/i.test(path) ? path : fileOf(page);
}

function resolve(target: string, origin: LinkOrigin, links: SiteLinks, hops: number): Resolution {
  const parts = splitTarget(target);
  if ("kind" in parts) return parts;
  const { path, suffix } = parts;
  if (path === "") return pageResolution(origin.page, suffix);
  const paths = candidatePaths(path, origin);
  const page = findPage(paths, links);
  if (page !== undefined) return pageResolution(page, suffix);
  const file = paths.find((candidate) => links.hasFile(candidate));
  if (file !== undefined) return { kind: "file", path: file, suffix };
  const redirected = hops < maxRedirects ? followRedirect(paths, links) : undefined;
  if (redirected === undefined) {
    const first = findFolderPage(paths, links);
    if (first !== undefined) return pageResolution(first, suffix);
    return { kind: "unknown", path: paths[0] ?? "", suffix };
  }
  // The link's own fragment takes precedence over the redirect's.
  const destination = suffix === "" ? redirected : splitAddress(redirected).path + suffix;
  return resolve(destination, origin, links, hops + 1);
}

function followRedirect(paths: readonly string[], links: SiteLinks): string | undefined {
  for (const path of paths) {
    const destination = links.redirectOf(path);
    if (destination !== undefined) return destination;
  }
  return undefined;
}

function findFolderPage(paths: readonly string[], links: SiteLinks): string | undefined {
  for (const path of paths) {
    const page = links.folderPage(path);
    if (page !== undefined) return page;
  }
  return undefined;
}

function pageResolution(path: string, suffix: string): Resolution {
  const hash = suffix.indexOf("#");
  const anchor = hash === -1 ? "" : decode(suffix.slice(hash + 1));
  return { kind: "page", path, suffix, anchor };
}

interface TargetParts {
  /** The decoded path; empty for the page itself. */
  readonly path: string;
  /** The encoded query and fragment. */
  readonly suffix: string;
}

const scheme = /^([a-z][a-z0-9+.-]*):/i;
const unsafeSchemes = new Set(["javascript", "vbscript", "data", "blob", "view-source"]);

function splitTarget(target: string): TargetParts | Resolution {
  // Browsers ignore control characters in a scheme, so that `java\nscript:` runs.
  const clean = target
    .slice(0, maxTargetLength)
    .replaceAll(/[\p{Cc}]+/gu, "")
    .trim();
  const name = scheme.exec(clean)?.[1]?.toLowerCase();
  if (name !== undefined) {
    return unsafeSchemes.has(name) ? { kind: "unsafe" } : { kind: "external", url: target.trim() };
  }
  // In a page opened from disk, an address without a scheme would be a file on the reader's machine.
  if (/^[/\\]{2}/.test(clean)) {
    return { kind: "external", url: `https:${clean.replaceAll("\\", "/")}` };
  }
  const { path, suffix } = splitAddress(clean);
  return { path: decode(path).replaceAll("\\", "/"), suffix: encodeSuffix(suffix) };
}

/** Allows `data:` URLs of pictures, sounds, videos and fonts, which are harmless as media, but not as links. */
function allowMedia(resolution: Resolution, target: string): Resolution {
  const isHarmless = /^\s*data:(?:image|audio|video|font)\//i.test(target);
  return resolution.kind === "unsafe" && isHarmless
    ? { kind: "external", url: target.trim() }
    : resolution;
}

function remoteMedia(resolution: Resolution, { copyOf }: SiteLinks): Resolution {
  if (copyOf === undefined || resolution.kind !== "external") return resolution;
  const { url } = resolution;
  if (/^data:/i.test(url)) return resolution;
  const address = normalizeRemoteAddress(url);
  const path = address === undefined ? undefined : copyOf(address);
  if (path === undefined) return { kind: "elsewhere", url };
  const hash = url.indexOf("#");
  return { kind: "file", path, suffix: hash === -1 ? "" : encodeSuffix(url.slice(hash)) };
}

function encodeSuffix(suffix: string): string {
  const hash = suffix.indexOf("#");
  const query = hash === -1 ? suffix : suffix.slice(0, hash);
  const fragment =
    hash === -1 ? "" : `#${encodeURI(decode(suffix.slice(hash + 1)).toWellFormed())}`;
  return encodeURI(query.toWellFormed()).replaceAll("%25", "%") + fragment;
}

function decode(text: string): string {
  if (!text.includes("%")) return text.normalize("NFC");
  try {
    return decodeURIComponent(text).normalize("NFC");
  } catch {
    return text;
  }
}

/**
 * Returns the paths that a target may mean, most likely first: relative to the page, to the snippet that contains it,
 * and to the site's root.
 */
function candidatePaths(path: string, origin: LinkOrigin): string[] {
  if (path.startsWith("/")) return [joinPath("", path)];
  const bases = new Set([getFolder(origin.page), getFolder(origin.file), ""]);
  return [...new Set([...bases].map((base) => joinPath(base, path)))];
}

function getFolder(path: string): string {
  const end = path.lastIndexOf("/");
  return end === -1 ? "" : path.slice(0, end);
}

/** Joins paths as browsers do: `..` at the root stays at the root. The result has no leading or trailing slash. */
function joinPath(base: string, path: string): string {
  const parts = base === "" ? [] : base.split("/");
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts.join("/");
}

function findPage(paths: readonly string[], links: SiteLinks): string | undefined {
  for (const path of paths) {
    const found = pageAt(path, links) ?? pageAt(path.replace(/\.(?:mdx?|html?)$/, ""), links);
    if (found !== undefined) return found;
  }
  return undefined;
}

function pageAt(path: string, links: SiteLinks): string | undefined {
  if (path === "") return links.home;
  if (links.hasPage(path)) return path;
  const index = `${path}/index`;
  if (links.hasPage(index)) return index;
  const folder = /^(?:(.*)\/)?(?:index|readme)$/i.exec(path);
  if (folder === null) return undefined;
  const [, parent = ""] = folder;
  if (parent === "") return links.home;
  return [`${parent}/index`, parent].find((candidate) => links.hasPage(candidate));
}

/** Reports whether following the address leaves the site for another host; false for `mailto:` and `data:`. */
export function isOffSite(resolution: Resolution): boolean {
  if (resolution.kind === "elsewhere") return true;
  return resolution.kind === "external" && /^(?:https?:)?\/\//i.test(resolution.url);
}
