import {
  buildVoidTag,
  escapeHtml,
  html,
  joinAttributes,
  joinHtml,
  toLanguageTag,
  trustHtml,
  type Html,
} from "../../markup/index.ts";
import type { ComponentScript } from "../../page/index.ts";
import {
  findModifiedDay,
  getFeedPath,
  listLanguageAlternates,
  type Crumb,
  type Site,
  type SitePage,
  stripFileAddress,
} from "../../site/index.ts";
import type { LayoutOptions } from "../layout-options.ts";
import {
  diagramScriptPath,
  listComponentFiles,
  notFoundScriptPath,
  formulaStylesPath,
} from "../assets.ts";
import {
  getPathToRoot,
  renderFileHref,
  type Links,
  getFileUrl,
  getPublicFileUrl,
} from "../link.ts";
import { renderPolicy, type PageRemoteContent } from "./page-policy.ts";
import { renderFirstScript } from "./first-script.ts";

type GetAddress = (path: string) => string;

interface HeadInput {
  readonly site: Site;
  readonly links: Links;
  readonly options: LayoutOptions;
  /** The page; undefined for `404.html`. */
  readonly page: SitePage | undefined;
  /** Whether the bundle's root is certain to be at the path that the page's links expect. */
  readonly isRootKnown: boolean;
  readonly title: string;
  /** A summary of the page in one or two sentences. */
  readonly description: string | undefined;
  readonly languageTag: string;
  readonly hasFormulas: boolean;
  readonly hasDiagrams: boolean;
  /** The scripts of components that run in the reader's browser. */
  readonly componentScripts: readonly ComponentScript[];
  /** Whether the bundle has a feed of the page's changelog. */
  readonly hasFeed: boolean;
  readonly remote: PageRemoteContent;
  /** The page's ancestors in the navigation. */
  readonly crumbs: readonly Crumb[];
}

/** Renders the content of `<head>`, with `rootMark`. */
export function renderHead(input: HeadInput): Html {
  const { site, links, page, options, title, description } = input;
  const isCrawlable = page !== undefined && page.crawlable !== false;
  return joinHtml([
    html`<meta charset="utf-8">`,
    renderPolicy(site, options, input.remote),
    dnsPrefetchOffMeta,
    html`<meta name="viewport" content="width=device-width, initial-scale=1">`,
    html`<title>${escapeHtml(title)}</title>`,
    renderFirstScript(options.firstScript),
    page === undefined
      ? renderNotFoundStyles(input)
      : renderStylesWithoutScripts(links.fileOf(page.path)),
    renderStyleLink("_octavo/octavo.css"),
    input.hasFormulas ? renderStyleLink(formulaStylesPath) : "",
    ...site.styles.map(renderStyleLink),
    renderScript("_octavo/octavo.js"),
    ...(input.hasDiagrams ? [renderScript(diagramScriptPath)] : []),
    ...listComponentFiles(input.componentScripts).map(renderScript),
    ...site.scripts.map(renderScript),
    page === undefined ? renderScript(notFoundScriptPath) : "",
    description === undefined ? "" : renderMeta("description", description),
    isCrawlable ? "" : renderMeta("robots", "noindex"),
    renderMeta("generator", options.generator),
    renderFavicon(input),
    input.hasFeed && page !== undefined ? renderFeedLink(page) : "",
    page === undefined ? "" : renderMetadata(input, page),
  ]);
}

/** Prevents browsers from looking up the hosts of links before the reader follows them. */
const dnsPrefetchOffMeta = html`<meta http-equiv="x-dns-prefetch-control" content="off">`;

/**
 * Basic rules for a page that may not find its style sheet. The style sheet overrides them, because their layer comes
 * first.
 */
const fallbackStyles = joinHtml([
  html`<style>@layer octavo.alone{`,
  html`body{margin:2rem max(1.25rem,50vw - 21rem);font:1rem/1.7 system-ui,sans-serif}`,
  html`img{height:1.75rem}`,
  html`}</style>`,
]);

/**
 * Renders the styles of `404.html`, which is shown at addresses of any depth. If the path of the bundle on its host is
 * unknown, the style sheet may be next to the page rather than below the host's root.
 */
function renderNotFoundStyles({ isRootKnown }: HeadInput): Html {
  if (isRootKnown) return fallbackStyles;
  return html`${fallbackStyles}<link rel="stylesheet" href="_octavo/octavo.css">`;
}

/**
 * Renders a second link to the style sheet for readers without scripts. It works if a host shows the page one folder
 * deeper than its file (`start/`), or a folder's page one folder higher. For the root's own page, no such link is
 * possible, because the name of the root's folder is unknown.
 */
function renderStylesWithoutScripts(file: string): Html {
  if (file === "index.html") return html`<noscript>${fallbackStyles}</noscript>`;
  const isFolder = file.endsWith("/index.html");
  const root = isFolder ? getPathToRoot(file).slice("../".length) : `../${getPathToRoot(file)}`;
  return html`<noscript><link rel="stylesheet" href="${escapeHtml(root)}_octavo/octavo.css"></noscript>`;
}

function renderStyleLink(path: string): Html {
  return html`<link rel="stylesheet" href="${renderFileHref(path)}">`;
}

function renderScript(path: string): Html {
  return html`<script defer src="${renderFileHref(path)}"></script>`;
}

function renderFavicon({ site, links }: HeadInput): Html {
  const { favicon } = site.config;
  const light = favicon && links.toImage(favicon.light);
  const dark = favicon && links.toImage(favicon.dark);
  if (light === undefined || dark === undefined) return "";
  if (light === dark) return html`<link rel="icon" href="${light}">`;
  return joinHtml([
    html`<link rel="icon" href="${light}" media="(prefers-color-scheme: light)">`,
    html`<link rel="icon" href="${dark}" media="(prefers-color-scheme: dark)">`,
  ]);
}

function renderFeedLink({ path, title }: SitePage): Html {
  const href = renderFileHref(getFeedPath(path));
  return html`<link rel="alternate" type="application/rss+xml" title="${escapeHtml(title)}" href="${href}">`;
}

/** Renders metadata for search engines and other sites. Metadata with the page's address requires a base URL. */
function renderMetadata(input: HeadInput, page: SitePage): Html {
  const { site, links, options, title, description, crumbs } = input;
  const { baseUrl } = options;
  const getAddress = baseUrl === undefined ? undefined : links.createAddressResolver(baseUrl);
  const address = chooseCanonicalAddress(site, page, getAddress);
  const facts = { title, description, languageTag: input.languageTag, address, baseUrl };
  const link =
    address === undefined
      ? ""
      : buildVoidTag("link", joinAttributes({ rel: "canonical", href: address }));
  const tags = renderSocialTags(site, page, facts);
  if (baseUrl === undefined || getAddress === undefined || address === undefined) {
    return html`${link}${tags}`;
  }
  if (page.crawlable === false) return html`${link}${tags}`;
  const data = renderStructuredData(site, page, {
    ...facts,
    address,
    getAddress,
    baseUrl,
    crumbs,
  });
  return joinHtml([link, renderAlternates(site, page, getAddress), tags, data]);
}

/**
 * Returns the canonical address that the page sets. If there is none, returns an address below the site's canonical
 * address or, if there is none either, below the base URL.
 */
function chooseCanonicalAddress(
  { config }: Site,
  { path, frontmatter }: SitePage,
  getAddress: GetAddress | undefined,
): string | undefined {
  if (frontmatter.canonical !== undefined) return frontmatter.canonical;
  const { canonical } = config.seo.metatags;
  if (canonical !== undefined && /^https?:\/\//i.test(canonical)) {
    // The host that the author named serves pages without an extension, as the format specifies.
    return `${canonical.replace(/\/+$/, "")}/${path === "index" ? "" : encodeURI(path)}`;
  }
  return getAddress?.(path);
}

/** Renders links to the same page in the site's languages. */
function renderAlternates(site: Site, page: SitePage, getAddress: GetAddress): Html {
  const links = listLanguageAlternates(site, page).map(({ language, path, isDefault }) => {
    const href = getAddress(path);
    const render = (hreflang: string): Html =>
      buildVoidTag("link", joinAttributes({ rel: "alternate", hreflang, href }));
    return html`${render(toLanguageTag(language))}${isDefault ? render("x-default") : ""}`;
  });
  return joinHtml(links);
}

function renderMeta(name: string, content: string): Html {
  // Open Graph names are properties in the sense of RDFa. All other names are plain metadata.
  const isProperty = /^(og|article|fb|music|video|book|profile):/.test(name);
  const key = isProperty ? html`property` : html`name`;
  return html`<meta ${key}="${escapeHtml(name)}" content="${escapeHtml(content)}">`;
}

interface SocialFacts {
  readonly title: string;
  readonly description: string | undefined;
  readonly languageTag: string;
  /** The page's absolute address; undefined without a base URL. */
  readonly address: string | undefined;
  readonly baseUrl: string | undefined;
}

/** Reports whether a tag's content is the address of an image. Other sites need the absolute address. */
export function isPictureTag(name: string): boolean {
  return /^(?:og|twitter):image(?::(?:url|secure_url|src))?$/.test(name);
}

/**
 * Renders Open Graph and other `<meta>` elements. The page's own tags override the site's `seo.metatags`, which
 * override the defaults.
 */
function renderSocialTags(site: Site, page: SitePage, facts: SocialFacts): Html {
  const { baseUrl } = facts;
  const tags = Array.from(collectSocialTags(site, page, facts), ([name, content]) => {
    const isPicture = baseUrl !== undefined && isPictureTag(name);
    return renderMeta(name, isPicture ? getPublicAuthoredUrl(baseUrl, content, site) : content);
  });
  return joinHtml(tags);
}

function collectSocialTags(
  site: Site,
  { frontmatter }: SitePage,
  facts: SocialFacts,
): ReadonlyMap<string, string> {
  const { address } = facts;
  const tags = new Map<string, string>();
  if (address !== undefined) addDefaults(tags, site, { ...facts, address });
  for (const [name, content] of Object.entries(site.config.seo.metatags)) {
    if (name !== "canonical") tags.set(name, content);
  }
  for (const [name, content] of Object.entries(frontmatter.extra)) {
    if (/^(og|twitter):/.test(name) && typeof content === "string") tags.set(name, content);
  }
  if (frontmatter.keywords !== undefined) tags.set("keywords", frontmatter.keywords.join(", "));
  const hasImage = tags.has("og:image") || tags.has("twitter:image");
  if (address !== undefined && !tags.has("twitter:card")) {
    tags.set("twitter:card", hasImage ? "summary_large_image" : "summary");
  }
  return tags;
}

function addDefaults(
  tags: Map<string, string>,
  site: Site,
  facts: SocialFacts & { readonly address: string },
): void {
  const { title, description, languageTag, address } = facts;
  tags.set("og:type", "article");
  tags.set("og:site_name", site.config.name);
  tags.set("og:title", title);
  if (description !== undefined) tags.set("og:description", description);
  tags.set("og:url", address);
  tags.set("og:locale", languageTag.replace("-", "_"));
}

interface PageFacts {
  readonly description: string | undefined;
  readonly languageTag: string;
  readonly address: string;
  readonly getAddress: GetAddress;
  readonly baseUrl: string;
  readonly crumbs: readonly Crumb[];
}

/** An entity of schema.org. JSON omits undefined keys. */
type Entity = Readonly<Record<string, unknown>>;

/**
 * Renders structured data for search engines (schema.org, JSON-LD). It describes the article, its position, the site
 * and its publisher, which refer to each other by `@id`.
 */
function renderStructuredData(site: Site, page: SitePage, facts: PageFacts): Html {
  const json = JSON.stringify({
    "@context": "https://schema.org",
    "@graph": buildGraph(site, page, facts),
  });
  // `</script>` and `<!--` would end the element or change how it is parsed. No other markup matters within a script.
  const script = trustHtml(json.replaceAll("<", "\\u003c"));
  return html`<script type="application/ld+json">${script}</script>`;
}

function buildGraph(site: Site, page: SitePage, facts: PageFacts): readonly Entity[] {
  const { address, baseUrl, description, languageTag } = facts;
  const root = baseUrl.replace(/\/+$/, "");
  const publisher = buildOrganization(site, baseUrl);
  const website: Entity = {
    "@type": "WebSite",
    "@id": `${root}/#website`,
    url: `${root}/`,
    name: site.config.name,
    description: site.config.description,
    publisher: { "@id": publisher["@id"] },
  };
  const webPage: Entity = {
    "@type": "WebPage",
    "@id": `${address}#webpage`,
    url: address,
    name: page.title,
    description,
    inLanguage: languageTag,
    isPartOf: { "@id": website["@id"] },
    breadcrumb: { "@id": `${address}#breadcrumb` },
  };
  const article: Entity = {
    "@type": isReferencePage(page) ? "APIReference" : "TechArticle",
    "@id": `${address}#article`,
    headline: page.title,
    description,
    keywords: page.frontmatter.keywords,
    dateModified: findModifiedDay(page),
    inLanguage: languageTag,
    mainEntityOfPage: { "@id": webPage["@id"] },
    publisher: { "@id": publisher["@id"] },
  };
  return [publisher, website, webPage, buildBreadcrumbList(page, facts), article];
}

function buildOrganization(site: Site, baseUrl: string): Entity {
  const { config } = site;
  const { origin } = new URL(baseUrl);
  const { id, name, legalName, url, logo, sameAs } = config.seo.organization ?? {};
  const picture = logo ?? config.logo?.light;
  return {
    "@type": "Organization",
    "@id": id ?? `${origin}/#organization`,
    name: name ?? config.name,
    legalName,
    url: url ?? `${origin}/`,
    logo: picture === undefined ? undefined : getPublicAuthoredUrl(baseUrl, picture, site),
    sameAs,
  };
}

function buildBreadcrumbList(page: SitePage, { address, getAddress, crumbs }: PageFacts): Entity {
  const ancestors = crumbs.map(({ label, path }) => ({
    name: label,
    item: path === undefined ? undefined : getAddress(path),
  }));
  const items = [...ancestors, { name: page.title, item: address }];
  return {
    "@type": "BreadcrumbList",
    "@id": `${address}#breadcrumb`,
    itemListElement: items.map((item, index) => ({
      "@type": "ListItem",
      position: index + 1,
      ...item,
    })),
  };
}

function isReferencePage({ frontmatter }: SitePage): boolean {
  const { openapi, api, extra } = frontmatter;
  return openapi !== undefined || api !== undefined || extra["asyncapi"] !== undefined;
}

/** Returns the absolute address of a file that an author named; an address on another host stays unchanged. */
function getPublicAuthoredUrl(
  baseUrl: string,
  target: string,
  site: Pick<Site, "assets" | "basePaths">,
): string {
  if (/^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(target)) return target;
  const address = stripFileAddress(target, site);
  return getPublicFileUrl(baseUrl, getFileUrl(address.replace(/^(?:\.?\/)+/, "")));
}
