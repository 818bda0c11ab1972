import type { BundleFile } from "../core/index.ts";
import { languageAlternates, modifiedDay, fileAddress, pageFile } from "../site/index.ts";
import type { LanguageAlternate, Site } from "../site/index.ts";
import { languageTag, escapeXml } from "../markup/index.ts";
import type { OutputOptions, PageOutput } from "./output.ts";

/** Max addresses of one sitemap (sitemaps.org); beyond it, `sitemap.xml` lists sitemaps. */
const maxAddresses = 50_000;
const linkNamespace = "http://www.w3.org/1999/xhtml";
const namespace = "http://www.sitemaps.org/schemas/sitemap/0.9";

interface Entry {
  readonly address: string;
  /** Markup beside the address. */
  readonly more?: string;
}

/** `sitemap.xml`: the indexed pages, each with its last change and its versions in other languages. */
export function sitemap(
  site: Site,
  pages: readonly PageOutput[],
  { baseUrl }: OutputOptions,
): BundleFile[] {
  const indexed = pages.filter(({ page }) => page.indexed);
  const paths = new Set(indexed.map(({ page }) => page.path));
  const addresses = indexed.map(({ page }): Entry => {
    const address = fileAddress(pageFile(page.path), baseUrl);
    const day = modifiedDay(page);
    const more = day === undefined ? "" : `<lastmod>${day}</lastmod>`;
    if (baseUrl === undefined) return { address, more };
    const others = languageAlternates(site, page).filter(({ path }) => paths.has(path));
    return { address, more: more + (others.length > 1 ? alternateLinks(others, baseUrl) : "") };
  });
  if (addresses.length <= maxAddresses) {
    return [{ path: "sitemap.xml", content: list("urlset", "url", addresses, baseUrl) }];
  }
  const parts: BundleFile[] = [];
  for (let start = 0; start < addresses.length; start += maxAddresses) {
    const part = addresses.slice(start, start + maxAddresses);
    const path = `sitemap-${parts.length + 1}.xml`;
    parts.push({ path, content: list("urlset", "url", part, baseUrl) });
  }
  const partAddresses = parts.map(({ path }) => ({ address: fileAddress(path, baseUrl) }));
  const content = list("sitemapindex", "sitemap", partAddresses, baseUrl);
  return [{ path: "sitemap.xml", content }, ...parts];
}

function alternateLinks(alternates: readonly LanguageAlternate[], baseUrl: string): string {
  return alternates
    .map(({ language, path }) => {
      const href = escapeXml(fileAddress(pageFile(path), baseUrl));
      const tag = escapeXml(languageTag(language));
      return `<xhtml:link rel="alternate" hreflang="${tag}" href="${href}"/>`;
    })
    .join("");
}

function list(
  root: string,
  item: string,
  entries: readonly Entry[],
  baseUrl: string | undefined,
): string {
  const note =
    baseUrl === undefined
      ? ["<!-- Exported without a base URL: addresses are relative to this file. -->"]
      : [];
  const hasLinks = entries.some(({ more = "" }) => more.includes("<xhtml:link "));
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    ...note,
    `<${root} xmlns="${namespace}"${hasLinks ? ` xmlns:xhtml="${linkNamespace}"` : ""}>`,
    ...entries.map(
      ({ address, more = "" }) => `<${item}><loc>${escapeXml(address)}</loc>${more}</${item}>`,
    ),
    `</${root}>`,
    "",
  ].join("\n");
}
