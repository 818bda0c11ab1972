import { escapeHtml } from "../markup/index.ts";
import type { Site, SitePage } from "../site/index.ts";
import { fileUrl, pageUrl } from "./link.ts";

/** Address of a page on the host that the bundle is for. */
export function publicUrl(baseUrl: string, path: string): string {
  const url = pageUrl(path);
  return publicFileUrl(baseUrl, url === "index.html" ? "" : url);
}

/** Likewise of a file, given as a URL below the bundle's root. */
export function publicFileUrl(baseUrl: string, url: string): string {
  return `${baseUrl.replace(/\/+$/, "")}/${url}`;
}

export function meta(name: string, content: string): string {
  // Open Graph names are properties in the RDFa sense; all others are plain metadata.
  const key = /^(og|article|fb|music|video|book|profile):/.test(name) ? "property" : "name";
  return `<meta ${key}="${escapeHtml(name)}" content="${escapeHtml(content)}">`;
}

export interface SocialFacts {
  readonly title: string;
  readonly description: string | undefined;
  readonly languageTag: string;
  /** Where the page is to be found; without one, nobody can share it. */
  readonly address: string | undefined;
  readonly baseUrl: string | undefined;
}

/** Whose content is the address of a picture, which other sites must be given whole. */
const pictureTag = /^(?:og|twitter):image(?::(?:url|secure_url|src))?$/;

/** Open Graph and other `<meta>` elements: defaults, then the site's `seo.metatags`, then the page's own. */
export function socialTags(site: Site, page: SitePage, facts: SocialFacts): string {
  const { address, baseUrl } = facts;
  const tags = new Map<string, string>();
  if (address !== undefined) addDefaults(tags, site, { ...facts, address });
  for (const [name, content] of Object.entries(site.config.seo.metatags)) {
    if (name !== "canonical") tags.set(name, content);
  }
  for (const [name, content] of Object.entries(page.frontmatter.extra)) {
    if (/^(og|twitter):/.test(name) && typeof content === "string") tags.set(name, content);
  }
  if (page.frontmatter.keywords !== undefined) {
    tags.set("keywords", page.frontmatter.keywords.join(", "));
  }
  const hasPicture = tags.has("og:image") || tags.has("twitter:image");
  if (address !== undefined && !tags.has("twitter:card")) {
    tags.set("twitter:card", hasPicture ? "summary_large_image" : "summary");
  }
  return Array.from(tags, ([name, content]) =>
    meta(name, pictureTag.test(name) ? wholeAddress(content, baseUrl) : content),
  ).join("");
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

function wholeAddress(content: string, baseUrl: string | undefined): string {
  if (baseUrl === undefined || /^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(content)) return content;
  return publicFileUrl(baseUrl, fileUrl(content.replace(/^(?:\.?\/)+/, "")));
}
