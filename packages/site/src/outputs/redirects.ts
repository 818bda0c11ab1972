import { encodePath, cleanRelativePath, type AddressForm, type BundleFile } from "../core/index.ts";
import {
  createPageFiles,
  findFirstPage,
  collectExactRedirects,
  findSitePage,
  hasWildcard,
  wildcardPattern,
  getPageAddress,
  createFolderPageFinder,
  createRedirectMatcher,
  getRelativePageAddress,
  type FindPageFile,
  type Site,
  type SiteRedirect,
} from "../site/index.ts";
import { escapeXml, html, joinHtml, type Html } from "../markup/index.ts";
import { renderFirstScript } from "../theme/index.ts";
import { splitAddress } from "../text/index.ts";
import type { OutputOptions, PageOutput } from "./output.ts";

interface HostRedirectContext {
  /** The paths of the site's pages. */
  readonly pages: ReadonlySet<string>;
  readonly findTarget: FindTarget;
  readonly addresses: Site["addresses"];
  readonly baseUrl: string | undefined;
}

interface RedirectPageOptions extends Pick<OutputOptions, "firstScript" | "baseUrl"> {
  readonly addresses: Site["addresses"];
  readonly title?: string;
}

/** The final target of a redirect, which is outside the bundle or one of the bundle's files. */
type RedirectTarget =
  | { readonly type: "outside"; readonly href: string }
  | { readonly type: "file"; readonly file: string; readonly suffix: string };

/** The maximum length of a chain of redirects. A longer chain is treated as a loop. */
const maxHops = 8;

type FindTarget = (destination: string) => RedirectTarget | undefined;

/**
 * Creates the files that make redirects work on any host: a redirect page at each old address, and `_redirects` for
 * hosts that read it. A redirect page never replaces a page of the site.
 */
export function createRedirectFiles(
  site: Site,
  _pages: readonly PageOutput[],
  { firstScript, baseUrl }: Pick<OutputOptions, "firstScript" | "baseUrl">,
): BundleFile[] {
  const { addresses } = site;
  const options = { addresses, firstScript, baseUrl };
  const fileOf = createPageFiles(site);
  const files: BundleFile[] = [];
  const movedPages = site.redirects.length === 0 ? undefined : buildMovedPages(site, options);
  if (movedPages) files.push(...movedPages.files);
  const first = findFirstPage(site.navigation) ?? site.pages[0]?.path;
  const hasIndex =
    findSitePage(site, "index") !== undefined || files.some(({ path }) => path === "index.html");
  if (!hasIndex && first !== undefined) {
    const target = { type: "file", file: fileOf(first), suffix: "" } as const;
    const entry = { ...options, title: site.config.name };
    files.push(renderRedirectPage("index.html", target, entry));
  }
  const lines = movedPages?.lines ?? [];
  files.push({ path: "_redirects", content: lines.map((line) => `${line}\n`).join("") });
  return files;
}

/** Returns the redirect pages and the lines of `_redirects`. */
function buildMovedPages(
  site: Site,
  options: RedirectPageOptions,
): { readonly files: readonly BundleFile[]; readonly lines: readonly string[] } {
  const findTarget = createTargetFinder(site);
  const fileOf = createPageFiles(site);
  const pages = new Set(site.pages.map((page) => page.path));
  const pageFiles = new Set(site.pages.map((page) => fileOf(page.path)));
  const files: BundleFile[] = [];
  for (const [path, redirect] of collectExactRedirects(site.redirects)) {
    const file = getRedirectPageFile(path, fileOf);
    const target = findTarget(redirect.destination);
    if (file === undefined || pageFiles.has(file)) continue;
    if (target !== undefined) files.push(renderRedirectPage(file, target, options));
  }
  const { addresses, baseUrl } = options;
  const context = { pages, findTarget, addresses, baseUrl };
  return { files, lines: site.redirects.flatMap((one) => formatHostRedirect(one, context) ?? []) };
}

/** Matches folders that would collide with files of the bundle. */
const reservedFolder = /^_(?:octavo|redirects)\/|\.(?:html|md)\//i;
/**
 * The maximum length of a path, in bytes. Every file system supports paths of 1,024 bytes, including the path of the
 * bundle itself.
 */
const maxPathBytes = 700;

/** Returns the file that a host serves for a path, or undefined if no such file can exist. */
function getRedirectPageFile(path: string, fileOf: FindPageFile): string | undefined {
  if (path === "") return "index.html";
  if (reservedFolder.test(path) || /\p{Cc}/u.test(path)) return undefined;
  if (Buffer.byteLength(path) > maxPathBytes) return undefined;
  return /\.html$/i.test(path) ? path : fileOf(path);
}

/**
 * Returns a line of `_redirects` in the format of Netlify and others, in which a placeholder is a whole segment of the
 * path and one `*` is allowed at the end. Returns a comment if the format cannot express the redirect, and undefined if
 * its source is a page.
 */
function formatHostRedirect(
  redirect: SiteRedirect,
  { pages, findTarget, addresses, baseUrl }: HostRedirectContext,
): string | undefined {
  const source = redirect.source.replace(/^\/+|\/+$/g, "");
  if (pages.has(source) && redirect.rule?.isForced !== true) return undefined;
  const from = `/${source}`.replace(restWildcardPattern, "*");
  const authored = encodeSpaces(redirect.source);
  if (!isExpressible(from)) return `# ${authored} cannot be expressed in this format`;
  const prefix = getBasePath(baseUrl);
  const target = hasWildcard(from) ? redirect.destination : findTarget(redirect.destination);
  if (target === undefined) return `# ${authored} is part of a redirect loop`;
  const to =
    typeof target === "string"
      ? toWildcardTarget(target, prefix)
      : toExactTarget(target, { addresses, prefix });
  const { status, isForced } = redirect.rule ?? { status: redirect.permanent ? 301 : 302, isForced: false }; // prettier-ignore
  return `${prefix}${encodeSpaces(from)} ${encodeSpaces(to)} ${status}${isForced ? "!" : ""}`;
}

const restWildcardPattern = /:[A-Za-z_]\w*\*/g;

function isExpressible(from: string): boolean {
  const star = from.indexOf("*");
  const parts = new Set(from.split("/"));
  return (
    (star === -1 || star === from.length - 1) &&
    (from.match(wildcardPattern) ?? []).every((wildcard) => wildcard === "*" || parts.has(wildcard))
  );
}

function toWildcardTarget(destination: string, prefix: string): string {
  const to = destination.replace(restWildcardPattern, "*").replaceAll("*", ":splat");
  const isOutside = /^[a-z][a-z\d+.-]*:|^\/\//i.test(to);
  return isOutside ? to : `${prefix}/${to.replace(/^\/+/, "")}`;
}

/** The end of a file's path that is omitted in addresses of each form. The first group remains. */
const omittedEnds: Readonly<Record<AddressForm, RegExp>> = {
  file: /$^/,
  folder: /(^|\/)index\.html$/,
  clean: /(^|\/)index\.html$|\.html$/,
};

function toExactTarget(
  target: RedirectTarget,
  { addresses, prefix }: Pick<Site, "addresses"> & { readonly prefix: string },
): string {
  if (target.type === "outside") return target.href;
  const { file, suffix } = target;
  const path = file.replace(omittedEnds[addresses ?? "file"], "$1");
  return `${prefix}/${encodePath(path)}${suffix}`;
}

/** Returns the path of the base URL, which precedes every path of the bundle on its host. */
function getBasePath(baseUrl: string | undefined): string {
  const path = baseUrl === undefined ? undefined : URL.parse(baseUrl)?.pathname;
  return (path ?? "").replace(/\/+$/, "");
}

/** Encodes spaces, because spaces separate the fields of a line. */
function encodeSpaces(text: string): string {
  return text.toWellFormed().replace(/\s/g, encodeURIComponent);
}

/**
 * Renders a page that redirects browsers to `target`. The page also shows a link, in case a browser does not follow the
 * redirect.
 */
function renderRedirectPage(
  file: string,
  target: RedirectTarget,
  { addresses, firstScript, baseUrl, title = "This page has moved" }: RedirectPageOptions,
): BundleFile {
  const address =
    target.type === "outside"
      ? target.href
      : `${getRelativePageAddress({ addresses }, file, target.file)}${target.suffix}`;
  const isInBundle = target.type === "file" && baseUrl !== undefined;
  const canonical = isInBundle ? getPageAddress({ addresses }, target.file, baseUrl) : address;
  const [href, heading] = [escapeXml(address), escapeXml(title)];
  const lines = [
    html`<!doctype html>`,
    html`<html lang="en"${renderLocationAttributes(file)}>`,
    html`<meta charset="utf-8">`,
    renderFirstScript(firstScript),
    html`<title>${heading}</title>`,
    html`<meta http-equiv="refresh" content="0; url=${href}">`,
    html`<link rel="canonical" href="${escapeXml(canonical)}">`,
    html`<p>${heading}: <a href="${href}">${href}</a></p>`,
  ];
  return { path: file, content: html`${joinHtml(lines, html`\n`)}\n` };
}

/**
 * Renders the attributes in which a page stores its location. They are necessary because hosts serve a redirect page at
 * several addresses, like any page.
 */
function renderLocationAttributes(file: string): Html {
  const path = file.replace(/\.html?$/i, "");
  const root = "../".repeat(file.split("/").length - 1);
  const current = escapeXml(`/${path === "index" ? "" : path}`);
  return html` data-root="${escapeXml(root)}" data-current-path="${current}"`;
}

/** Creates a function that finds the final target of an authored destination. It returns undefined for a loop. */
function createTargetFinder(site: Site): FindTarget {
  const pages = new Set(site.pages.map((page) => page.path));
  const assets = new Set([...site.assets, ...site.styles, ...site.scripts]);
  const redirectOf = createRedirectMatcher(site.redirects);
  const fileOf = createPageFiles(site);
  const findFolderPage = createFolderPageFinder(site, (path) => pages.has(path));

  function find(destination: string, hopsLeft: number): RedirectTarget | undefined {
    if (/^[a-z][a-z\d+.-]*:|^\/\//i.test(destination)) {
      return { type: "outside", href: normalizeAddress(destination) };
    }
    const parts = splitAddress(destination);
    const suffix = encodeSuffix(parts.suffix);
    const path = toPath(parts.path);
    const page = [path, path.replace(/\.(?:html|mdx?)$/, ""), `${path}/index`].find((candidate) =>
      pages.has(candidate),
    );
    if (page !== undefined) return { type: "file", file: fileOf(page), suffix };
    if (assets.has(path)) return { type: "file", file: path, suffix };
    const next = redirectOf(path);
    if (next !== undefined) return hopsLeft > 0 ? find(next, hopsLeft - 1) : undefined;
    return { type: "file", file: fileOf(findFolderPage(path) ?? path), suffix };
  }
  return (destination) => find(destination, maxHops);
}

function toPath(address: string): string {
  let decoded = address;
  try {
    decoded = decodeURIComponent(address);
  } catch {
    // The address is not percent-encoded, so it is the path itself.
  }
  return cleanRelativePath(decoded) || "index";
}

function encodeSuffix(suffix: string): string {
  return suffix.toWellFormed().replace(/[\s"<>\\^`{|}]/g, encodeURIComponent);
}

function normalizeAddress(address: string): string {
  const isComplete = !address.startsWith("//");
  const url = URL.parse(isComplete ? address : `https:${address}`);
  return url?.href ?? encodePath(address);
}
