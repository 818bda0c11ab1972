import { isOctavoError } from "@octavo/site/core";
import type { OpenBundle } from "../bundles/index.ts";
import { getContentType } from "../core/index.ts";
import {
  addDifferenceBar,
  readDifferenceAsset,
  type DifferenceView,
  type OpenDifference,
} from "../difference/index.ts";
import { findFile, getPagePath } from "./route-path.ts";
import type { ComparedBase } from "./live-sites.ts";
import { editPage } from "./page-edits.ts";
import { formatPath, type RequestPath } from "./request-path.ts";
import type { RoutedVersion } from "./routed-site.ts";
import { sendContent } from "./send-content.ts";
import { sendText } from "./send-text.ts";
import { readText } from "./site-texts.ts";
import {
  createEntryContent,
  getCacheControl,
  openVersion,
  type SiteExchange,
  type SiteServing,
} from "./send-entry.ts";

/** The folder of the files that exist only in differences. */
const differenceFolder = "_octavo/difference";

/** Returns the requested layout of a page's changes, or undefined if the page itself is requested. */
export function parseDifferenceQuery(query: string): DifferenceView["layout"] | undefined {
  const value = new URLSearchParams(query).get("diff");
  if (value === null) return undefined;
  return value === "sides" ? "sides" : "inline";
}

/** Serves the pages of a preview with their changes marked, and the files that such pages load. */
export async function serveDifference(
  serving: SiteServing,
  exchange: SiteExchange,
  path: RequestPath,
): Promise<boolean> {
  const { view, target } = exchange;
  const { defaultVersion: main } = view;
  const { base } = view.site;
  const name = path.names.join("/");
  const layout = parseDifferenceQuery(target.query);
  const isFile = name.startsWith(`${differenceFolder}/`);
  if (!main || !base || !serving.differences || (layout === undefined && !isFile)) return false;
  const asset = isFile
    ? await readDifferenceAsset(name.slice(differenceFolder.length + 1))
    : undefined;
  if (asset !== undefined) {
    await sendMadeText(serving, exchange, { key: name, type: getContentType(name), text: asset });
    return true;
  }
  const difference = await openDifference(serving, exchange, { main, base });
  if (!difference) return true;
  if (layout === undefined) return await sendFormerFile(exchange, difference.bundle, name);
  const bundle = await openVersion(serving, main);
  const file = findPage(bundle, path) ?? findPage(difference.bundle, path);
  if (file === undefined) return false;
  const page = (await readText(difference.bundle, file)) ?? (await readText(bundle, file)) ?? "";
  const text = addDifferenceBar(editPage(page, { ...main.edits, hasDifference: false }), {
    difference: difference.list,
    file,
    layout,
    baseName: base.name,
    assetsUrl: `${main.prefix}/${differenceFolder}/`,
    getAddress: (other) => main.prefix + formatAddress(other),
  });
  await sendMadeText(serving, exchange, {
    key: `${view.key}\n${file}\n${layout}`,
    type: getContentType(file),
    text,
  });
  return true;
}

interface ComparedVersion {
  readonly main: RoutedVersion;
  readonly base: ComparedBase;
}

/**
 * Opens the difference between the preview and its base. If it cannot be opened, responds with an explanation and
 * returns undefined.
 */
async function openDifference(
  { differences }: SiteServing,
  { request, response }: SiteExchange,
  { main, base }: ComparedVersion,
): Promise<OpenDifference | undefined> {
  try {
    return await differences?.open(base.archive, main.version.deployment.archive);
  } catch (error) {
    if (!isOctavoError(error, "too_large") && !isOctavoError(error, "not_found")) throw error;
    const text = isOctavoError(error, "too_large")
      ? "The changes cannot be shown, because comparing the two versions takes too much time or memory."
      : `The changes cannot be shown, because ${base.name} was removed.`;
    sendText(request, response, { status: 404, text });
    return undefined;
  }
}

function findPage(bundle: OpenBundle, path: RequestPath): string | undefined {
  const found = findFile(bundle, path);
  if (found?.kind === "moved") return findPage(bundle, { ...found, hasEmptyNames: false });
  return found?.entry.path.endsWith(".html") ? found.entry.path : undefined;
}

function formatAddress(file: string): string {
  const path = getPagePath(file);
  const isFolder = path === "" || path.endsWith("/");
  return formatPath(
    path.split("/").filter((name) => name !== ""),
    isFolder,
  );
}

/** Sends a file of the older version, such as an image. */
async function sendFormerFile(
  exchange: SiteExchange,
  bundle: OpenBundle,
  name: string,
): Promise<boolean> {
  const entry = bundle.entries.get(name);
  if (!entry || !name.startsWith(`${differenceFolder}/files/`)) return false;
  await sendContent(exchange.request, exchange.response, createEntryContent({ bundle, entry }), {
    status: 200,
    headers: { "Cache-Control": getCacheControl(exchange, "checked") },
  });
  return true;
}

interface MadeContentText {
  readonly key: string;
  readonly type: string;
  readonly text: string;
}

async function sendMadeText(
  { cache }: SiteServing,
  exchange: SiteExchange,
  { key, type, text }: MadeContentText,
): Promise<void> {
  const headers = {
    Vary: "Accept-Encoding",
    "Cache-Control": getCacheControl(exchange, "page"),
  };
  const content = await cache.get(`difference\n${key}`, async () => ({ type, text, headers }));
  await sendContent(exchange.request, exchange.response, content, { status: 200, headers });
}
