import { matchPatterns, readPattern } from "../../../site/redirect-pattern.ts";

/** The data about the site that precedes this script. */
interface SiteMap {
  /** The paths of the pages, without extension. */
  readonly pages: readonly string[];
  /** Set if pages do not have the addresses of their files. */
  readonly addresses?: "folder" | "clean";
  /** The path of the page that is shown at `/`. */
  readonly home: string | undefined;
  /**
   * The destinations of redirects without wildcards, keyed by source. Sources are decoded and have no leading and
   * trailing slashes.
   */
  readonly exact: Readonly<Record<string, string>>;
  /** The redirects with wildcards, as authored. */
  readonly patterns: readonly (readonly [source: string, destination: string])[];
  /** Whether unknown addresses redirect to the home page. */
  readonly goesHome: boolean;
}

declare const octavoSiteMap: SiteMap;

/** The maximum length of a chain of redirects. */
const maxHops = 8;

const pages = new Set(octavoSiteMap.pages);
const patterns = octavoSiteMap.patterns.map(([source, destination]) =>
  readPattern(source, destination),
);

/** Returns the plain path of an address, e.g. `guides/start` for `/guides/start.html/`. */
function plainPath(address: string): string {
  const path = decodePath(address.replace(/[?#].*$/s, "")).replace(/^\/+|\/+$/g, "");
  return path.replace(/\.(?:html?|mdx?)$/, "");
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function pageAt(path: string): string | undefined {
  if (path === "" || path === "index") return octavoSiteMap.home;
  return [path, `${path}/index`].find((candidate) => pages.has(candidate));
}

/**
 * Returns the address of a page like `createPageFiles` of `site/`, but without the file's name if hosts show the
 * folder.
 */
function addressOf(page: string): string {
  const address = page.split("/").map(encodeURIComponent).join("/");
  const { addresses } = octavoSiteMap;
  if (addresses === "clean") return address.replace(/(^|\/)index$/, "$1") || "./";
  const isFile = addresses !== "folder" || pages.has(`${page}/index`);
  if (isFile || page === "index") return `${address}.html`;
  return address.replace(/\/index$/, "") + "/";
}

/**
 * Returns the target of a requested path, which is an address in the bundle or on another host. Returns undefined if
 * the path is unknown.
 */
function findTarget(asked: string): string | undefined {
  let [path, suffix] = [plainPath(asked), ""];
  for (let hops = 0; hops < maxHops; hops++) {
    const page = pageAt(path);
    if (page !== undefined) return addressOf(page) + suffix;
    const isKnown = Object.hasOwn(octavoSiteMap.exact, path);
    const next = isKnown ? octavoSiteMap.exact[path] : matchPatterns(path, patterns);
    if (next === undefined) return undefined;
    if (/^(?:https?:)?\/\//i.test(next)) return next;
    path = plainPath(next);
    suffix = /[?#].*$/s.exec(next)?.[0] ?? suffix;
  }
  return undefined;
}

/** Redirects the requested address, which has no file, to its target. */
function redirect(): void {
  const base = document.documentElement.dataset["root"] ?? "/";
  // A reader who opens this file with a double click wants to see this page.
  if (location.protocol === "file:" || !location.pathname.startsWith(base)) return;
  const asked = location.pathname.slice(base.length);
  if (plainPath(asked) === "404") return;
  const home = octavoSiteMap.goesHome ? octavoSiteMap.home : undefined;
  const target = findTarget(asked) ?? (home === undefined ? undefined : addressOf(home));
  if (target === undefined) return;
  const address = new URL(target, new URL(base, location.href));
  if (!/^https?:$/.test(address.protocol)) return;
  if (address.origin === location.origin) {
    // If the target is also missing on the host, the redirect would lead to this page again.
    if (address.pathname === location.pathname) return;
    if (address.search === "") address.search = location.search;
    if (address.hash === "") address.hash = location.hash;
  }
  location.replace(address);
}

redirect();
