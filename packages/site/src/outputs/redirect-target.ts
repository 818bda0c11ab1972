import { cleanRelativePath, encodePath } from "../core/index.ts";
import {
  createFolderPageFinder,
  createPageFiles,
  createRedirectMatcher,
  relativeAddress,
} from "../site/index.ts";
import { splitAddress } from "../text/index.ts";
import type { Site } from "../site/index.ts";

/** Where a redirect ends: outside, or at a file of the bundle. */
export type RedirectTarget =
  | { readonly type: "outside"; readonly href: string }
  | { readonly type: "file"; readonly file: string; readonly suffix: string };

/** Longer chains of redirects count as a loop. */
const maxHops = 8;

export type FindTarget = (destination: string) => RedirectTarget | undefined;

/** Finds where an authored destination ends; undefined for a loop. */
export function createTargetFinder(site: Site): FindTarget {
  const pages = new Set(site.pages.map((page) => page.path));
  const assets = new Set([...site.assets, ...site.styles, ...site.scripts]);
  const redirectOf = createRedirectMatcher(site.redirects);
  const fileOf = createPageFiles(site);
  const folderPage = createFolderPageFinder(site, (path) => pages.has(path));

  function find(destination: string, hops: number): RedirectTarget | undefined {
    if (/^[a-z][a-z\d+.-]*:|^\/\//i.test(destination)) {
      return { type: "outside", href: normalAddress(destination) };
    }
    const parts = splitAddress(destination);
    const suffix = encodeSuffix(parts.suffix);
    const path = pathOf(parts.path);
    const page = [path, path.replace(/\.(?:html|mdx?)$/, ""), `${path}/index`].find((candidate) =>
      pages.has(candidate),
    );
    if (page !== undefined) return { type: "file", file: fileOf(page), suffix };
    if (assets.has(path)) return { type: "file", file: path, suffix };
    const next = redirectOf(path);
    if (next !== undefined) return hops > 0 ? find(next, hops - 1) : undefined;
    return { type: "file", file: fileOf(folderPage(path) ?? path), suffix };
  }
  return (destination) => find(destination, maxHops);
}

/** The target as an address in the file `from`. */
export function targetAddress(target: RedirectTarget, from: string): string {
  if (target.type === "outside") return target.href;
  return `${relativeAddress(from, target.file)}${target.suffix}`;
}

function pathOf(address: string): string {
  let decoded = address;
  try {
    decoded = decodeURIComponent(address);
  } catch {
    // Not percent-encoded: the text is the path.
  }
  return cleanRelativePath(decoded) || "index";
}

function encodeSuffix(suffix: string): string {
  return suffix.toWellFormed().replace(/[\s"<>\\^`{|}]/g, encodeURIComponent);
}

function normalAddress(address: string): string {
  const isComplete = !address.startsWith("//");
  const url = URL.parse(isComplete ? address : `https:${address}`);
  return url?.href ?? encodePath(address);
}
