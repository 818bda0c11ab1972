import { escapeHtml } from "../components/html.ts";
import { feedFile } from "../outputs/address.ts";
import type { Site, SitePage } from "../site/site.ts";
import type { LayoutOptions } from "./layout-options.ts";
import { formulaStyles } from "./formula-files.ts";
import { fileUrl, pageUrl, type Links } from "./link.ts";
import { rootMark } from "./markup.ts";
import { notFoundScriptPath } from "./not-found-script.ts";
import { schemeScript } from "./scheme-script.ts";

export interface HeadInput {
  readonly site: Site;
  readonly links: Links;
  readonly options: LayoutOptions;
  /** Undefined on the page that says there is none. */
  readonly page: SitePage | undefined;
  readonly title: string;
  readonly languageTag: string;
  readonly hasFormulas: boolean;
  /** The bundle has a feed of the page's changelog. */
  readonly hasFeed: boolean;
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
 */
const ownFilesOnly =
  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'self' file: data: blob: 'unsafe-inline' 'unsafe-eval'\">";

/** What stands between `<head>` and `</head>`, with `rootMark`. */
export function head(input: HeadInput): string {
  const { site, page, options, title } = input;
  const description = page?.frontmatter.description ?? site.config.description;
  const isCrawlable = page !== undefined && page.crawlable !== false;
  return [
    '<meta charset="utf-8">',
    options.copyOf === undefined ? "" : ownFilesOnly,
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
    page === undefined ? "" : social(input, page, description),
  ].join("");
}

function meta(name: string, content: string): string {
  // Open Graph names are properties in the RDFa sense; all others are plain metadata.
  const key = /^(og|article|fb|music|video|book|profile):/.test(name) ? "property" : "name";
  return `<meta ${key}="${escapeHtml(name)}" content="${escapeHtml(content)}">`;
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

/** Address of a page on the host that the bundle is for. */
function publicUrl(baseUrl: string, path: string): string {
  const url = pageUrl(path);
  return `${baseUrl.replace(/\/+$/, "")}/${url === "index.html" ? "" : url}`;
}

function social(input: HeadInput, page: SitePage, description: string | undefined): string {
  const { site, options, title, languageTag } = input;
  const { canonical, extra } = page.frontmatter;
  const address =
    canonical ??
    (options.baseUrl === undefined ? undefined : publicUrl(options.baseUrl, page.path));
  const tags = new Map<string, string>();
  if (address !== undefined) {
    tags.set("og:type", "article");
    tags.set("og:site_name", site.config.name);
    tags.set("og:title", title);
    if (description !== undefined) tags.set("og:description", description);
    tags.set("og:url", address);
    tags.set("og:locale", languageTag.replace("-", "_"));
    tags.set("twitter:card", "summary");
  }
  for (const [name, content] of Object.entries(site.config.seo.metatags)) {
    if (name !== "canonical") tags.set(name, content);
  }
  for (const [name, content] of Object.entries(extra)) {
    if (/^(og|twitter):/.test(name) && typeof content === "string") tags.set(name, content);
  }
  if (page.frontmatter.keywords !== undefined) {
    tags.set("keywords", page.frontmatter.keywords.join(", "));
  }
  const link = address === undefined ? "" : `<link rel="canonical" href="${escapeHtml(address)}">`;
  return link + Array.from(tags, ([name, content]) => meta(name, content)).join("");
}
