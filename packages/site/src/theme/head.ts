import { escapeHtml, languageTag } from "../markup/index.ts";
import { feedFile, languageAlternates } from "../site/index.ts";
import type { Site, SitePage, Crumb } from "../site/index.ts";
import type { LayoutOptions } from "./layout-options.ts";
import { formulaStyles } from "./formula-files.ts";
import { fileUrl, type Links } from "./link.ts";
import { meta, publicUrl, socialTags } from "./social-tags.ts";
import { structuredData } from "./structured-data.ts";
import { rootMark } from "./markup.ts";
import { notFoundScriptPath } from "./not-found-script.ts";
import { schemeScript, schemeScriptHash } from "./scheme-script.ts";

export interface HeadInput {
  readonly site: Site;
  readonly links: Links;
  readonly options: LayoutOptions;
  /** Undefined on the page that says there is none. */
  readonly page: SitePage | undefined;
  readonly title: string;
  /** What the page is about, in a sentence or two. */
  readonly description: string | undefined;
  readonly languageTag: string;
  readonly hasFormulas: boolean;
  /** The bundle has a feed of the page's changelog. */
  readonly hasFeed: boolean;
  /** What stands above the page in the navigation. */
  readonly crumbs: readonly Crumb[];
}

/**
 * `404.html` is shown at addresses of any depth and does not know how deep: where the style sheet is
 * not below the host's root, it may be beside the page, and where it is not there either, these few
 * rules make the page readable. Being the first layer, they give way to the sheet, which sets the
 * same properties.
 */
const notFoundStyles = [
  "<style>@layer octavo.alone{",
  "body{margin:2rem max(1.25rem,50vw - 21rem);font:1rem/1.7 system-ui,sans-serif}",
  "img{height:1.75rem}",
  "}</style>",
  '<link rel="stylesheet" href="_octavo/octavo.css">',
].join("");

/**
 * For a bundle that shows nothing from other hosts: the browser itself holds what the renderer promises, also
 * against the site's own styles and scripts. `file:` is where a page opened by a double click comes from.
 * Without scripts of the site's own nothing runs but the bundle's; with them, what they write into the page
 * may run too.
 */
function ownFilesOnly({ scripts }: Site): string {
  const policy = [
    "default-src 'self' file: data: blob:",
    scripts.length === 0
      ? `script-src 'self' file: '${schemeScriptHash}'`
      : "script-src 'self' file: data: blob: 'unsafe-inline' 'unsafe-eval'",
    "style-src 'self' file: data: blob: 'unsafe-inline'",
  ].join("; ");
  return `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
}

/** What stands between `<head>` and `</head>`, with `rootMark`. */
export function head(input: HeadInput): string {
  const { site, page, options, title, description } = input;
  const isCrawlable = page !== undefined && page.crawlable !== false;
  return [
    '<meta charset="utf-8">',
    options.copyOf === undefined ? "" : ownFilesOnly(site),
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapeHtml(title)}</title>`,
    `<script>${schemeScript}</script>`,
    page === undefined ? notFoundStyles : "",
    `<link rel="stylesheet" href="${rootMark}_octavo/octavo.css">`,
    input.hasFormulas ? `<link rel="stylesheet" href="${rootMark}${formulaStyles}">` : "",
    ...site.styles.map(
      (path) => `<link rel="stylesheet" href="${rootMark}${escapeHtml(fileUrl(path))}">`,
    ),
    `<script defer src="${rootMark}_octavo/octavo.js"></script>`,
    ...site.scripts.map(
      (path) => `<script defer src="${rootMark}${escapeHtml(fileUrl(path))}"></script>`,
    ),
    page === undefined ? `<script defer src="${rootMark}${notFoundScriptPath}"></script>` : "",
    description === undefined ? "" : meta("description", description),
    isCrawlable ? "" : meta("robots", "noindex"),
    meta("generator", options.generator),
    favicon(input),
    input.hasFeed && page !== undefined ? feedLink(page) : "",
    page === undefined ? "" : aboutPage(input, page),
  ].join("");
}

function favicon({ site, links }: HeadInput): string {
  const { favicon: icon } = site.config;
  if (icon === undefined) return "";
  const [light, dark] = [links.toPicture(icon.light), links.toPicture(icon.dark)];
  if (light === undefined || dark === undefined) return "";
  if (light === dark) return `<link rel="icon" href="${light}">`;
  return (
    `<link rel="icon" href="${light}" media="(prefers-color-scheme: light)">` +
    `<link rel="icon" href="${dark}" media="(prefers-color-scheme: dark)">`
  );
}

function feedLink({ path, title }: SitePage): string {
  const address = rootMark + escapeHtml(fileUrl(feedFile(path)));
  return `<link rel="alternate" type="application/rss+xml" title="${escapeHtml(title)}" href="${address}">`;
}

/** What search engines and other sites are told of the page; where it will stand is known with a base URL only. */
function aboutPage(input: HeadInput, page: SitePage): string {
  const { site, options, title, description, crumbs } = input;
  const { baseUrl } = options;
  const address = canonicalAddress(site, page, baseUrl);
  const link = address === undefined ? "" : `<link rel="canonical" href="${escapeHtml(address)}">`;
  const facts = { title, description, languageTag: input.languageTag, address };
  const tags = socialTags(site, page, { ...facts, baseUrl });
  if (baseUrl === undefined || address === undefined) return link + tags;
  const isPublic = page.crawlable !== false;
  const about = { ...facts, address, baseUrl, crumbs };
  return [
    link,
    isPublic ? alternates(site, page, baseUrl) : "",
    tags,
    isPublic ? structuredData(site, page, about) : "",
  ].join("");
}

/** The page's own, else below the site's, else where the bundle will stand. */
function canonicalAddress(
  { config }: Site,
  { path, frontmatter }: SitePage,
  baseUrl: string | undefined,
): string | undefined {
  if (frontmatter.canonical !== undefined) return frontmatter.canonical;
  const { canonical } = config.seo.metatags;
  if (canonical !== undefined && /^https?:\/\//i.test(canonical)) {
    // The host that the author names shows pages without an ending, as the format does.
    return `${canonical.replace(/\/+$/, "")}/${path === "index" ? "" : encodeURI(path)}`;
  }
  return baseUrl === undefined ? undefined : publicUrl(baseUrl, path);
}

/** The same page in the site's languages. */
function alternates(site: Site, page: SitePage, baseUrl: string): string {
  return languageAlternates(site, page)
    .map(({ language, path, isDefault }) => {
      const href = escapeHtml(publicUrl(baseUrl, path));
      const alternate = (name: string) =>
        `<link rel="alternate" hreflang="${escapeHtml(name)}" href="${href}">`;
      return alternate(languageTag(language)) + (isDefault ? alternate("x-default") : "");
    })
    .join("");
}
