import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { domainToASCII } from "node:url";
import { isOctavoError } from "@octavo/site/core";
import type { BundleCopies } from "../bundles/index.ts";
import { toNetwork } from "../core/index.ts";
import type { Differences } from "../difference/index.ts";
import type { Logger } from "../telemetry/index.ts";
import { createContentCache } from "./content-cache.ts";
import { createGate, isSignIn } from "./gate.ts";
import type { LiveSites, ServedSite } from "./live-sites.ts";
import { parseRequestTarget } from "./request-path.ts";
import { createRoutedSites } from "./routed-site.ts";
import type { SiteServing } from "./send-entry.ts";
import { sendText } from "./send-text.ts";
import { serveSite } from "./serve-site.ts";

export interface SitesOptions {
  readonly live: LiveSites;
  readonly copies: Pick<BundleCopies, "open">;
  /**
   * Opens the differences between previews and the exports with which they are compared. By default, no differences are
   * shown.
   */
  readonly differences?: Pick<Differences, "open"> | undefined;
  readonly log: Logger;
  /**
   * Reports whether a connection's peer is a proxy whose forwarded headers are trusted. By default, no peer is trusted.
   */
  readonly isTrustedProxy?: (address: string) => boolean;
  /**
   * The time without traffic in either direction after which a client is disconnected, in milliseconds. Defaults to 2
   * minutes.
   */
  readonly idleTimeoutMs?: number;
}

const defaultIdleTimeoutMs = 120_000;

/** The maximum memory for edited pages, which are compressed. */
const maxCachedBytes = 48 * 1024 * 1024;
/** The time after which a client should retry a request that cannot be served now. */
const retryAfterSeconds = 5;

/** Creates a request listener that serves the sites. The server may also have other listeners. */
export function createSitesHandler(options: SitesOptions): RequestListener {
  const { live, isTrustedProxy = () => false } = options;
  const routeSite = createRoutedSites();
  const gate = createGate();
  const serving = createServing(options);

  /**
   * Answers a request. `isRenewed` is whether the table was refreshed for it. Returns undefined if this was not tried.
   */
  async function answer(
    request: IncomingMessage,
    response: ServerResponse,
    isRenewed?: boolean,
  ): Promise<void> {
    const target = parseRequestTarget(request.url ?? "");
    const host = parseHostName(target.host ?? findHost(request, isTrustedProxy));
    const site = host === undefined ? undefined : live.find(host);
    if (host === undefined || !site) {
      sendText(request, response, { status: 404, text: "There is no site at this address." });
      return;
    }
    const { access } = site;
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (!isRead && (access.kind === "public" || !isSignIn(request, target))) {
      response.setHeader("Allow", "GET, HEAD");
      sendText(request, response, { status: 405, text: "This method is not supported here." });
      return;
    }
    if (site.isRedirected) {
      response.setHeader("Location", site.origin + target.raw);
      sendText(request, response, { status: 308, text: "The site has moved." });
      return;
    }
    const address = findAddress(request, isTrustedProxy);
    if (access.kind === "closed") {
      const isOpen = await gate.pass({ request, response, access, host, target, address });
      if (!isOpen) return;
    }
    const sendMissing = async () => {
      if (isRenewed === undefined) return await answer(request, response, await live.renew());
      sendMissingFile(request, response, isRenewed);
    };
    await serveSite(serving, { request, response, view: routeSite(site), target, sendMissing });
  }

  return createListener(answer, options);
}

/** Creates the listener for one public site, which is shown for any requested host. */
export function createSiteHandler(
  site: ServedSite,
  options: Pick<SitesOptions, "copies" | "log" | "idleTimeoutMs">,
): RequestListener {
  const view = createRoutedSites()(site);
  const serving = createServing(options);
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const target = parseRequestTarget(request.url ?? "");
    const sendMissing = async () => sendMissingFile(request, response, true);
    await serveSite(serving, { request, response, view, target, sendMissing });
  };
  return createListener(answer, options);
}

function createServing({
  copies,
  differences,
}: Pick<SitesOptions, "copies" | "differences">): SiteServing {
  return { copies, differences, cache: createContentCache(maxCachedBytes), rules: new WeakMap() };
}

/** Creates a listener that logs the errors of `answer` and reports them to the client. */
function createListener(
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  { log, idleTimeoutMs = defaultIdleTimeoutMs }: Pick<SitesOptions, "log" | "idleTimeoutMs">,
): RequestListener {
  return (request, response) => {
    response.setTimeout(idleTimeoutMs, () => request.socket.destroy());
    answer(request, response).catch((error: unknown) => {
      log.error({ err: error, host: request.headers.host }, "A site could not be read");
      if (response.headersSent) {
        response.destroy();
        return;
      }
      for (const name of response.getHeaderNames()) response.removeHeader(name);
      if (isOctavoError(error, "invalid_input")) {
        sendText(request, response, { status: 404, text: "There is no such page." });
        return;
      }
      response.setHeader("Retry-After", retryAfterSeconds);
      const text = "The site cannot be read at the moment. Try again soon.";
      sendText(request, response, { status: 503, text });
    });
  };
}

/** Responds to a request for a file that is missing here but may be available on other nodes. */
function sendMissingFile(
  request: IncomingMessage,
  response: ServerResponse,
  isRenewed: boolean,
): void {
  if (isRenewed)
    return sendText(request, response, { status: 404, text: "There is no such file." });
  response.setHeader("Retry-After", retryAfterSeconds);
  const text = "The file cannot be found at the moment. Try again soon.";
  sendText(request, response, { status: 503, text });
}

/** Returns the requested host; an empty string if the request does not name exactly one host. */
function findHost(
  { headers, rawHeaders, socket }: IncomingMessage,
  isTrustedProxy: (address: string) => boolean,
): string {
  const forwarded = headers["x-forwarded-host"];
  if (typeof forwarded === "string" && isTrustedProxy(socket.remoteAddress ?? "")) {
    return forwarded.split(",", 1)[0]?.trim() ?? "";
  }
  return rawHeaders.filter(isHostHeader).length === 1 ? (headers.host ?? "") : "";
}

/**
 * Reports whether an item of a request's raw headers, in which names and values alternate, is the name of a Host
 * header.
 */
function isHostHeader(text: string, at: number): boolean {
  return at % 2 === 0 && text.length === 4 && text.toLowerCase() === "host";
}

/** Returns the reader's address; for IPv6, without the lower half, which a single reader can choose. */
function findAddress(
  { headers, socket }: IncomingMessage,
  isTrustedProxy: (address: string) => boolean,
): string {
  const direct = socket.remoteAddress ?? "";
  const forwarded = headers["x-forwarded-for"];
  const isForwarded = typeof forwarded === "string" && isTrustedProxy(direct);
  return toNetwork(isForwarded ? (forwarded.split(",").at(-1)?.trim() ?? "") : direct);
}

/** The maximum length of a host name, including a port. */
const maxHostLength = 260;

/**
 * Returns the host name in a Host header in lower case and punycode, without a port or trailing dot. Returns undefined
 * if it is not a host name.
 */
function parseHostName(header: string): string | undefined {
  if (header.length > maxHostLength) return undefined;
  const name = /^([^:/?#@\\\s[\]]+?)\.?(?::\d*)?$/.exec(header)?.[1] ?? "";
  // Most host names are ASCII and need no conversion.
  if (/^[a-z0-9.-]+$/.test(name)) return name;
  const ascii = domainToASCII(name);
  return ascii === "" ? undefined : ascii;
}
