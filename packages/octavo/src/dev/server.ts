import { open, readFile } from "node:fs/promises";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { cleanRelativePath, sha256 } from "@octavo/site/core";
import { getContentType } from "../core/index.ts";
import type { SitePreview } from "@octavo/site";
import type { OpenWindows } from "./listeners.ts";

// An import of `node:http` would delay the start, as `net/exchange.ts` explains.
const { createServer } = process.getBuiltinModule("node:http");
/** The path of the script, in the reserved folder where a site cannot have files. */
const scriptPath = "_octavo/dev/reload.js";
const eventsPath = "_octavo/dev/events";

/**
 * Matches the allowed values of the Host header. Another site could make any other name resolve to this machine in
 * order to read unpublished content (DNS rebinding).
 */
const localHostPattern = /^(?:127\.0\.0\.1|localhost)(?::\d+)?$/i;

const sharedHeaders = {
  "x-content-type-options": "nosniff",
  // Pages of other origins must not frame or include unpublished content.
  "content-security-policy": "frame-ancestors 'self'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "same-origin",
};

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

interface PreviewServerOptions {
  readonly preview: SitePreview;
  readonly listeners: OpenWindows;
  /** Receives unexpected errors. */
  readonly onFault: (error: unknown) => void;
}

/**
 * Creates the server of a preview. It serves the pages, with a script that reloads them, and every other file of the
 * bundle.
 */
export async function createPreviewServer(options: PreviewServerOptions): Promise<Server> {
  const script = await readFile(new URL("assets/reload.js", import.meta.url), "utf8");
  return createServer((request, response) => {
    const exchange = { request, response };
    respond(exchange, options, script).catch((error: unknown) => {
      if (response.destroyed) return;
      options.onFault(error);
      if (response.headersSent) response.destroy();
      else
        sendText(exchange, {
          status: 500,
          text: "This page could not be shown; the terminal shows the reason.",
        });
    });
  });
}

async function respond(
  exchange: Exchange,
  options: PreviewServerOptions,
  script: string,
): Promise<void> {
  const { request, response } = exchange;
  for (const [name, value] of Object.entries(sharedHeaders)) response.setHeader(name, value);
  if (!localHostPattern.test(request.headers.host ?? "")) {
    const text = "This preview is available only at 127.0.0.1 and localhost.";
    return sendText(exchange, { status: 403, text });
  }
  if (request.method !== "GET" && request.method !== "HEAD") {
    response.setHeader("allow", "GET, HEAD");
    return sendText(exchange, { status: 405, text: "The preview accepts only GET and HEAD." });
  }
  const address = parseAddress(request);
  if (address === undefined) {
    return sendText(exchange, { status: 400, text: "This is not a valid address." });
  }
  const { path, query } = address;
  if (path === scriptPath) return sendContent(exchange, { path, content: script });
  if (path === eventsPath) return openEvents(exchange, options.listeners, query);
  return await sendFile(exchange, options, path === "" ? "index.html" : path);
}

interface Address {
  /** The decoded path, without `..` and without leading and trailing slashes. */
  readonly path: string;
  readonly query: URLSearchParams;
}

function parseAddress({ url = "/" }: IncomingMessage): Address | undefined {
  const queryStart = url.indexOf("?");
  try {
    const path = cleanRelativePath(
      decodeURIComponent(queryStart === -1 ? url : url.slice(0, queryStart)),
    );
    const query = new URLSearchParams(queryStart === -1 ? "" : url.slice(queryStart));
    return path === undefined ? undefined : { path, query };
  } catch {
    return undefined;
  }
}

function openEvents(
  { request, response }: Exchange,
  listeners: OpenWindows,
  query: URLSearchParams,
) {
  const version = Number(query.get("version"));
  if (request.method === "HEAD") response.end();
  else listeners.add(response, { page: query.get("page") ?? "", version });
}

async function sendFile(
  exchange: Exchange,
  options: PreviewServerOptions,
  path: string,
): Promise<void> {
  const { preview, listeners } = options;
  // The version is read before the page is rendered, so that the window is notified of changes during the rendering.
  const { version } = listeners;
  const found = await preview.find(path);
  if (found?.type === "page") {
    const html = new TextDecoder().decode(found.rendered.html);
    return sendPage(exchange, { status: 200, html, page: found.page.path, version });
  }
  if (found?.type === "moved") {
    const location = `/${found.path.split("/").map(encodeURIComponent).join("/")}`;
    exchange.response.writeHead(302, { location }).end();
    return;
  }
  if (found?.type === "asset") return await sendAsset(exchange, found.file);
  if (found?.type === "text") return sendContent(exchange, { path, content: found.content });
  const notFound = await preview.find("404.html");
  const html =
    notFound?.type === "text" ? Buffer.from(notFound.content).toString() : unreadableSitePage;
  return sendPage(exchange, { status: 404, html, page: "", version });
}

/** The page that is shown while the site cannot be read. */
const unreadableSitePage =
  '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>No site yet</title></head>' +
  "<body><p>The site cannot be read yet. This page reloads as soon as the site can be read.</p></body></html>\n";

interface PageResponse {
  readonly status: number;
  readonly html: string;
  /** The page's path; an empty string for an error page. */
  readonly page: string;
  readonly version: number;
}

function sendPage(exchange: Exchange, { status, html, page, version }: PageResponse): void {
  const tag = `<script src="/${scriptPath}" data-page="${escapeAttribute(page)}" data-version="${version}" defer></script>`;
  // The first match is the end of the head, because text from authors is in the body.
  const headEnd = html.indexOf("</head>");
  exchange.response.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
  });
  sendBody(exchange, `${html.slice(0, headEnd)}${tag}${html.slice(headEnd)}`);
}

function escapeAttribute(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}

/** Sends content. Unchanged files are not sent again, so that a reload transfers only one page. */
function sendContent(
  exchange: Exchange,
  { path, content }: { readonly path: string; readonly content: string | Uint8Array },
): void {
  const tag = `"${sha256(content).slice(0, 32)}"`;
  if (respondUnchanged(exchange, tag)) return;
  exchange.response.writeHead(200, { "content-type": getContentType(path) });
  sendBody(exchange, content);
}

async function sendAsset(exchange: Exchange, file: string): Promise<void> {
  // The file is opened first. If the stream opened it, and the browser had disconnected, the error of a missing file
  // would be unhandled.
  await using handle = await open(file);
  const { size, mtimeMs } = await handle.stat();
  if (respondUnchanged(exchange, `"${size.toString(36)}-${mtimeMs.toString(36)}"`)) return;
  const { request, response } = exchange;
  const headers = { "content-type": getContentType(file), "content-length": size };
  response.writeHead(200, headers);
  if (request.method === "HEAD" || size === 0) return void response.end();
  // The file may change during the transfer. At most the announced length is sent, and the transfer is aborted if the
  // file is shorter.
  const content = handle.createReadStream({ start: 0, end: size - 1 });
  await pipeline(content, response, { end: false });
  if (content.bytesRead === size) response.end();
  else response.destroy();
}

/** Responds with 304 if the browser already has these bytes. */
function respondUnchanged({ request, response }: Exchange, tag: string): boolean {
  response.setHeader("etag", tag);
  response.setHeader("cache-control", "no-cache");
  if (request.headers["if-none-match"] !== tag) return false;
  response.writeHead(304).end();
  return true;
}

function sendText(
  exchange: Exchange,
  { status, text }: { readonly status: number; readonly text: string },
): void {
  exchange.response.writeHead(status, { "content-type": "text/plain; charset=utf-8" });
  sendBody(exchange, `${text}\n`);
}

function sendBody({ request, response }: Exchange, content: string | Uint8Array): void {
  response.end(request.method === "HEAD" ? undefined : content);
}
