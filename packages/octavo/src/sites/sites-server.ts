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
  /** Shows previews beside the exports with which they are compared. By default, none is. */
  readonly differences?: Pick<Differences, "open"> | undefined;
  readonly log: Logger;
  /** Reports whether the host that a connection's other end forwards is used. By default, none is. */
  readonly isTrustedProxy?: (address: string) => boolean;
  /** The time without a byte in either direction after which a client is left, in milliseconds. Defaults to 2 minutes. */
  readonly idleMs?: number;
}

const defaultIdleMs = 120_000;

/** The memory for pages that were edited, compressed. */
const maxCachedBytes = 48 * 1024 * 1024;
/** How long a client waits before it asks again for what cannot be read now. */
const retrySeconds = 5;

/** Creates the listener of a server that serves the sites, perhaps beside something else. */
export function createSitesHandler(options: SitesOptions): RequestListener {
  const { live, isTrustedProxy = () => false } = options;
  const routeSite = createRoutedSites();
  const gate = createGate();
  const serving = createServing(options);

  /** Answers a request. `isRenewed` is whether the table was renewed for it; undefined if it was not tried. */
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

/** Creates the listener of one public site, which is shown whatever host a request names. */
export function createSiteHandler(
  site: ServedSite,
  options: Pick<SitesOptions, "copies" | "log" | "idleMs">,
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

/** Creates a listener that reports the errors of `answer` to the log and to the client. */
function createListener(
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  { log, idleMs = defaultIdleMs }: Pick<SitesOptions, "log" | "idleMs">,
): RequestListener {
  return (request, response) => {
    response.setTimeout(idleMs, () => request.socket.destroy());
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
      response.setHeader("Retry-After", retrySeconds);
      const text = "The site cannot be read at the moment. Try again soon.";
      sendText(request, response, { status: 503, text });
    });
  };
}

/** Answers a request for a file that other nodes may have. */
function sendMissingFile(
  request: IncomingMessage,
  response: ServerResponse,
  isRenewed: boolean,
): void {
  if (isRenewed)
    return sendText(request, response, { status: 404, text: "There is no such file." });
  response.setHeader("Retry-After", retrySeconds);
  const text = "The file cannot be found at the moment. Try again soon.";
  sendText(request, response, { status: 503, text });
}

/** Returns the host that a request names; an empty text if it names none or several. */
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

/** Reports whether a text of a request's raw headers, which are names and values in turns, is the name of a host. */
function isHostHeader(text: string, at: number): boolean {
  return at % 2 === 0 && text.length === 4 && text.toLowerCase() === "host";
}

/** Returns the address of the reader; IPv6 without the half that a single reader chooses. */
function findAddress(
  { headers, socket }: IncomingMessage,
  isTrustedProxy: (address: string) => boolean,
): string {
  const direct = socket.remoteAddress ?? "";
  const forwarded = headers["x-forwarded-for"];
  const isForwarded = typeof forwarded === "string" && isTrustedProxy(direct);
  return toNetwork(isForwarded ? (forwarded.split(",").at(-1)?.trim() ?? "") : direct);
}

/** The maximum length of a host name, with a port. */
const maxLength = 260;

/**
 * Returns the host name of a Host header in lower case, without port and final dot, in punycode. Returns undefined if
 * it is not a host name.
 */
function parseHostName(header: string): string | undefined {
  if (header.length > maxLength) return undefined;
  const name = /^([^:/?#@\\\s[\]]+?)\.?(?::\d*)?$/.exec(header)?.[1] ?? "";
  // Names that are plain already, such as most, need no library.
  if (/^[a-z0-9.-]+$/.test(name)) return name;
  const ascii = domainToASCII(name);
  return ascii === "" ? undefined : ascii;
}
