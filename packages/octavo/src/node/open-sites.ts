import type { IncomingMessage, RequestListener } from "node:http";
import { join } from "node:path";
import { OctavoError } from "@octavo/site/core";
import type { SiteListener } from "../api/index.ts";
import { createBundleCopies } from "../bundles/index.ts";
import { getBaseUrl, getOwnHosts, getSitesDomain } from "../config/index.ts";
import { createProxyCheck, openOnce } from "../core/index.ts";
import { createSiteSecrets, openRouteTable } from "../publish/index.ts";
import type { NodeParts } from "./node-parts.ts";

/** The sites that this node serves until it is disposed. */
export interface ServedSites extends SiteListener, AsyncDisposable {
  /** Throws `unavailable` while the node does not know whether sites have changed. */
  check(): void;
}

/** Starts to follow what is live. Serves nothing by itself: the server of the node passes requests on. */
export async function openSites(parts: NodeParts): Promise<ServedSites> {
  const { config, records, address, log, storage } = parts;
  await using opening = new AsyncDisposableStack();
  const table = opening.use(
    await openRouteTable({
      database: records.database,
      domain: () => getSitesDomain(config, address.port),
      siteSecret: createSiteSecrets(records.secret),
      signInUrl: () => `${getBaseUrl(config, address.port)}/open-site`,
      onStale: (err) =>
        log.warn({ err }, "Sites are served as they were, because the database does not answer"),
    }),
  );
  const copies = opening.use(
    createBundleCopies(storage, {
      folder: join(config.dataFolder, "cache", "sites"),
      maxBytes: config.sites.cacheBytes,
    }),
  );
  const isTrustedProxy = createProxyCheck(config.trustedProxies);
  // Loaded when it is needed, so that a service starts without it.
  const load = openOnce(async () => {
    const { createSitesHandler } = await import("../sites/index.ts");
    return createSitesHandler({ live: table, copies, log, isTrustedProxy });
  });
  const ownHosts = getOwnHosts(config);
  let loaded: RequestListener | undefined;
  const opened = opening.move();
  return {
    hasHost: (host) => ownHosts.includes(host) || table.hasHost(host),
    owns: (request) => table.ownsHost(findHost(request, isTrustedProxy)),
    listener(request, response) {
      if (loaded) return loaded(request, response);
      load().then(
        (handler) => (loaded = handler)(request, response),
        (err: unknown) => {
          log.error({ err }, "Sites cannot be served");
          response.writeHead(503).end();
        },
      );
    },
    check() {
      const { staleSince } = table;
      if (!staleSince) return;
      throw new OctavoError(
        "unavailable",
        `Sites are served as they were at ${staleSince.toISOString()}, because the database does not answer.`,
      );
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Returns the host that a client asked for, which a proxy forwards. */
function findHost(
  { headers, socket }: IncomingMessage,
  isTrustedProxy: (address: string) => boolean,
): string {
  const { host = "", "x-forwarded-host": forwarded } = headers;
  if (typeof forwarded !== "string" || !isTrustedProxy(socket.remoteAddress ?? "")) return host;
  return forwarded.split(",", 1)[0]?.trim() ?? "";
}
