import { createLazyFile } from "../core/index.ts";
import type { BundleFile } from "../core/index.ts";
import {
  listLanguageAlternates,
  findModifiedDay,
  createPageFiles,
  getFileAddress,
  getPageAddress,
} from "../site/index.ts";
import type { LanguageAlternate, Site } from "../site/index.ts";
import {
  joinAttributes,
  buildElement,
  escapeXml,
  html,
  joinHtml,
  toLanguageTag,
  type Html,
} from "../markup/index.ts";
import type { OutputOptions, PageOutput } from "./output.ts";
import { renderXmlDocument } from "./output.ts";

/** The maximum number of addresses in one sitemap (sitemaps.org). If there are more, `sitemap.xml` lists sitemaps. */
const maxAddresses = 50_000;
const linkNamespace = "http://www.w3.org/1999/xhtml";
const namespace = "http://www.sitemaps.org/schemas/sitemap/0.9";

interface SitemapEntry {
  readonly address: string;
  /** The elements after the entry's `<loc>`. */
  readonly details: Html;
}

/** Creates `sitemap.xml` with the indexed pages, each with its last change and its versions in other languages. */
export function createSitemapFiles(
  site: Site,
  pages: readonly PageOutput[],
  options: OutputOptions,
): BundleFile[] {
  const { baseUrl, siteFingerprint } = options;
  const indexedPages = pages.filter(({ page }) => page.indexed);
  const partCount =
    indexedPages.length <= maxAddresses ? 0 : Math.ceil(indexedPages.length / maxAddresses);
  let entries: readonly SitemapEntry[] | undefined;
  function renderPart(number: number): string {
    entries ??= listEntries(site, indexedPages, baseUrl);
    const start = number * maxAddresses;
    return renderList(pageList, entries.slice(start, start + maxAddresses), baseUrl);
  }
  if (partCount === 0) return [createLazyFile("sitemap.xml", siteFingerprint, () => renderPart(0))];
  const parts = Array.from({ length: partCount }, (_, number) =>
    createLazyFile(`sitemap-${number + 1}.xml`, siteFingerprint, () => renderPart(number)),
  );
  const partEntries = parts.map(({ path }): SitemapEntry => ({
    address: getFileAddress(path, baseUrl),
    details: "",
  }));
  const list = createLazyFile("sitemap.xml", siteFingerprint, () =>
    renderList(sitemapList, partEntries, baseUrl),
  );
  return [list, ...parts];
}

function listEntries(
  site: Site,
  indexedPages: readonly PageOutput[],
  baseUrl: string | undefined,
): readonly SitemapEntry[] {
  const fileOf = createPageFiles(site);
  const addressOf = (path: string) => getPageAddress(site, fileOf(path), baseUrl);
  const paths = new Set(indexedPages.map(({ page }) => page.path));
  return indexedPages.map(({ page }): SitemapEntry => {
    const address = addressOf(page.path);
    const day = findModifiedDay(page);
    const change = day === undefined ? "" : buildElement("lastmod", "", escapeXml(day));
    if (baseUrl === undefined) return { address, details: change };
    const versions = listLanguageAlternates(site, page).filter(({ path }) => paths.has(path));
    const links = versions.length > 1 ? renderAlternates(versions, addressOf) : "";
    return { address, details: html`${change}${links}` };
  });
}

function renderAlternates(
  alternates: readonly LanguageAlternate[],
  addressOf: (path: string) => string,
): Html {
  const links = alternates.map(({ language, path }) => {
    const hreflang = escapeXml(toLanguageTag(language));
    const href = escapeXml(addressOf(path));
    return html`<xhtml:link rel="alternate" hreflang="${hreflang}" href="${href}"/>`;
  });
  return joinHtml(links);
}

/** The names of a list's elements. */
interface ListNames {
  readonly root: string;
  readonly item: string;
}

const pageList: ListNames = { root: "urlset", item: "url" };
const sitemapList: ListNames = { root: "sitemapindex", item: "sitemap" };

function renderList(
  { root, item }: ListNames,
  entries: readonly SitemapEntry[],
  baseUrl: string | undefined,
): Html {
  const items = entries.map(({ address, details }) => {
    const content = html`<loc>${escapeXml(address)}</loc>${details}`;
    return html`${buildElement(item, "", content)}\n`;
  });
  const hasLinks = entries.some(({ details }) => details.includes("<xhtml:link "));
  const start = joinAttributes({ xmlns: namespace, "xmlns:xhtml": hasLinks && linkNamespace });
  return renderXmlDocument([buildElement(root, start, html`\n${joinHtml(items)}`)], baseUrl);
}

/**
 * Creates `robots.txt`, which allows crawlers to fetch everything. Pages that must not be indexed are marked in their
 * head, which search engines see only if they may fetch the page.
 */
export function createRobotsFiles(
  _site: Site,
  _pages: readonly PageOutput[],
  { baseUrl }: OutputOptions,
): BundleFile[] {
  const lines = ["User-agent: *", "Allow: /"];
  // The format requires an absolute address.
  if (baseUrl !== undefined) lines.push("", `Sitemap: ${getFileAddress("sitemap.xml", baseUrl)}`);
  return [{ path: "robots.txt", content: `${lines.join("\n")}\n` }];
}
