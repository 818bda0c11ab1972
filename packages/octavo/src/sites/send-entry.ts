import type { RedirectRules } from "@octavo/site/core";
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import {
  getGzipSize,
  type BundleCopies,
  type BundleEntry,
  type OpenBundle,
} from "../bundles/index.ts";
import { getContentType } from "../core/index.ts";
import type { Differences } from "../difference/index.ts";
import type { CachedContent, ContentCache } from "./content-cache.ts";
import { getPagePath } from "./route-path.ts";
import { editErrorPage, editPage } from "./page-edits.ts";
import { formatPath, type RequestTarget } from "./request-path.ts";
import { sendContent, type Content, choosePageForm } from "./send-content.ts";
import { sendText } from "./send-text.ts";
import { readText } from "./site-texts.ts";
import type { RoutedSite, RoutedVersion } from "./routed-site.ts";

/** The caches and other objects that all sites of a node share. */
export interface SiteServing {
  readonly copies: Pick<BundleCopies, "open">;
  readonly differences: Pick<Differences, "open"> | undefined;
  readonly cache: ContentCache;
  /** The redirect rules of open bundles. */
  readonly rules: WeakMap<OpenBundle, RedirectRules>;
}

/** A GET or HEAD request for a site, with its response. */
export interface SiteExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly view: RoutedSite;
  readonly target: RequestTarget;
  /**
   * Responds to a request for a file that only another deployment can contain, such as a deployment that is not yet
   * known to this node.
   */
  readonly sendMissing: () => Promise<void>;
}

const cacheControl = {
  /** Content that caches must revalidate before each use. */
  checked: "public, max-age=0, must-revalidate",
  /** Pages that show work in progress. */
  preview: "no-cache",
  /** Files whose addresses contain the hash of their bytes. */
  immutable: "public, max-age=31536000, immutable",
  /** Responses of a closed site. */
  closed: "private, no-store",
} as const;

/** A file of a site's version that is to be sent. */
interface FoundEntry {
  readonly view: RoutedVersion;
  readonly bundle: OpenBundle;
  readonly entry: BundleEntry;
}

/** The maximum size of a page that is edited. A larger page is sent without edits. */
const maxPageBytes = 8 * 1024 * 1024;
/** Opens the bundle of a version. */
export async function openVersion(
  { copies }: SiteServing,
  { version }: RoutedVersion,
): Promise<OpenBundle> {
  const { archive } = version.deployment;
  return await copies.open(archive);
}

/** Sends a page or another file of a bundle. */
export async function sendEntry(
  serving: SiteServing,
  exchange: SiteExchange,
  found: FoundEntry,
): Promise<void> {
  const { entry } = found;
  if (entry.path.endsWith(".html")) return await sendPage(serving, exchange, found);
  if (entry.path.endsWith(".md")) return await sendMarkdown(exchange, found);
  const isNamedByHash = entry.path.startsWith("_octavo/media/");
  await sendContent(exchange.request, exchange.response, createEntryContent(found), {
    status: 200,
    headers: {
      Vary: "Accept-Encoding",
      "Cache-Control": getCacheControl(exchange, isNamedByHash ? "immutable" : "checked"),
    },
  });
}

export function getCacheControl(
  { view: { site } }: SiteExchange,
  kind: "checked" | "immutable" | "page",
): string {
  if (site.access.kind === "closed") return cacheControl.closed;
  if (kind !== "page") return cacheControl[kind];
  return site.kind === "production" ? cacheControl.checked : cacheControl.preview;
}

export function createEntryContent(
  { bundle, entry }: Pick<FoundEntry, "bundle" | "entry">,
  type = getContentType(entry.path),
): Content {
  const numbers = [entry.crc32, entry.bytes, entry.packedBytes];
  return {
    type,
    tag: numbers.map((number) => number.toString(36)).join("-"),
    bytes: entry.bytes,
    gzipBytes: entry.isDeflated ? getGzipSize(entry) : undefined,
    read: (range) => bundle.read(entry, range),
    readGzip: () => bundle.readGzip(entry),
  };
}

async function sendPage(
  serving: SiteServing,
  exchange: SiteExchange,
  found: FoundEntry,
): Promise<void> {
  const { request, response } = exchange;
  const { bundle, entry } = found;
  const form = choosePageForm(request.headers.accept);
  const markdown = bundle.entries.get(toMarkdownFile(entry.path));
  if (form !== "html" && markdown) {
    return await sendMarkdown(
      exchange,
      { ...found, entry: markdown },
      form === "plain" ? "text/plain; charset=utf-8" : undefined,
    );
  }
  if (entry.bytes > maxPageBytes) {
    const headers = await createPageHeaders(serving, exchange, found);
    await sendContent(request, response, createEntryContent(found), { status: 200, headers });
    return;
  }
  const content = await getPage(serving, exchange, found);
  await sendContent(request, response, content, { status: 200, headers: content.headers });
}

function toMarkdownFile(page: string): string {
  return page.replace(/\.html$/, ".md");
}

async function getPage(
  serving: SiteServing,
  exchange: SiteExchange,
  found: FoundEntry,
): Promise<CachedContent> {
  const { cache } = serving;
  const { view, bundle, entry } = found;
  const key = `${view.version.deployment.archive.key}\n${entry.path}\n${view.editsKey}`;
  const known = cache.find(key);
  if (known) return known;
  return await cache.get(key, async () => {
    const page = (await readText(bundle, entry.path)) ?? "";
    const edit = entry.path === "404.html" ? editErrorPage : editPage;
    return {
      type: getContentType(entry.path),
      text: edit(page, view.edits),
      headers: await createPageHeaders(serving, exchange, found),
    };
  });
}

/** The files that programs look for, with their link relations in the `Link` headers of pages. */
const namedFiles = [
  ["llms.txt", "llms-txt"],
  ["llms-full.txt", "llms-full-txt"],
  ["skill.md", "agent-skill"],
  [".well-known/agent-skills/index.json", "agent-skills"],
  [".well-known/skills/index.json", "agent-skills"],
  [".well-known/mcp.json", "mcp"],
] as const;

async function createPageHeaders(
  serving: SiteServing,
  exchange: SiteExchange,
  found: FoundEntry,
): Promise<OutgoingHttpHeaders> {
  const canonical = await findCanonicalUrl(serving, exchange, found);
  return formatPageHeaders(exchange, found, canonical);
}

function formatPageHeaders(
  exchange: SiteExchange,
  { view, bundle: { entries }, entry }: FoundEntry,
  canonical: string | undefined,
): OutgoingHttpHeaders {
  const links = canonical === undefined ? [] : [`<${canonical}>; rel="canonical"`];
  const markdown = toMarkdownFile(entry.path);
  if (markdown !== entry.path && entries.has(markdown)) {
    const address = view.prefix + formatPath(markdown.split("/"), false);
    links.push(`<${address}>; rel="alternate"; type="text/markdown"`);
  }
  for (const [path, relation] of namedFiles) {
    if (entries.has(path)) links.push(`<${view.prefix}/${path}>; rel="${relation}"`);
  }
  return {
    Vary: "Accept-Encoding, Accept",
    "Cache-Control": getCacheControl(exchange, "page"),
    ...(links.length > 0 && { Link: links.join(", ") }),
  };
}

/**
 * Returns the address under which search engines should list a page. For a page of an old or unreleased version, this
 * is its address in the default version, if that version has the page.
 */
async function findCanonicalUrl(
  serving: SiteServing,
  { view: { site, defaultVersion: main } }: SiteExchange,
  { view, entry }: FoundEntry,
): Promise<string | undefined> {
  if (site.kind !== "production") return undefined;
  const address = formatPageAddress(getPagePath(entry.path));
  if (view.version.state !== "current" && main && main !== view) {
    const bundle = await openVersion(serving, main).catch(() => undefined);
    if (bundle?.entries.has(entry.path)) return site.origin + address;
  }
  return site.origin + view.prefix + address;
}

function formatPageAddress(path: string): string {
  return `/${path.split("/").map(encodeURIComponent).join("/")}`;
}

async function sendMarkdown(
  exchange: SiteExchange,
  found: FoundEntry,
  type?: string,
): Promise<void> {
  const {
    view: { site },
  } = exchange;
  const { view, bundle, entry } = found;
  const page = entry.path.replace(/\.md$/, ".html");
  const hasPage = bundle.entries.has(page) && site.kind === "production";
  const canonical = site.origin + view.prefix + formatPageAddress(getPagePath(page));
  await sendContent(exchange.request, exchange.response, createEntryContent(found, type), {
    status: 200,
    headers: formatPageHeaders(exchange, found, hasPage ? canonical : undefined),
  });
}

/** Sends the version's error page for addresses without a file. */
export async function sendNotFound(
  serving: SiteServing,
  exchange: SiteExchange,
  view: RoutedVersion | undefined,
): Promise<void> {
  const { request, response } = exchange;
  const bundle = view && (await openVersion(serving, view));
  const entry = bundle?.entries.get("404.html");
  const isClosed = exchange.view.site.access.kind === "closed";
  const headers = {
    "Cache-Control": isClosed ? cacheControl.closed : "no-store",
    Vary: "Accept-Encoding",
  };
  if (!view || !bundle || !entry || entry.bytes > maxPageBytes) {
    sendText(request, response, { status: 404, text: "There is no such page." });
    return;
  }
  const content = await getPage(serving, exchange, { view, bundle, entry });
  await sendContent(request, response, content, { status: 404, headers });
}
