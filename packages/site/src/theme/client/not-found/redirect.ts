import { matchPatterns, readPattern } from "../../../site/redirect-pattern.ts";

/** The data about its site that `404.html` contains before this script. */
interface SiteMap {
  /** The paths of the pages, without extension. */
  readonly pages: readonly string[];
  /** Set if pages are folders. */
  readonly addresses?: "folder";
  /** The path of the page that `/` shows. */
  readonly home: string | undefined;
  /** Redirects without wildcards: the destination by source, which is decoded and has no slashes at its ends. */
  readonly exact: Readonly<Record<string, string>>;
  /** Redirects with wildcards, as authored. */
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

/** Returns `guides/start` for `/guides/start.html/`. */
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

/** As `createPageFiles` of `site/` has it, without the file's name where a host shows its folder. */
function addressOf(page: string): string {
  const address = page.split("/").map(encodeURIComponent).join("/");
  const isFile = octavoSiteMap.addresses !== "folder" || pages.has(`${page}/index`);
  if (isFile || page === "index") return `${address}.html`;
  return address.replace(/\/index$/, "") + "/";
}

/** Returns the target of a requested path: an address in the bundle or on another host; undefined if unknown. */
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

/** Redirects an address without a file to its target. */
function redirect(): void {
  const base = document.documentElement.dataset["root"] ?? "/";
  // A reader who opens this page by double click wants this page.
  if (location.protocol === "file:" || !location.pathname.startsWith(base)) return;
  const asked = location.pathname.slice(base.length);
  if (plainPath(asked) === "404") return;
  const home = octavoSiteMap.goesHome ? octavoSiteMap.home : undefined;
  const target = findTarget(asked) ?? (home === undefined ? undefined : addressOf(home));
  if (target === undefined) return;
  const address = new URL(target, new URL(base, location.href));
  if (!/^https?:$/.test(address.protocol)) return;
  if (address.origin === location.origin) {
    // A page that is missing on the host would lead here again.
    if (address.pathname === location.pathname) return;
    if (address.search === "") address.search = location.search;
    if (address.hash === "") address.hash = location.hash;
  }
  location.replace(address);
}

redirect();
