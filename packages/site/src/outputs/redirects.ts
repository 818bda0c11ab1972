import type { BundleFile } from "../core/index.ts";
import {
  firstPage,
  exactRedirects,
  hasWildcard,
  wildcardPattern,
  fileAddress,
  pageFile,
} from "../site/index.ts";
import type { SiteRedirect, Site } from "../site/index.ts";
import { encodePath } from "../core/index.ts";
import { escapeXml } from "../markup/index.ts";
import type { OutputOptions, PageOutput } from "./output.ts";
import {
  createTargetFinder,
  targetAddress,
  type FindTarget,
  type RedirectTarget,
} from "./redirect-target.ts";

/**
 * Makes redirects work on any host: a stub page at each address that moved, and `_redirects` for hosts that read it.
 * A stub never replaces a page.
 */
export function redirects(
  site: Site,
  _pages: readonly PageOutput[],
  options: OutputOptions,
): BundleFile[] {
  const find = createTargetFinder(site);
  const pages = new Set(site.pages.map((page) => page.path));
  const files: BundleFile[] = [];
  for (const [path, redirect] of exactRedirects(site.redirects)) {
    const file = stubFile(path);
    const target = find(redirect.destination);
    if (pages.has(path === "" ? "index" : path) || file === undefined) continue;
    if (target !== undefined) files.push(stub(file, target, options));
  }
  const first = firstPage(site.navigation) ?? site.pages[0]?.path;
  const hasIndex = pages.has("index") || files.some(({ path }) => path === "index.html");
  if (!hasIndex && first !== undefined) {
    const target = { type: "file", file: pageFile(first), suffix: "" } as const;
    files.push(stub("index.html", target, { ...options, title: site.config.name }));
  }
  const lines = site.redirects.flatMap((redirect) => hostLine(redirect, { pages, find, options }));
  files.push({ path: "_redirects", content: lines.map((line) => `${line}\n`).join("") });
  return files;
}

/** Folders with these names would collide with files of the bundle. */
const reservedFolder = /^_(?:octavo|redirects)\/|\.(?:html|md)\//i;
/** Systems allow paths of at least 1,024 bytes, of which the folder of the bundle needs some. */
const stubPathBytes = 700;

/** The file that a host serves for a path; undefined where it cannot exist. */
function stubFile(path: string): string | undefined {
  if (path === "") return "index.html";
  if (reservedFolder.test(path) || /\p{Cc}/u.test(path)) return undefined;
  if (Buffer.byteLength(path) > stubPathBytes) return undefined;
  return /\.html$/i.test(path) ? path : pageFile(path);
}

function stub(
  file: string,
  target: RedirectTarget,
  { baseUrl, title = "This page has moved" }: OutputOptions & { title?: string },
): BundleFile {
  const href = escapeXml(targetAddress(target, file));
  const canonical =
    target.type === "file" && baseUrl !== undefined
      ? escapeXml(fileAddress(target.file, baseUrl))
      : href;
  const content = [
    "<!doctype html>",
    '<html lang="en">',
    '<meta charset="utf-8">',
    `<title>${escapeXml(title)}</title>`,
    `<meta http-equiv="refresh" content="0; url=${href}">`,
    `<link rel="canonical" href="${canonical}">`,
    `<p>${escapeXml(title)}: <a href="${href}">${href}</a></p>`,
    "",
  ].join("\n");
  return { path: file, content };
}

interface HostLineOptions {
  readonly pages: ReadonlySet<string>;
  readonly find: FindTarget;
  readonly options: OutputOptions;
}

/**
 * A line of `_redirects`, as Netlify and others read it: a placeholder is a whole part of the path, and one `*` is
 * allowed at the end. A redirect that cannot be written so becomes a comment.
 */
function hostLine(redirect: SiteRedirect, { pages, find, options }: HostLineOptions): string[] {
  const source = redirect.source.replace(/^\/+|\/+$/g, "");
  if (pages.has(source)) return [];
  const from = `/${source}`.replace(restPattern, "*");
  if (!isWritable(from))
    return [`# ${withoutBlanks(redirect.source)} cannot be written in this format`];
  const prefix = basePath(options.baseUrl);
  const target = hasWildcard(from) ? redirect.destination : find(redirect.destination);
  if (target === undefined)
    return [`# ${withoutBlanks(redirect.source)} leads back to where it began`];
  const to = typeof target === "string" ? filledTarget(target, prefix) : hostTarget(target, prefix);
  return [`${prefix}${withoutBlanks(from)} ${withoutBlanks(to)} ${redirect.permanent ? 301 : 302}`];
}

const restPattern = /:[A-Za-z_]\w*\*/g;

function isWritable(from: string): boolean {
  const star = from.indexOf("*");
  const parts = new Set(from.split("/"));
  return (
    (star === -1 || star === from.length - 1) &&
    (from.match(wildcardPattern) ?? []).every((wildcard) => wildcard === "*" || parts.has(wildcard))
  );
}

function filledTarget(destination: string, prefix: string): string {
  const to = destination.replace(restPattern, "*").replaceAll("*", ":splat");
  const isOutside = /^[a-z][a-z\d+.-]*:|^\/\//i.test(to);
  return isOutside ? to : `${prefix}/${to.replace(/^\/+/, "")}`;
}

function hostTarget(target: RedirectTarget, prefix: string): string {
  if (target.type === "outside") return target.href;
  return `${prefix}/${encodePath(target.file)}${target.suffix}`;
}

/** The path of the base URL, with which every path of the bundle begins on its host. */
function basePath(baseUrl: string | undefined): string {
  const path = baseUrl === undefined ? undefined : URL.parse(baseUrl)?.pathname;
  return (path ?? "").replace(/\/+$/, "");
}

/** Blanks separate the fields of a line. */
function withoutBlanks(text: string): string {
  return text.toWellFormed().replace(/\s/g, encodeURIComponent);
}
