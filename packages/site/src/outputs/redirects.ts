import type { BundleFile } from "../core/index.ts";
import { createPageFiles, firstPage, exactRedirects, findSitePage } from "../site/index.ts";
import type { FindPageFile, Site } from "../site/index.ts";
import { hostRedirect, type HostRedirectContext } from "./host-redirect.ts";
import type { OutputOptions, PageOutput } from "./output.ts";
import { renderRedirectPage } from "./redirect-page.ts";
import { createTargetFinder } from "./redirect-target.ts";

/**
 * Makes redirects work on any host: a redirect page at each address that moved, and `_redirects` for hosts that read
 * it. A redirect page never replaces a page of the site.
 */
export function redirectFiles(
  site: Site,
  _pages: readonly PageOutput[],
  { baseUrl }: OutputOptions,
): BundleFile[] {
  const { addresses } = site;
  const options = { addresses, baseUrl };
  const fileOf = createPageFiles(site);
  const files: BundleFile[] = [];
  const moved = site.redirects.length === 0 ? undefined : movedPages(site, options);
  if (moved) files.push(...moved.files);
  const first = firstPage(site.navigation) ?? site.pages[0]?.path;
  const hasIndex =
    findSitePage(site, "index") !== undefined || files.some(({ path }) => path === "index.html");
  if (!hasIndex && first !== undefined) {
    const target = { type: "file", file: fileOf(first), suffix: "" } as const;
    const entry = { ...options, title: site.config.name };
    files.push(renderRedirectPage("index.html", target, entry));
  }
  const lines = moved?.lines ?? [];
  files.push({ path: "_redirects", content: lines.map((line) => `${line}\n`).join("") });
  return files;
}

/** The redirect pages, and the lines for hosts. */
function movedPages(
  site: Site,
  options: Pick<HostRedirectContext, "addresses" | "baseUrl">,
): { readonly files: readonly BundleFile[]; readonly lines: readonly string[] } {
  const find = createTargetFinder(site);
  const fileOf = createPageFiles(site);
  const pages = new Set(site.pages.map((page) => page.path));
  const taken = new Set(site.pages.map((page) => fileOf(page.path)));
  const files: BundleFile[] = [];
  for (const [path, redirect] of exactRedirects(site.redirects)) {
    const file = redirectPageFile(path, fileOf);
    const target = find(redirect.destination);
    if (file === undefined || taken.has(file)) continue;
    if (target !== undefined) files.push(renderRedirectPage(file, target, options));
  }
  const context = { pages, find, ...options };
  return { files, lines: site.redirects.flatMap((one) => hostRedirect(one, context) ?? []) };
}

/** Folders with these names would collide with files of the bundle. */
const reservedFolder = /^_(?:octavo|redirects)\/|\.(?:html|md)\//i;
/** Systems allow paths of at least 1,024 bytes, of which the folder of the bundle needs some. */
const maxPathBytes = 700;

/** The file that a host serves for a path; undefined if it cannot exist. */
function redirectPageFile(path: string, fileOf: FindPageFile): string | undefined {
  if (path === "") return "index.html";
  if (reservedFolder.test(path) || /\p{Cc}/u.test(path)) return undefined;
  if (Buffer.byteLength(path) > maxPathBytes) return undefined;
  return /\.html$/i.test(path) ? path : fileOf(path);
}
