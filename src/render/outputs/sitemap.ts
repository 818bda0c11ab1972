import type { BundleFile } from "../bundle.ts";
import type { Site } from "../site/site.ts";
import { escapeMarkup, fileAddress, pageFile } from "./address.ts";
import type { OutputOptions, PageOutput } from "./output.ts";

/** The most that one sitemap may list (sitemaps.org); above it, `sitemap.xml` lists sitemaps. */
const addressesPerFile = 50_000;
const namespace = "http://www.sitemaps.org/schemas/sitemap/0.9";

/** `sitemap.xml`: the pages that search engines should know. */
export function sitemap(
  _site: Site,
  pages: readonly PageOutput[],
  { baseUrl }: OutputOptions,
): BundleFile[] {
  const addresses = pages
    .filter(({ page }) => page.indexed)
    .map(({ page }) => fileAddress(pageFile(page.path), baseUrl));
  if (addresses.length <= addressesPerFile) {
    return [{ path: "sitemap.xml", content: list("urlset", "url", addresses, baseUrl) }];
  }
  const parts: BundleFile[] = [];
  for (let start = 0; start < addresses.length; start += addressesPerFile) {
    const part = addresses.slice(start, start + addressesPerFile);
    const path = `sitemap-${parts.length + 1}.xml`;
    parts.push({ path, content: list("urlset", "url", part, baseUrl) });
  }
  const partAddresses = parts.map(({ path }) => fileAddress(path, baseUrl));
  const content = list("sitemapindex", "sitemap", partAddresses, baseUrl);
  return [{ path: "sitemap.xml", content }, ...parts];
}

function list(
  root: string,
  item: string,
  addresses: readonly string[],
  baseUrl: string | undefined,
): string {
  const note =
    baseUrl === undefined
      ? ["<!-- Exported without a base URL: addresses are relative to this file. -->"]
      : [];
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    ...note,
    `<${root} xmlns="${namespace}">`,
    ...addresses.map((address) => `<${item}><loc>${escapeMarkup(address)}</loc></${item}>`),
    `</${root}>`,
    "",
  ].join("\n");
}
