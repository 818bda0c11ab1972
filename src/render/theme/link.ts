import { escapeHtml } from "../components/html.ts";
import { cleanRelativePath } from "../../core/index.ts";
import type { Site, SitePage } from "../site/site.ts";
import { rootMark } from "./markup.ts";

/** Turns what the configuration and the navigation name into addresses of the bundle. */
export interface Links {
  /** The page that is exported at this path. */
  page(path: string): SitePage | undefined;
  /** Escaped `href` of a page, with `rootMark`. */
  toPage(path: string): string;
  /**
   * Escaped `href` or `src` of what an author wrote: a page, a file or a redirect of the site with
   * `rootMark`; another host as it is. Undefined for schemes that run code.
   */
  toTarget(target: string): string | undefined;
}

const scheme = /^([a-z][a-z0-9+.-]*):/i;
const schemesThatRun = new Set(["javascript", "data", "vbscript"]);

/** Percent-encodes each part of a path; what is already encoded in it stays a literal part of the name. */
export function encodePath(path: string): string {
  return path.split("/").map(encodePart).join("/");
}

function encodePart(part: string): string {
  return encodeURIComponent(part.toWellFormed()).replaceAll("%40", "@").replaceAll("%2B", "+");
}

/** File of a page below the bundle's root, percent-encoded. */
export function pageUrl(path: string): string {
  return `${encodePath(path)}.html`;
}

/** A page's way to the bundle's root: `../` for each folder that it lies in. */
export function rootOf(path: string): string {
  return "../".repeat(path.split("/").length - 1);
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // a lone `%` that an author meant as a letter
  }
}

export function createLinks(site: Site): Links {
  const pages = new Map(site.pages.map((page) => [page.path, page]));
  const assets = new Set(site.assets);
  const redirects = new Set(site.redirects.map((redirect) => redirect.source.replace(/^\//, "")));
  const resolved = new Map<string, string | undefined>();

  function localUrl(path: string): string {
    if (assets.has(path)) return encodePath(path);
    const name = path.replace(/\.mdx?$/, "");
    if (pages.has(name)) return pageUrl(name);
    const index = name === "" ? "index" : `${name}/index`;
    if (pages.has(index) || name === "") return pageUrl(index);
    if (redirects.has(name)) return pageUrl(name);
    return encodePath(path);
  }

  function resolve(target: string): string | undefined {
    const found = scheme.exec(target)?.[1]?.toLowerCase();
    if (found !== undefined) return schemesThatRun.has(found) ? undefined : escapeHtml(target);
    if (target.startsWith("//") || target.startsWith("#")) return escapeHtml(target);
    const end = target.search(/[?#]/);
    const path = cleanRelativePath(decode(end < 0 ? target : target.slice(0, end)));
    if (path === undefined) return undefined;
    const rest = end < 0 ? "" : target.slice(end);
    return rootMark + escapeHtml(localUrl(path) + rest);
  }

  return {
    page: (path) => pages.get(path),
    toPage: (path) => rootMark + escapeHtml(pageUrl(path)),
    toTarget(target) {
      if (!resolved.has(target)) resolved.set(target, resolve(target));
      return resolved.get(target);
    },
  };
}
