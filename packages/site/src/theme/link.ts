import { escapeHtml, html, type Html } from "../markup/index.ts";
import type { FindCopy, Site, SitePage } from "../site/index.ts";
import {
  hrefOf,
  createSiteLinks,
  resolveLink,
  resolveMedia,
  type Resolution,
  relativeAddress,
  indexPages,
} from "../site/index.ts";
import { rootMark } from "./markup.ts";

/** Turns what the configuration and the navigation name into addresses; all are escaped and have `rootMark`. */
export interface Links {
  /** The page that is exported at this path. */
  page(path: string): SitePage | undefined;
  /** `href` of a page. */
  toPage(path: string): Html;
  /** `href` of what an author wrote: on another host as it is. Undefined where it would run code. */
  toTarget(target: string): Html | undefined;
  /** Likewise `src` of a picture; undefined also where it is on another host and not shown. */
  toPicture(target: string): Html | undefined;
}

/** File below the bundle's root as a URL relative to it. */
export function fileUrl(path: string): string {
  return relativeAddress("", path);
}

/** File of a page, likewise. */
export function pageUrl(path: string): string {
  return fileUrl(`${path}.html`);
}

/** A page's way to the bundle's root: `../` for each folder that it lies in. */
export function rootOf(path: string): string {
  return "../".repeat(path.split("/").length - 1);
}

/** The configuration speaks from the site's root, in no page. */
const origin = { page: "", file: "" };

export function createLinks(site: Site, copyOf?: FindCopy): Links {
  const pages = indexPages(site);
  const siteLinks = { ...createSiteLinks(site), copyOf };

  const toTarget = remembered((target) => write(resolveLink(target, origin, siteLinks)));
  const toPicture = remembered((target) => write(resolveMedia(target, origin, siteLinks)));

  return {
    page: (path) => pages.get(path),
    toPage: (path) => html`${rootMark}${escapeHtml(pageUrl(path))}`,
    toTarget: (target) => (target === "" ? undefined : toTarget(target)),
    toPicture: (target) => (target === "" ? undefined : toPicture(target)),
  };
}

function write(resolution: Resolution): Html | undefined {
  if (resolution.kind === "unsafe" || resolution.kind === "elsewhere") return undefined;
  const address = escapeHtml(hrefOf(resolution, ""));
  const isElsewhere = resolution.kind === "external" || address.startsWith("#");
  return isElsewhere ? address : html`${rootMark}${address}`;
}

/** The same few targets stand in every page of a site. */
function remembered(
  resolve: (target: string) => Html | undefined,
): (target: string) => Html | undefined {
  const known = new Map<string, Html | undefined>();
  return (target) => {
    if (!known.has(target)) known.set(target, resolve(target));
    return known.get(target);
  };
}
