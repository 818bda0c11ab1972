import { parseRedirectRules, type RedirectRules } from "@octavo/site/core";
import type { BundleEntry, OpenBundle } from "../bundles/index.ts";
import { serveDifference } from "./serve-difference.ts";
import { formatPath, type RequestPath } from "./request-path.ts";
import { findFile, routePath } from "./route-path.ts";
import { sendContent } from "./send-content.ts";
import {
  createEntryContent,
  getCacheControl,
  openVersion,
  sendEntry,
  sendNotFound,
  type SiteExchange,
  type SiteServing,
} from "./send-entry.ts";
import { findText, readText, type MadeText } from "./site-texts.ts";
import type { RoutedVersion } from "./routed-site.ts";
import { sendText } from "./send-text.ts";

const noRules: RedirectRules = parseRedirectRules("");

/** Responds to a request for a site. Rejects if the site's files cannot be read. */
export async function serveSite(serving: SiteServing, exchange: SiteExchange): Promise<void> {
  const { response, view, target } = exchange;
  const { path } = target;
  if (view.site.kind !== "production") response.setHeader("X-Robots-Tag", "noindex");
  if (!path) return await sendNotFound(serving, exchange, view.defaultVersion);
  const [first = "", second = ""] = path.names;
  const reservedIndex = [first, second].indexOf("_octavo");
  if (reservedIndex >= 0 && path.names[reservedIndex + 1]?.startsWith("@")) {
    return await sendThemeFile(serving, exchange, path.names.slice(reservedIndex + 1));
  }
  if (first === "_octavo" && second === "versions") {
    return await sendToVersion(serving, exchange, path);
  }
  const open = (version: RoutedVersion) => openVersion(serving, version);
  const text = findText(view, path.names.join("/"), open);
  if (text) return await sendMade(serving, exchange, text);
  const version = view.otherVersions.get(first);
  if (!version)
    return await serveVersion(serving, exchange, { version: view.defaultVersion, path });
  if (path.names.length === 1 && !path.isFolder) {
    return sendRedirect(exchange, 308, formatLocation(`${version.prefix}/`, "", target.query));
  }
  const rest = { ...path, names: path.names.slice(1) };
  return await serveVersion(serving, exchange, { version, path: rest });
}

interface VersionPath {
  readonly version: RoutedVersion | undefined;
  /** The path relative to the version's own path. */
  readonly path: RequestPath;
}

async function serveVersion(
  serving: SiteServing,
  exchange: SiteExchange,
  { version: view, path }: VersionPath,
): Promise<void> {
  if (!view) return await sendNotFound(serving, exchange, undefined);
  if (exchange.view.site.base && (await serveDifference(serving, exchange, path))) return;
  const bundle = await openVersion(serving, view);
  // A stranger's pull request must not redirect readers of its preview elsewhere.
  const canRedirect = exchange.view.site.kind === "production";
  const routed = routePath(bundle, canRedirect ? await readRules(serving, bundle) : noRules, path);
  const { query } = exchange.target;
  if (routed?.kind === "redirect") {
    const location = formatLocation(routed.target, view.prefix, query);
    return sendRedirect(exchange, routed.status, location);
  }
  const name = path.names.join("/");
  const entry = routed?.entry ?? findKnownFile(bundle, name);
  if (entry) return await sendEntry(serving, exchange, { view, bundle, entry });
  if (view.version.isDefault && path.names[0] === view.version.slug) {
    const rest = formatPath(path.names.slice(1), path.isFolder);
    return sendRedirect(exchange, 308, formatLocation(rest, view.prefix, query));
  }
  if (name.startsWith("_octavo/media/")) return await sendOldMedia(serving, exchange, name);
  return await sendNotFound(serving, exchange, view);
}

async function readRules({ rules }: SiteServing, bundle: OpenBundle): Promise<RedirectRules> {
  const known = rules.get(bundle);
  if (known) return known;
  const parsedRules = parseRedirectRules((await readText(bundle, "_redirects")) ?? "");
  rules.set(bundle, parsedRules);
  return parsedRules;
}

/** Finds a file by a well-known address under which programs look it up. */
function findKnownFile({ entries }: OpenBundle, name: string): BundleEntry | undefined {
  const file = /^\.well-known\/(llms(?:-full)?\.txt)$/.exec(name)?.[1];
  return file === undefined ? undefined : entries.get(file);
}

/** Sends a theme file of the deployment named in the address, which is not always the current deployment. */
async function sendThemeFile(
  { copies }: SiteServing,
  exchange: SiteExchange,
  [tag = "", ...names]: readonly string[],
): Promise<void> {
  const { request, response, view } = exchange;
  const deployment = view.deployments.get(tag);
  const bundle = deployment && (await copies.open(deployment.archive));
  const entry = bundle?.entries.get(`_octavo/${names.join("/")}`);
  if (!bundle || !entry) return await exchange.sendMissing();
  await sendContent(request, response, createEntryContent({ bundle, entry }), {
    status: 200,
    headers: {
      Vary: "Accept-Encoding",
      "Cache-Control": getCacheControl(exchange, "immutable"),
    },
  });
}

/** Sends a media file that exists only in deployments that were shown until recently. */
async function sendOldMedia(
  serving: SiteServing,
  exchange: SiteExchange,
  name: string,
): Promise<void> {
  const { view } = exchange;
  for (const { archive } of view.deployments.values()) {
    // A deployment that cannot be read must not prevent the search in the others.
    const bundle = await serving.copies.open(archive).catch(() => undefined);
    const entry = bundle?.entries.get(name);
    if (bundle && entry && view.defaultVersion)
      return await sendEntry(serving, exchange, { view: view.defaultVersion, bundle, entry });
  }
  return await exchange.sendMissing();
}

/**
 * Redirects to the same page in another version, or to that version's home page if the version does not have the page.
 */
async function sendToVersion(
  serving: SiteServing,
  exchange: SiteExchange,
  path: RequestPath,
): Promise<void> {
  const { view } = exchange;
  const [, , slug = "", ...names] = path.names;
  const main = view.defaultVersion?.version.slug === slug ? view.defaultVersion : undefined;
  const version = main ?? view.otherVersions.get(slug);
  if (!version) return await sendNotFound(serving, exchange, view.defaultVersion);
  const bundle = await openVersion(serving, version);
  const found = findFile(bundle, { names, isFolder: path.isFolder, hasEmptyNames: false });
  const { names: to, isFolder } =
    found?.kind === "moved" ? found : { names, isFolder: path.isFolder };
  const address = found ? formatPath(to, isFolder) : "/";
  sendRedirect(exchange, 302, version.prefix + address);
}

async function sendMade(
  { cache }: SiteServing,
  exchange: SiteExchange,
  { key, type, make }: MadeText,
): Promise<void> {
  const { request, response, view } = exchange;
  const headers = {
    Vary: "Accept-Encoding",
    "Cache-Control": getCacheControl(exchange, "checked"),
  };
  const content = await cache.get(`${view.key}\n${key}`, async () => ({
    type,
    text: await make(),
    headers,
  }));
  await sendContent(request, response, content, { status: 200, headers });
}

/** Returns the address of a redirect with the request's query, unless the target has a query of its own. */
function formatLocation(target: string, prefix: string, query: string): string {
  const hash = target.indexOf("#");
  const [address, fragment] = hash < 0 ? [target, ""] : [target.slice(0, hash), target.slice(hash)];
  const keptQuery = address.includes("?") ? "" : query;
  const start = address.startsWith("/") ? prefix : "";
  // Characters that are not allowed in a header are encoded.
  return `${start}${address}${keptQuery}${fragment}`.replace(/[^\x21-\x7e]/gu, (text) =>
    encodeURIComponent(text.toWellFormed()),
  );
}

function sendRedirect(exchange: SiteExchange, status: number, location: string): void {
  const { request, response } = exchange;
  response.setHeader("Location", location);
  response.setHeader("Cache-Control", getCacheControl(exchange, "checked"));
  sendText(request, response, { status, text: "The page is at another address." });
}
