import type { Crumb, Site, SitePage } from "../site/index.ts";
import { modifiedDay } from "../site/index.ts";
import { fileUrl } from "./link.ts";
import { publicFileUrl, publicUrl } from "./social-tags.ts";

export interface PageFacts {
  readonly description: string | undefined;
  readonly languageTag: string;
  readonly address: string;
  readonly baseUrl: string;
  readonly crumbs: readonly Crumb[];
}

/** A value without what is undefined, as JSON leaves it out. */
type Entity = Readonly<Record<string, unknown>>;

/**
 * What a page is, for search engines (schema.org, JSON-LD): the article, where it stands, the site and who
 * publishes it, linked by `@id`s that stay the same from page to page.
 */
export function structuredData(site: Site, page: SitePage, facts: PageFacts): string {
  const { address, baseUrl, description, languageTag } = facts;
  const root = baseUrl.replace(/\/+$/, "");
  const publisher = organization(site, baseUrl);
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
    "@type": isReference(page) ? "APIReference" : "TechArticle",
    "@id": `${address}#article`,
    headline: page.title,
    description,
    keywords: page.frontmatter.keywords,
    dateModified: modifiedDay(page),
    inLanguage: languageTag,
    mainEntityOfPage: { "@id": webPage["@id"] },
    publisher: { "@id": publisher["@id"] },
  };
  const graph = [publisher, website, webPage, breadcrumbList(page, facts), article];
  const json = JSON.stringify({ "@context": "https://schema.org", "@graph": graph });
  // `</script>` and `<!--` would end the element or change how it is read.
  return `<script type="application/ld+json">${json.replaceAll("<", "\\u003c")}</script>`;
}

function organization({ config }: Site, baseUrl: string): Entity {
  const { origin } = new URL(baseUrl);
  const { id, name, legalName, url, logo, sameAs } = config.seo.organization ?? {};
  const picture = logo ?? config.logo?.light;
  return {
    "@type": "Organization",
    "@id": id ?? `${origin}/#organization`,
    name: name ?? config.name,
    legalName,
    url: url ?? `${origin}/`,
    logo: picture === undefined ? undefined : pictureAddress(picture, baseUrl),
    sameAs,
  };
}

function pictureAddress(picture: string, baseUrl: string): string {
  if (/^[a-z][a-z\d+.-]*:/i.test(picture)) return picture;
  return publicFileUrl(baseUrl, fileUrl(picture.replace(/^(?:\.?\/)+/, "")));
}

function breadcrumbList(page: SitePage, { address, baseUrl, crumbs }: PageFacts): Entity {
  const above = crumbs.map(({ label, path }) => ({
    name: label,
    item: path === undefined ? undefined : publicUrl(baseUrl, path),
  }));
  const items = [...above, { name: page.title, item: address }];
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

function isReference({ frontmatter }: SitePage): boolean {
  const { openapi, api, extra } = frontmatter;
  return openapi !== undefined || api !== undefined || extra["asyncapi"] !== undefined;
}
