import type { IncomingMessage, RequestListener, Server } from "node:http";
import { OctavoError } from "@octavo/site/core";
import type { SiteListener } from "../api/index.ts";
import { getBaseUrl, getOwnHosts, getSitesDomain, type Config } from "../config/index.ts";
import { createProxyCheck, openOnce, toHostName } from "../core/index.ts";
import { createSiteSecrets, openRouteTable } from "../publish/index.ts";
import { createNodeDifferences, createSiteCopies } from "./open-differences.ts";
import type { NodeParts } from "./node-parts.ts";
import type { ServedTls } from "./open-tls.ts";

/** The sites that this node serves until it is disposed. */
export interface ServedSites extends SiteListener, AsyncDisposable {
  /** Also accepts TLS connections for the server, if this node has certificates. */
  readonly serveTls: (server: Server) => Promise<AsyncDisposable | undefined>;
  /** Throws `unavailable` while the node does not know whether sites have changed. */
  check(): void;
}

/** Starts tracking which deployments are live. Opens no port: the node's server forwards requests to the result. */
export async function openSites(parts: NodeParts): Promise<ServedSites> {
  const { config, records, address, log } = parts;
  await using resources = new AsyncDisposableStack();
  const table = resources.use(
    await openRouteTable({
      database: records.database,
      domain: () => getSitesDomain(config, address.port),
      siteSecret: createSiteSecrets(records.secret),
      signInUrl: () => `${getBaseUrl(config, address.port)}/open-site`,
      onStale: (err) =>
        log.warn(
          { err },
          "Sites are served in their last known state, because the database is not responding",
        ),
    }),
  );
  const copies = resources.use(createSiteCopies(parts));
  const isTrustedProxy = createProxyCheck(config.trustedProxies);
  const differences = resources.use(createNodeDifferences(parts, copies));
  // Loaded when it is needed, so that a service starts without it.
  const loadHandler = openOnce(async () => {
    const { createSitesHandler } = await import("../sites/index.ts");
    return createSitesHandler({ live: table, copies, differences, log, isTrustedProxy });
  });
  const ownHosts = getOwnHosts(config);
  const tls = config.acme && resources.use(await loadTls(parts, config.acme));
  const findHostName = (request: IncomingMessage) => toHostName(findHost(request, isTrustedProxy).replace(/:\d*$/, "").replace(/\.$/, "")) ?? ""; // prettier-ignore
  let loadedHandler: RequestListener | undefined;
  const heldResources = resources.move();
  return {
    hasHost: (host) => ownHosts.includes(host) || table.hasHost(host),
    serveTls: async (server) => tls?.serve(server),
    owns: (request) =>
      tls?.owns(request, findHostName(request)) === true ||
      table.ownsHost(findHost(request, isTrustedProxy)),
    listener(request, response) {
      if (tls?.owns(request, findHostName(request)))
        return tls.answer(request, response, findHostName(request));
      if (loadedHandler) return loadedHandler(request, response);
      loadHandler().then(
        (handler) => (loadedHandler = handler)(request, response),
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
        `Sites are served as they were at ${staleSince.toISOString()}, because the database is not responding.`,
      );
    },
    [Symbol.asyncDispose]: () => heldResources.disposeAsync(),
  };
}

/** Loads and starts TLS, which only nodes that order their own certificates need. */
async function loadTls(parts: NodeParts, acme: NonNullable<Config["acme"]>): Promise<ServedTls> {
  const { openTls } = await import("./open-tls.ts");
  return await openTls(parts, acme);
}

/** Returns the host that a client requested, as forwarded by a trusted proxy if there is one. */
function findHost(
  { headers, socket }: IncomingMessage,
  isTrustedProxy: (address: string) => boolean,
): string {
  const { host = "", "x-forwarded-host": forwarded } = headers;
  if (typeof forwarded !== "string" || !isTrustedProxy(socket.remoteAddress ?? "")) return host;
  return forwarded.split(",", 1)[0]?.trim() ?? "";
}
