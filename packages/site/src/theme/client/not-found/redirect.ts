import type { ScriptWords } from "../../../markup/words/words.ts";
import { matchPatterns, readPattern } from "../../../site/redirect-pattern.ts";

/** The data about the site that precedes this script. */
interface SiteMap {
  /** The paths of the pages, without extension. */
  readonly pages: readonly string[];
  /** The titles of the pages, in the same order; empty for pages that are not suggested. */
  readonly titles: readonly string[];
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
function toPlainPath(address: string): string {
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

function findPageAt(path: string): string | undefined {
  if (path === "" || path === "index") return octavoSiteMap.home;
  return [path, `${path}/index`].find((candidate) => pages.has(candidate));
}

/**
 * Returns the address of a page like `createPageFiles` of `site/`, but without the file's name if hosts show the
 * folder.
 */
function getAddress(page: string): string {
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
function findTarget(requestedPath: string): string | undefined {
  let [path, suffix] = [toPlainPath(requestedPath), ""];
  for (let hops = 0; hops < maxHops; hops++) {
    const page = findPageAt(path);
    if (page !== undefined) return getAddress(page) + suffix;
    const isKnown = Object.hasOwn(octavoSiteMap.exact, path);
    const next = isKnown ? octavoSiteMap.exact[path] : matchPatterns(path, patterns);
    if (next === undefined) return undefined;
    if (/^(?:https?:)?\/\//i.test(next)) return next;
    path = toPlainPath(next);
    suffix = /[?#].*$/s.exec(next)?.[0] ?? suffix;
  }
  return undefined;
}

const maxSuggestions = 3;
/** The minimum similarity, from 0 to 1, at which an address probably refers to a page. */
const minSimilarity = 0.4;

function listBigrams(text: string): ReadonlySet<string> {
  const letters = Array.from(text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " "));
  return new Set(letters.slice(1).map((letter, index) => `${letters[index]}${letter}`));
}

/** Returns the similarity of two texts, based on the pairs of letters that they share. */
function compareTexts(text: string, other: string): number {
  const [first, second] = [listBigrams(text), listBigrams(other)];
  const hits = [...first].filter((pair) => second.has(pair)).length;
  return first.size + second.size === 0 ? 0 : (2 * hits) / (first.size + second.size);
}

function getLastName(path: string): string {
  return path.replace(/\/index$/, "").replace(/^.*\//s, "");
}

/** Lists the pages to which the unknown address probably refers, best first. */
function findNearest(path: string): readonly number[] {
  return octavoSiteMap.pages
    .map((page, index) => {
      const byPath = compareTexts(path, page);
      const byName = compareTexts(getLastName(path), getLastName(page));
      return { index, similarity: octavoSiteMap.titles[index] ? Math.max(byPath, byName) : 0 };
    })
    .filter(({ similarity }) => similarity >= minSimilarity)
    .toSorted((one, other) => other.similarity - one.similarity)
    .slice(0, maxSuggestions)
    .map(({ index }) => index);
}

/** Adds links to the nearest pages. */
function suggestPages(requestedPath: string, root: URL): void {
  const nearest = findNearest(toPlainPath(requestedPath));
  const area = document.querySelector(".not-found");
  if (nearest.length === 0 || !area) return;
  const words = JSON.parse(document.body.dataset["words"] ?? "{}") as ScriptWords;
  const heading = document.createElement("h2");
  heading.textContent = words.suggested;
  const list = document.createElement("ul");
  for (const index of nearest) {
    const link = document.createElement("a");
    link.href = new URL(getAddress(octavoSiteMap.pages[index] ?? ""), root).href;
    link.textContent = octavoSiteMap.titles[index] ?? "";
    const item = document.createElement("li");
    item.append(link);
    list.append(item);
  }
  area.append(heading, list);
}

/** Redirects the requested address, which has no file, to its target, or suggests pages if it has no target. */
function redirect(): void {
  const base = document.documentElement.dataset["root"] ?? "/";
  // A reader who opens this file with a double click intends to see this page.
  if (location.protocol === "file:" || !location.pathname.startsWith(base)) return;
  const requestedPath = location.pathname.slice(base.length);
  if (toPlainPath(requestedPath) === "404") return;
  const home = octavoSiteMap.goesHome ? octavoSiteMap.home : undefined;
  const target = findTarget(requestedPath) ?? (home === undefined ? undefined : getAddress(home));
  const root = new URL(base, location.href);
  if (target === undefined) {
    suggestPages(requestedPath, root);
    return;
  }
  const address = new URL(target, root);
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
