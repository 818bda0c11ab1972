import { readEntry, type OpenBundle } from "../bundles/index.ts";
import { getPagePath } from "./route-path.ts";
import { escapeText } from "./page-edits.ts";
import type { RoutedSite, RoutedVersion } from "./routed-site.ts";

/** The maximum size of a file that is edited. A sitemap with 50,000 addresses is smaller. */
const maxFileBytes = 16 * 1024 * 1024;
const sitemapFile = "sitemap.xml";
/**
 * The path of the default version's sitemap. It is used if the sitemap at the root lists the sitemaps of several
 * versions.
 */
const defaultSitemapPath = "/_octavo/sitemap.xml";
/** The maximum number of addresses in a sitemap according to the specification. */
const maxAddresses = 50_000;

/** Opens the bundle of a version. */
type OpenVersion = (view: RoutedVersion) => Promise<OpenBundle>;

/** A text that is generated from the site's bundles and versions. */
export interface MadeText {
  readonly key: string;
  readonly type: string;
  readonly make: () => Promise<string>;
}

/** Finds the generated text at a path of a site. Returns undefined for all other paths. */
export function findText(view: RoutedSite, name: string, open: OpenVersion): MadeText | undefined {
  const json = "application/json; charset=utf-8";
  const xml = "application/xml; charset=utf-8";
  if (name === "_octavo/versions.json") {
    return { key: name, type: json, make: async () => formatVersions(view) };
  }
  if (name === "robots.txt") {
    return { key: name, type: "text/plain; charset=utf-8", make: () => formatRobots(view, open) };
  }
  const { defaultVersion: main, site } = view;
  if (site.kind !== "production" || !main) return undefined;
  if (name === "sitemap.xml") {
    return { key: name, type: xml, make: () => formatSitemap(view, open) };
  }
  const [, prefix = "", file = ""] = /^(?:([^/]+)\/)?(sitemap(?:-\d+)?\.xml)$/.exec(name) ?? [];
  const version = prefix === "_octavo" || prefix === "" ? main : view.otherVersions.get(prefix);
  if (file === "" || !version) return undefined;
  const make = async () => formatVersionSitemap(site.origin, version, await open(version), file);
  return { key: name, type: xml, make };
}

/** Formats the JSON from which pages show the list of versions. */
function formatVersions({ listedVersions: listed }: RoutedSite): string {
  const versions = listed.map(({ version, prefix }) => ({
    slug: version.slug,
    title: version.title,
    url: `${prefix}/`,
    state: version.state,
    isDefault: version.isDefault,
  }));
  return JSON.stringify({ versions });
}

/**
 * Returns `robots.txt`: the author's own rules, rules for versions that must not be indexed, and the sitemap's address.
 */
async function formatRobots(view: RoutedSite, open: OpenVersion): Promise<string> {
  const { site, defaultVersion: main } = view;
  if (site.kind !== "production" || !main) return "User-agent: *\nAllow: /\n";
  const bundle = await open(main);
  const own = (await readText(bundle, "robots.txt")) ?? "User-agent: *\nAllow: /\n";
  const hidden = [...view.otherVersions.values()]
    .filter(({ version }) => version.isHidden)
    .map(({ prefix }) => `Disallow: ${prefix}/\n`);
  const lines = own.split("\n").filter((line) => !/^\s*sitemap:/i.test(line));
  return [
    `${lines.join("\n").trimEnd()}\n`,
    ...(hidden.length > 0 ? ["\nUser-agent: *\n", ...hidden] : []),
    `\nSitemap: ${site.origin}/${sitemapFile}\n`,
  ].join("");
}

/** Returns the sitemap at the root. If there are several versions, it lists their sitemaps. */
async function formatSitemap(view: RoutedSite, open: OpenVersion): Promise<string> {
  const { listedVersions: listed, defaultVersion: main, site } = view;
  if (main && listed.length === 1 && listed[0] === main) {
    return await formatVersionSitemap(site.origin, main, await open(main));
  }
  const sitemaps = listed.map(({ prefix, version }) =>
    version.isDefault ? defaultSitemapPath : `${prefix}/${sitemapFile}`,
  );
  const items = sitemaps.map(
    (path) => `<sitemap><loc>${escapeText(site.origin + path)}</loc></sitemap>\n`,
  );
  return `${xmlHeader}<sitemapindex xmlns="${xmlNamespace}">\n${items.join("")}</sitemapindex>\n`;
}

const xmlHeader = '<?xml version="1.0" encoding="UTF-8"?>\n';
const xmlNamespace = "http://www.sitemaps.org/schemas/sitemap/0.9";

/** Returns the sitemap of a version, with absolute addresses. If the bundle has no sitemap, lists all of its pages. */
async function formatVersionSitemap(
  origin: string,
  { prefix }: RoutedVersion,
  bundle: OpenBundle,
  file = sitemapFile,
): Promise<string> {
  const root = `${origin}${prefix}/`;
  const own = await readText(bundle, file);
  if (own === undefined) return listPages(root, bundle);
  return own
    .replace(/<!--.*?-->\n?/s, "")
    .replace(
      /<loc>(?!https?:)\/*([^<]*)<\/loc>/g,
      (_match, path: string) => `<loc>${escapeText(root)}${path}</loc>`,
    );
}

function listPages(root: string, { entries }: OpenBundle): string {
  const paths = [...entries.keys()].filter((path) => path.endsWith(".html") && path !== "404.html");
  const items = paths.slice(0, maxAddresses).map((path) => {
    const address = getPagePath(path).split("/").map(encodeURIComponent).join("/");
    return `<url><loc>${escapeText(root + address)}</loc></url>\n`;
  });
  return `${xmlHeader}<urlset xmlns="${xmlNamespace}">\n${items.join("")}</urlset>\n`;
}

/** Reads a file as text. Returns undefined if the bundle does not contain it. */
export async function readText(bundle: OpenBundle, path: string): Promise<string | undefined> {
  const entry = bundle.entries.get(path);
  return entry && (await readEntry(bundle, entry, maxFileBytes)).toString();
}
