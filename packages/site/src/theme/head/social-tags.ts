import { escapeHtml, html, joinHtml, type Html } from "../../markup/index.ts";
import type { Site, SitePage } from "../../site/index.ts";
import { publicAuthoredUrl } from "../link.ts";

export function renderMeta(name: string, content: string): Html {
  // Open Graph names are properties in the RDFa sense; all others are plain metadata.
  const isProperty = /^(og|article|fb|music|video|book|profile):/.test(name);
  const key = isProperty ? html`property` : html`name`;
  return html`<meta ${key}="${escapeHtml(name)}" content="${escapeHtml(content)}">`;
}

export interface SocialFacts {
  readonly title: string;
  readonly description: string | undefined;
  readonly languageTag: string;
  /** Where the page is found; without an address, nobody can share it. */
  readonly address: string | undefined;
  readonly baseUrl: string | undefined;
}

/** Whose content is the address of a picture, which other sites need in full. */
const pictureTag = /^(?:og|twitter):image(?::(?:url|secure_url|src))?$/;

/** Open Graph and other `<meta>` elements: defaults, then the site's `seo.metatags`, then the page's own. */
export function renderSocialTags(site: Site, page: SitePage, facts: SocialFacts): Html {
  const { baseUrl } = facts;
  const tags = Array.from(socialTags(site, page, facts), ([name, content]) => {
    const isPicture = baseUrl !== undefined && pictureTag.test(name);
    return renderMeta(name, isPicture ? publicAuthoredUrl(baseUrl, content) : content);
  });
  return joinHtml(tags);
}

function socialTags(
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
  const hasPicture = tags.has("og:image") || tags.has("twitter:image");
  if (address !== undefined && !tags.has("twitter:card")) {
    tags.set("twitter:card", hasPicture ? "summary_large_image" : "summary");
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
