import { escapeHtml, html, replaceHtml, type Html } from "../markup/index.ts";
import {
  getHref,
  createSiteLinks,
  resolveLink,
  resolveMedia,
  getRelativeAddress,
  getRelativePageAddress,
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

/** Resolves targets in the configuration and the navigation to escaped addresses with `rootMark`. */
export interface Links {
  /** Returns the page that is exported at this path. */
  findPage(path: string): SitePage | undefined;
  /** Returns the `href` of a page. */
  toPage(path: string): Html;
  /** Returns a function that converts a page's path to the page's absolute address. */
  createAddressResolver(baseUrl: string): (path: string) => string;
  /** Returns the HTML file of a page. */
  readonly fileOf: FindPageFile;
  /** Returns the `href` of an authored target, or undefined if the target would run code. */
  toTarget(target: string): Html | undefined;
  /**
   * Returns the `src` of an image, or undefined if the address would run code or the image is on another host and is
   * not shown.
   */
  toImage(target: string): Html | undefined;
  /**
   * Returns the `src` of an image that is used as an icon. Also returns undefined if the site does not contain the
   * image.
   */
  toIcon(target: string): Html | undefined;
}

/**
 * Represents, in prepared markup, a page's relative path to the bundle's root (`../../../`). With this mark, the
 * addresses of a site's navigation are created only once, for pages in all folders. Escaped text never contains NUL, so
 * authors cannot produce the mark.
 */
const rootMark = html`\0`;

/** Returns the URL of a file relative to the bundle's root. */
export function getFileUrl(path: string): string {
  return getRelativeAddress("", path);
}

/** Renders the `href` of a file of the bundle, with `rootMark`. */
export function renderFileHref(path: string): Html {
  return html`${rootMark}${escapeHtml(getFileUrl(path))}`;
}

/** Returns the absolute address of a file. `url` is relative to the bundle's root. */
export function getPublicFileUrl(baseUrl: string, url: string): string {
  return `${baseUrl.replace(/\/+$/, "")}/${url}`;
}

/**
 * Returns a file's relative path to the bundle's root, which consists of one `../` for each folder that contains the
 * file.
 */
export function getPathToRoot(file: string): string {
  return "../".repeat(file.split("/").length - 1);
}

/** The base of targets in the configuration, which are relative to the site's root, not to a page. */
const origin = { page: "", file: "" };

export function createLinks(site: Site, findCopy?: FindCopy): Links {
  const findPage = createPageFinder(site.pages);
  const siteLinks = { ...createSiteLinks(site), findCopy };
  const { fileOf } = siteLinks;
  const toHref = (resolution: Resolution) => renderHrefInPage(resolution, siteLinks);

  // Results are cached because all pages of a site contain the same few targets.
  const toTarget = memoize((target: string) => toHref(resolveLink(target, origin, siteLinks)));
  const toImage = memoize((target: string) => toHref(resolveMedia(target, origin, siteLinks)));
  const toIcon = memoize((target: string) => {
    const resolution = resolveMedia(target, origin, siteLinks);
    return resolution.kind === "unknown" ? undefined : toHref(resolution);
  });

  return {
    findPage,
    toPage: (path) =>
      html`${rootMark}${escapeHtml(getRelativePageAddress(site, "", fileOf(path)))}`,
    createAddressResolver: (baseUrl) => (path) => getPageAddress(site, fileOf(path), baseUrl),
    fileOf,
    toTarget: (target) => (target === "" ? undefined : toTarget(target)),
    toImage: (target) => (target === "" ? undefined : toImage(target)),
    toIcon: (target) => (target === "" ? undefined : toIcon(target)),
  };
}

/** Adapts prepared markup to a page. `root` is the page's relative path to the bundle's root, e.g. `../`. */
export function replaceRootMark(markup: Html, root: string): Html {
  return replaceHtml(markup, rootMark, escapeHtml(root));
}

function renderHrefInPage(resolution: Resolution, links: SiteLinks): Html | undefined {
  if (resolution.kind === "unsafe" || resolution.kind === "elsewhere") return undefined;
  const address = escapeHtml(getHref(resolution, "", links));
  const isOutside = resolution.kind === "external" || address.startsWith("#");
  return isOutside ? address : html`${rootMark}${address}`;
}
