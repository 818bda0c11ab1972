import { html, trustHtml, type Html } from "../../markup/index.ts";
import type { Crumb, Site, SitePage } from "../../site/index.ts";
import { findModifiedDay } from "../../site/index.ts";
import { getPublicAuthoredUrl, type AddressOf } from "../link.ts";

interface PageFacts {
  readonly description: string | undefined;
  readonly languageTag: string;
  readonly address: string;
  readonly addressOf: AddressOf;
  readonly baseUrl: string;
  readonly crumbs: readonly Crumb[];
}

/** An entity of schema.org; JSON omits undefined keys. */
type Entity = Readonly<Record<string, unknown>>;

/**
 * Renders structured data for search engines (schema.org, JSON-LD): the article, its position, the site and its
 * publisher, linked by `@id`s that are the same on every page.
 */
export function renderStructuredData(site: Site, page: SitePage, facts: PageFacts): Html {
  const json = JSON.stringify({
    "@context": "https://schema.org",
    "@graph": graph(site, page, facts),
  });
  // `</script>` and `<!--` would end the element or change how it is read; a script has no other markup.
  const script = trustHtml(json.replaceAll("<", "\\u003c"));
  return html`<script type="application/ld+json">${script}</script>`;
}

function graph(site: Site, page: SitePage, facts: PageFacts): readonly Entity[] {
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
    dateModified: findModifiedDay(page),
    inLanguage: languageTag,
    mainEntityOfPage: { "@id": webPage["@id"] },
    publisher: { "@id": publisher["@id"] },
  };
  return [publisher, website, webPage, breadcrumbList(page, facts), article];
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
    logo: picture === undefined ? undefined : getPublicAuthoredUrl(baseUrl, picture),
    sameAs,
  };
}

function breadcrumbList(page: SitePage, { address, addressOf, crumbs }: PageFacts): Entity {
  const above = crumbs.map(({ label, path }) => ({
    name: label,
    item: path === undefined ? undefined : addressOf(path),
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
