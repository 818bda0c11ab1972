import { createPageFiles, getRelativeAddress, getRelativePageAddress } from "./address.ts";
import type { FindPageFile } from "./address.ts";
import { createFolderPageFinder, createPageFinder, findFirstPage } from "./navigation.ts";
import { createRedirectMatcher } from "./redirect-matcher.ts";
import { splitAddress } from "../text/index.ts";
import type { Site, SitePage } from "./site.ts";
import { normalizeRemoteAddress, type FindCopy } from "./remote-media.ts";
import { getParentFolder } from "../core/index.ts";

/**
 * The information about a site that is needed to resolve links. Paths have no leading slash and the same case as the
 * files.
 */
export interface SiteLinks {
  /** Reports whether there is a page with this `SitePage.path`. */
  hasPage(path: string): boolean;
  readonly addresses: Site["addresses"];
  /** Reports whether the bundle contains a file with this path that is not a page. */
  hasFile(path: string): boolean;
  /** Returns the destination of the redirect from `path`, which is a path with a leading slash or a URL. */
  findRedirect(path: string): string | undefined;
  /** Returns the page that is shown at the address of a folder without an index. */
  findFolderPage(folder: string): string | undefined;
  /**
   * Returns the page whose path without its order numbers is the given path. Other programs that render a folder of
   * Markdown remove these numbers from addresses. Absent on a site with a configuration.
   */
  findNumberedPage?(path: string): string | undefined;
  /** Returns the HTML file of a page. */
  readonly fileOf: FindPageFile;
  /** The path of the page that is shown at `/`. */
  readonly home: string | undefined;
  /** The same as `Site.basePaths`. */
  readonly basePaths?: readonly string[] | undefined;
  /** Finds copies of media on other hosts. If absent, media are shown from those hosts. */
  readonly findCopy?: FindCopy | undefined;
}

/** The target of a link or an image. */
export type Resolution =
  /**
   * A page of the site. `suffix` is the query and fragment in the form of a URL (`?a=b#c`). `anchor` is the decoded
   * fragment.
   */
  | {
      readonly kind: "page";
      readonly path: string;
      readonly suffix: string;
      readonly anchor: string;
    }
  /** A file of the bundle. */
  | { readonly kind: "file"; readonly path: string; readonly suffix: string }
  /** An address with a scheme (`https:`, `mailto:`, ...). `//host` becomes `https://host`. */
  | { readonly kind: "external"; readonly url: string }
  /** An image, audio file or video on another host that this bundle does not show. */
  | { readonly kind: "elsewhere"; readonly url: string }
  /**
   * A path of the site that is neither a page nor a file; `path` is the path to which the target most likely refers.
   */
  | { readonly kind: "unknown"; readonly path: string; readonly suffix: string }
  /** A URL that would run code. */
  | { readonly kind: "unsafe" };

type PageResolution = Extract<Resolution, { readonly kind: "page" }>;

/** The position of a link in the site. */
export interface LinkOrigin {
  /** `SitePage.path` of the page that shows the link. */
  readonly page: string;
  /**
   * The source file that contains the link, relative to the site's root. For a link in a snippet, this is the snippet.
   */
  readonly file: string;
}

/** The maximum number of redirects that are followed. */
const maxRedirects = 8;
/** The length to which targets are truncated. File systems and servers do not accept longer targets. */
const maxTargetLength = 4_000;

/**
 * Prepares a site for resolving links. Pages must be sorted by path, as a site's pages are. The home page is `index`;
 * if there is no such page, it is the first page of the navigation or, if that has no pages, the first page of the
 * site.
 */
export function createSiteLinks(
  site: Pick<
    Site,
    "addresses" | "pages" | "navigation" | "assets" | "spareAssets" | "redirects" | "basePaths"
  > &
    Partial<Pick<Site, "configFile">>,
): SiteLinks {
  const find = createPageFinder(site.pages);
  const files = new Set([...site.assets, ...(site.spareAssets ?? [])]);
  const hasPage = (path: string) => find(path) !== undefined;
  return {
    hasPage,
    addresses: site.addresses,
    fileOf: createPageFiles(site),
    findFolderPage: createFolderPageFinder(site, hasPage),
    hasFile: (path) => files.has(path),
    ...(site.configFile === "none" && { findNumberedPage: createNumberedPageFinder(site.pages) }),
    findRedirect: createRedirectMatcher(site.redirects),
    basePaths: site.basePaths,
    home: hasPage("index") ? "index" : (findFirstPage(site.navigation) ?? site.pages[0]?.path),
  };
}

/** Matches the order number of a file or folder, but not a date or version. */
const orderNumber = /(^|\/)\d{1,6}[-_. ]+(?=[^/\d])/g;

/** Removes the order numbers from all parts of a path: `02-guides/1-start` becomes `guides/start`. */
export function stripOrderNumbers(path: string): string {
  return path.replaceAll(orderNumber, "$1");
}

function createNumberedPageFinder(pages: readonly Pick<SitePage, "path">[]) {
  // The map is created for the first link that does not resolve in any other way.
  let byPath: ReadonlyMap<string, string> | undefined;
  return (path: string) => {
    byPath ??= new Map(pages.toReversed().map((page) => [stripOrderNumbers(page.path), page.path]));
    const found = byPath.get(path.replace(/\.(?:mdx?|html?)$/, "")) ?? byPath.get(`${path}/index`);
    return found === path ? undefined : found;
  };
}

/**
 * Resolves an authored link, which may be a URL path of the site, a file or a relative path (`/guides/start`,
 * `guides/start`, `./start`, `../x.md`, `start.mdx#a`, `/`), and may have a query, percent-encoding or a trailing
 * slash. Has no side effects and never throws.
 */
export function resolveLink(target: string, origin: LinkOrigin, links: SiteLinks): Resolution {
  return resolve(target, origin, links, 0);
}

/** Resolves the source of an image, video or frame like a link, but prefers files to pages. */
export function resolveMedia(target: string, origin: LinkOrigin, links: SiteLinks): Resolution {
  const parts = splitTarget(target);
  if ("kind" in parts) return resolveRemoteMedia(allowMedia(parts, target), links);
  const { path, suffix } = parts;
  if (path === "") return buildPageResolution(origin.page, suffix);
  const { own, stripped } = listCandidatePaths(path, origin, links);
  for (const paths of [own, stripped]) {
    const file = paths.find((candidate) => links.hasFile(candidate));
    if (file !== undefined) return { kind: "file", path: file, suffix };
    const page = findPage(paths, links);
    if (page !== undefined) return buildPageResolution(page, suffix);
  }
  return { kind: "unknown", path: stripped[0] ?? own[0] ?? "", suffix };
}

/**
 * Returns the address to use in the file of the page `from`, or in a file in the bundle's root if `from` is empty. The
 * address is relative and percent-encoded unless it is external. An unknown path without an extension is treated as a
 * page. Returns `#` for an unsafe address, and an empty address for media on another host that are not shown.
 */
export function getHref(
  resolution: Resolution,
  from: string,
  { fileOf, addresses }: Pick<SiteLinks, "fileOf" | "addresses">,
): string {
  if (resolution.kind === "external") return resolution.url;
  if (resolution.kind === "unsafe") return "#";
  if (resolution.kind === "elsewhere") return "";
  const { kind, path, suffix } = resolution;
  if (kind === "page" && path === from && suffix.startsWith("#")) return suffix;
  const target = getTargetFile(kind, path, fileOf);
  const file = from === "" ? "" : fileOf(from);
  const isPage = kind !== "file" && target.endsWith(".html");
  const address = isPage
    ? getRelativePageAddress({ addresses }, file, target)
    : getRelativeAddress(file, target);
  return address + suffix;
}

/** Returns the same page with `id` as the anchor. */
export function replaceAnchor(page: PageResolution, id: string): PageResolution {
  const query = page.suffix.replace(/#.*$/s, "");
  return { ...page, suffix: `${query}#${encodeURI(id.toWellFormed())}`, anchor: id };
}

function getTargetFile(
  kind: "page" | "file" | "unknown",
  path: string,
  fileOf: FindPageFile,
): string {
  if (kind === "file") return path;
  return kind === "page" ? fileOf(path) : guessTargetFile(path, fileOf);
}

function guessTargetFile(path: string, fileOf: FindPageFile): string {
  if (path === "") return "index.html";
  const page = path.replace(/\.mdx?$/, "");
  return page === path && /\.[a-z][a-z0-9]{0,9}$/i.test(path) ? path : fileOf(page);
}

function resolve(target: string, origin: LinkOrigin, links: SiteLinks, hops: number): Resolution {
  const parts = splitTarget(target);
  if ("kind" in parts) return parts;
  const { path, suffix } = parts;
  if (path === "") return buildPageResolution(origin.page, suffix);
  const { own, stripped } = listCandidatePaths(path, origin, links);
  for (const paths of [own, stripped]) {
    const page = findPage(paths, links);
    if (page !== undefined) return buildPageResolution(page, suffix);
    const file = paths.find((candidate) => links.hasFile(candidate));
    if (file !== undefined) return { kind: "file", path: file, suffix };
  }
  const paths = [...own, ...stripped];
  const redirected = hops < maxRedirects ? followRedirect(paths, links) : undefined;
  if (redirected === undefined) {
    const first = findFolderPage(paths, links) ?? findNumberedPage(paths, links);
    if (first !== undefined) return buildPageResolution(first, suffix);
    return { kind: "unknown", path: stripped[0] ?? own[0] ?? "", suffix };
  }
  // The link's own query and fragment take precedence over the redirect's.
  const destination = suffix === "" ? redirected : splitAddress(redirected).path + suffix;
  return resolve(destination, origin, links, hops + 1);
}

function followRedirect(paths: readonly string[], links: SiteLinks): string | undefined {
  for (const path of paths) {
    const destination = links.findRedirect(path);
    if (destination !== undefined) return destination;
  }
  return undefined;
}

function findFolderPage(paths: readonly string[], links: SiteLinks): string | undefined {
  for (const path of paths) {
    const page = links.findFolderPage(path);
    if (page !== undefined) return page;
  }
  return undefined;
}

function findNumberedPage(paths: readonly string[], links: SiteLinks): string | undefined {
  for (const path of paths) {
    const page = links.findNumberedPage?.(path);
    if (page !== undefined) return page;
  }
  return undefined;
}

function buildPageResolution(path: string, suffix: string): Resolution {
  const hash = suffix.indexOf("#");
  const anchor = hash === -1 ? "" : decode(suffix.slice(hash + 1));
  return { kind: "page", path, suffix, anchor };
}

interface TargetParts {
  /** The decoded path; an empty string for the page itself. */
  readonly path: string;
  /** The encoded query and fragment. */
  readonly suffix: string;
}

const schemePattern = /^([a-z][a-z0-9+.-]*):/i;
/** Matches nearly every target: it has no scheme, and nothing in it needs to be decoded or encoded. */
const plainTarget = /^(?!\/\/)[\w./#-]{0,1000}$/;
const unsafeSchemes = new Set(["javascript", "vbscript", "data", "blob", "view-source"]);

function splitTarget(target: string): TargetParts | Resolution {
  if (plainTarget.test(target)) return splitAddress(target);
  // Browsers ignore control characters in a scheme, so `java\nscript:` would run.
  const clean = target
    .slice(0, maxTargetLength)
    .replaceAll(/[\p{Cc}]+/gu, "")
    .trim();
  const name = schemePattern.exec(clean)?.[1]?.toLowerCase();
  if (name !== undefined) {
    return unsafeSchemes.has(name) ? { kind: "unsafe" } : { kind: "external", url: target.trim() };
  }
  // In a page that is opened as a file, an address without a scheme would be a file on the reader's machine.
  if (/^[/\\]{2}/.test(clean)) {
    return { kind: "external", url: `https:${clean.replaceAll("\\", "/")}` };
  }
  const { path, suffix } = splitAddress(clean);
  return { path: decode(path).replaceAll("\\", "/"), suffix: encodeSuffix(suffix) };
}

/** Allows `data:` URLs of images, audio, videos and fonts, which are harmless as media, but not as links. */
function allowMedia(resolution: Resolution, target: string): Resolution {
  const isHarmless = /^\s*data:(?:image|audio|video|font)\//i.test(target);
  return resolution.kind === "unsafe" && isHarmless
    ? { kind: "external", url: target.trim() }
    : resolution;
}

function resolveRemoteMedia(resolution: Resolution, { findCopy }: SiteLinks): Resolution {
  if (findCopy === undefined || resolution.kind !== "external") return resolution;
  const { url } = resolution;
  if (/^data:/i.test(url)) return resolution;
  const address = normalizeRemoteAddress(url);
  const path = address === undefined ? undefined : findCopy(address);
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
 * Returns the paths to which a target may refer, most likely first. `own` are relative to the page, to the snippet that
 * contains the target, and to the site's root. `stripped` are the same paths without a base path of the site.
 */
function listCandidatePaths(
  path: string,
  origin: LinkOrigin,
  links: SiteLinks,
): { readonly own: readonly string[]; readonly stripped: readonly string[] } {
  if (path.startsWith("/")) {
    const ownPath = joinPath("", path);
    const { basePaths } = links;
    if (!basePaths || basePaths.length === 0) return { own: [ownPath], stripped: [] };
    // A folder of the site itself keeps its address.
    const isFolder = basePaths.includes(ownPath) && links.findFolderPage(ownPath) !== undefined;
    return { own: [ownPath], stripped: isFolder ? [] : stripBasePaths(ownPath, basePaths) };
  }
  const bases = new Set([getParentFolder(origin.page), getParentFolder(origin.file), ""]);
  const ownPaths = [...new Set([...bases].map((base) => joinPath(base, path)))];
  return { own: ownPaths, stripped: [] };
}

/**
 * Removes a base path from the address of a file, for settings whose addresses always begin at the site's root. Other
 * addresses stay unchanged.
 */
export function stripFileAddress(
  target: string,
  { assets, basePaths = [] }: Pick<Site, "assets" | "basePaths">,
): string {
  if (basePaths.length === 0 || !target.startsWith("/")) return target;
  const { path, suffix } = splitAddress(target);
  const ownPath = joinPath("", decode(path));
  if (assets.includes(ownPath)) return target;
  const file = stripBasePaths(ownPath, basePaths).find((stripped) => assets.includes(stripped));
  return file === undefined ? target : `/${file}${suffix}`;
}

/**
 * Converts a path from the host's root to a path in the site, for each base path that contains it. In a site below
 * `docs`, `docs/guides/start` becomes `guides/start`, and `docs` becomes the site's root.
 */
export function stripBasePaths(path: string, basePaths: readonly string[]): string[] {
  return basePaths.flatMap((base) => {
    if (path === base) return [""];
    return path.startsWith(`${base}/`) ? [path.slice(base.length + 1)] : [];
  });
}

/**
 * Joins paths as browsers do, so that `..` at the root stays at the root. The result has no leading and trailing
 * slashes.
 */
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
    const found =
      findPageAt(path, links) ?? findPageAt(path.replace(/\.(?:mdx?|html?)$/, ""), links);
    if (found !== undefined) return found;
  }
  return undefined;
}

function findPageAt(path: string, links: SiteLinks): string | undefined {
  if (path === "") return links.home;
  if (links.hasPage(path)) return path;
  const index = `${path}/index`;
  if (links.hasPage(index)) return index;
  const folder = /^(?:(.*)\/)?(index|readme)$/i.exec(path);
  if (folder === null) return undefined;
  const [, parent = "", name = ""] = folder;
  // `index` leads to the page that is shown at `/`. `readme` does so only if that page is `index`, which may be a README.
  if (parent === "" && /^readme$/i.test(name) && links.home !== "index") return undefined;
  if (parent === "") return links.home;
  return [`${parent}/index`, parent].find((candidate) => links.hasPage(candidate));
}

/** Reports whether the address leads to another host. Returns false for `mailto:` and `data:`. */
export function isOffSite(resolution: Resolution): boolean {
  if (resolution.kind === "elsewhere") return true;
  return resolution.kind === "external" && /^(?:https?:)?\/\//i.test(resolution.url);
}
