import { escapeHtml, html, replaceHtml, type Html } from "../markup/index.ts";
import {
  getHref,
  createSiteLinks,
  resolveLink,
  resolveMedia,
  getRelativeAddress,
  createPageFinder,
  getPageAddress,
  type FindCopy,
  type Site,
  type SitePage,
  type Resolution,
  type FindPageFile,
  type SiteLinks,
} from "../site/index.ts";
import { memoize } from "./memoize.ts";

export type AddressOf = (path: string) => string;

/** Resolves what the configuration and the navigation name to addresses: escaped, and with `rootMark`. */
export interface Links {
  /** The page that is exported at this path. */
  page(path: string): SitePage | undefined;
  /** `href` of a page. */
  toPage(path: string): Html;
  /** Absolute addresses of pages by their paths. */
  publicAddresses(baseUrl: string): AddressOf;
  /** The HTML file of a page. */
  readonly fileOf: FindPageFile;
  /** `href` of what an author wrote; undefined if it would run code. */
  toTarget(target: string): Html | undefined;
  /** Likewise `src` of a picture; undefined also if it is on another host and not shown. */
  toPicture(target: string): Html | undefined;
  /** Likewise of a picture that is an icon; undefined also if the site does not have it. */
  toIcon(target: string): Html | undefined;
}

/**
 * Stands in prepared markup for a page's way to the bundle's root (`../../../`): the addresses of a site's navigation
 * are made once, for pages in any folder. Escaped text holds no NUL, so no author can write it.
 */
const rootMark = html`\0`;

/** URL of a file relative to the bundle's root. */
export function getFileUrl(path: string): string {
  return getRelativeAddress("", path);
}

/** `href` of a file of the bundle, with `rootMark`. */
export function renderFileHref(path: string): Html {
  return html`${rootMark}${escapeHtml(getFileUrl(path))}`;
}

/** Absolute address of a file, given by its URL relative to the bundle's root. */
export function getPublicFileUrl(baseUrl: string, url: string): string {
  return `${baseUrl.replace(/\/+$/, "")}/${url}`;
}

/** Likewise of a file as an author named it; an address on another host stays as it is. */
export function getPublicAuthoredUrl(baseUrl: string, target: string): string {
  if (/^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(target)) return target;
  return getPublicFileUrl(baseUrl, getFileUrl(target.replace(/^(?:\.?\/)+/, "")));
}

/** A file's way to the bundle's root: `../` for each folder that it is in. */
export function getPathToRoot(file: string): string {
  return "../".repeat(file.split("/").length - 1);
}

/** Targets in the configuration are relative to the site's root, not to a page. */
const origin = { page: "", file: "" };

export function createLinks(site: Site, copyOf?: FindCopy): Links {
  const page = createPageFinder(site.pages);
  const siteLinks = { ...createSiteLinks(site), copyOf };
  const { fileOf } = siteLinks;
  const toHref = (resolution: Resolution) => hrefInPage(resolution, siteLinks);

  // The same few targets are on every page of a site.
  const toTarget = memoize((target: string) => toHref(resolveLink(target, origin, siteLinks)));
  const toPicture = memoize((target: string) => toHref(resolveMedia(target, origin, siteLinks)));
  const toIcon = memoize((target: string) => {
    const resolution = resolveMedia(target, origin, siteLinks);
    return resolution.kind === "unknown" ? undefined : toHref(resolution);
  });

  return {
    page,
    toPage: (path) => renderFileHref(fileOf(path)),
    publicAddresses: (baseUrl) => (path) => getPageAddress(site, fileOf(path), baseUrl),
    fileOf,
    toTarget: (target) => (target === "" ? undefined : toTarget(target)),
    toPicture: (target) => (target === "" ? undefined : toPicture(target)),
    toIcon: (target) => (target === "" ? undefined : toIcon(target)),
  };
}

/** Fits prepared markup to a page. `root` is its way to the bundle's root, e.g. `../`. */
export function replaceRootMark(markup: Html, root: string): Html {
  return replaceHtml(markup, rootMark, escapeHtml(root));
}

function hrefInPage(resolution: Resolution, links: SiteLinks): Html | undefined {
  if (resolution.kind === "unsafe" || resolution.kind === "elsewhere") return undefined;
  const address = escapeHtml(getHref(resolution, "", links));
  const isOutside = resolution.kind === "external" || address.startsWith("#");
  return isOutside ? address : html`${rootMark}${address}`;
}
