import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { parseHostName } from "./host-name.ts";
import type { LiveSites } from "./live-sites.ts";

export interface SitesOptions {
  readonly live: LiveSites;
}

/** Creates the listener of a `node:http` server that serves the sites. */
export function createSitesHandler({ live }: SitesOptions): RequestListener {
  return (request, response) => {
    response.setHeader("X-Content-Type-Options", "nosniff");
    response.setHeader("Referrer-Policy", "strict-origin-when-cross-origin");
    const host = parseHostName(request.headers.host ?? "");
    const site = host === undefined ? undefined : live.find(host);
    if (!site) {
      sendText(request, response, 404, "There is no site at this address.");
      return;
    }
    if (site.isRedirected) {
      response.setHeader("Location", site.origin + (request.url ?? "/"));
      sendText(request, response, 308, "The site has moved.");
      return;
    }
    sendText(request, response, 404, "There is no such page.");
  };
}

function sendText(
  { method }: IncomingMessage,
  response: ServerResponse,
  status: number,
  text: string,
): void {
  const body = `${text}\n`;
  response.writeHead(status, {
    "Content-Type": "text/plain; charset=utf-8",
    "Content-Length": Buffer.byteLength(body),
    "Cache-Control": "no-store",
  });
  response.end(method === "HEAD" ? undefined : body);
}
