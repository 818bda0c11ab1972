import { matchPatterns, readPattern } from "../../../site/redirect-pattern.ts";

/** What `404.html` knows of its site; written before this script. */
interface SiteMap {
  /** Paths of pages, without ending. */
  readonly pages: readonly string[];
  /** The page that `/` shows. */
  readonly home: string | undefined;
  /** Sources that stand for one address, decoded and without slashes around, and where they lead. */
  readonly exact: Readonly<Record<string, string>>;
  /** Sources with wildcards, as authored. */
  readonly patterns: readonly (readonly [source: string, destination: string])[];
  /** Whether an address that is nowhere leads to the home page. */
  readonly goesHome: boolean;
}

declare const octavoSiteMap: SiteMap;

/** Redirects that lead to redirects are followed this far. */
const maxHops = 8;

const pages = new Set(octavoSiteMap.pages);
const patterns = octavoSiteMap.patterns.map(([source, destination]) =>
  readPattern(source, destination),
);

/** `guides/start` of `/guides/start.html/`. */
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

/** The address, below the bundle's root or on another host, of what was asked for; undefined where it is nowhere. */
function findTarget(asked: string): string | undefined {
  let [path, suffix] = [plainPath(asked), ""];
  for (let hops = 0; hops < maxHops; hops++) {
    const page = pageAt(path);
    if (page !== undefined)
      return `${page.split("/").map(encodeURIComponent).join("/")}.html${suffix}`;
    const isKnown = Object.hasOwn(octavoSiteMap.exact, path);
    const next = isKnown ? octavoSiteMap.exact[path] : matchPatterns(path, patterns);
    if (next === undefined) return undefined;
    if (/^(?:https?:)?\/\//i.test(next)) return next;
    path = plainPath(next);
    suffix = /[?#].*$/s.exec(next)?.[0] ?? suffix;
  }
  return undefined;
}

/** Leads from an address that no file of the bundle has to what the site means by it. */
function leadOn(): void {
  const base = document.documentElement.dataset["root"] ?? "/";
  // Opened by a double click, this page was meant.
  if (location.protocol === "file:" || !location.pathname.startsWith(base)) return;
  const asked = location.pathname.slice(base.length);
  if (plainPath(asked) === "404") return;
  const home = octavoSiteMap.goesHome ? octavoSiteMap.home : undefined;
  const target = findTarget(asked) ?? (home === undefined ? undefined : `${home}.html`);
  if (target === undefined) return;
  const address = new URL(target, new URL(base, location.href));
  if (!/^https?:$/.test(address.protocol)) return;
  if (address.origin === location.origin) {
    // A page of the map that its host does not have would lead here again.
    if (address.pathname === location.pathname) return;
    if (address.search === "") address.search = location.search;
    if (address.hash === "") address.hash = location.hash;
  }
  location.replace(address);
}

leadOn();
