import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { isIP } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { TLSSocket } from "node:tls";
import { OctavoError } from "@octavo/site/core";
import { getOwnHosts, getSitesDomain, type Config } from "../config/index.ts";
import { createGuardedFetch } from "../net/index.ts";
import { createVault } from "../projects/index.ts";
import {
  certificatePollIntervalMs,
  createAuthority,
  createCertificateStore,
  openCertificateTable,
  openTlsServer,
  orderCertificates,
  type CertificateStore,
  type CertificateTable,
} from "../tls/index.ts";
import type { NodeParts } from "./node-parts.ts";

/** Serves hosts over TLS with certificates that this node orders. */
export interface ServedTls extends AsyncDisposable {
  /**
   * Reports whether a request over plain HTTP is for this module: an authority's challenge, or a host that has a
   * certificate and is served only over TLS.
   */
  owns(request: IncomingMessage, host: string): boolean;
  answer(request: IncomingMessage, response: ServerResponse, host: string): void;
  /** Passes connections on to an HTTP server until the result is disposed. */
  serve(server: Server): Promise<AsyncDisposable>;
}

/** The interval at which a node looks for certificates to order. */
const orderIntervalMs = 5_000;
const challengePath = "/.well-known/acme-challenge/";
const maxResponseBytes = 1_000_000;
const requestTimeoutMs = 60_000;

export async function openTls(
  { config, records, address, log }: NodeParts,
  acme: NonNullable<Config["acme"]>,
): Promise<ServedTls> {
  const { database } = records;
  const vault = createVault(records.secret, "certificates");
  const store = createCertificateStore({ db: database.kysely, vault });
  await using resources = new AsyncDisposableStack();
  const certificates = resources.use(
    await openCertificateTable({
      database,
      store,
      onStale: (err) => log.warn({ err }, "The last known certificates are used, because the database is not responding"), // prettier-ignore
    }),
  );
  const domain = getSitesDomain(config, address.port);
  const authority = createAuthority({
    ...acme,
    fetch: createGuardedFetch({
      allow: config.allow,
      maxResponseBytes,
      timeoutMs: requestTimeoutMs,
      trustedCertificates:
        acme.caFile === undefined ? undefined : await readTrustedCertificates(acme.caFile),
      subject: { label: "The ACME authority", source: "OCTAVO_ACME_DIRECTORY" },
    }),
  });
  const closeController = new AbortController();
  const orderLoop = repeatOrders(closeController.signal, async () => {
    const options = {
      store,
      authority,
      hosts: { names: getOwnHosts(config).filter(isPublicName), sitesDomain: domain.name },
      holder: randomUUID(),
      log,
      // Nodes look up the responses to HTTP challenges on request, so only TLS challenges need a wait.
      waitForNodes: async () => {
        if (acme.challengeType === "tls-alpn-01") await sleep(2 * certificatePollIntervalMs);
      },
      signal: closeController.signal,
    };
    await orderCertificates(options).catch((err: unknown) => {
      log.error({ err }, "Certificates could not be ordered");
    });
  });
  resources.defer(async () => {
    closeController.abort();
    await orderLoop;
  });
  const heldResources = resources.move();
  return {
    owns: (request, host) =>
      !(request.socket instanceof TLSSocket) &&
      (isChallenge(request) || certificates.find(host) !== undefined),
    answer(request, response, host) {
      if (!isChallenge(request)) {
        const port = domain.port === undefined ? "" : `:${domain.port}`;
        const location = `https://${host}${port}${request.url ?? "/"}`;
        response.writeHead(308, { location, "content-length": 0 }).end();
        return;
      }
      answerChallenge(store, request, host).then(
        ([status, text]) => response.writeHead(status, { "content-type": "text/plain" }).end(text),
        (err: unknown) => {
          log.error({ err, host }, "A challenge could not be read");
          response.writeHead(503).end();
        },
      );
    },
    serve: (server) => serveOverTls(server, { config, port: acme.port, certificates }),
    [Symbol.asyncDispose]: () => heldResources.disposeAsync(),
  };
}

async function repeatOrders(signal: AbortSignal, order: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await order();
    await sleep(orderIntervalMs, undefined, { ref: false, signal }).catch(() => undefined);
  }
}

async function answerChallenge(
  store: CertificateStore,
  { url = "" }: IncomingMessage,
  host: string,
): Promise<readonly [status: number, text: string]> {
  const challenge = await store.readChallenge(host);
  const isKnown = challenge?.type === "http-01" && url === challengePath + challenge.token;
  return isKnown ? [200, challenge.answer] : [404, "There is no such challenge.\n"];
}

function isChallenge({ method, url = "" }: IncomingMessage): boolean {
  return method === "GET" && url.startsWith(challengePath);
}

interface TlsParts {
  readonly config: Config;
  readonly port: number;
  readonly certificates: CertificateTable;
}

async function serveOverTls(
  server: Server,
  { config: { host }, port, certificates }: TlsParts,
): Promise<AsyncDisposable> {
  const onConnection = (socket: TLSSocket) => void server.emit("connection", socket);
  try {
    return await openTlsServer({ host, port, certificates, onConnection });
  } catch (cause) {
    const { code = "" } = cause as NodeJS.ErrnoException;
    throw new OctavoError(
      "unavailable",
      `The service cannot listen on ${host}, port ${port}, for TLS (${code}). OCTAVO_TLS_PORT sets the port.`,
      { cause },
    );
  }
}

/** Reports whether an authority could issue a certificate for a host. */
function isPublicName(host: string): boolean {
  return host.includes(".") && isIP(host) === 0 && !host.startsWith("[");
}

async function readTrustedCertificates(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    const { code = "" } = cause as NodeJS.ErrnoException;
    throw new OctavoError("invalid_input", `OCTAVO_ACME_CA_FILE: ${file} cannot be read (${code}).`, { cause }); // prettier-ignore
  }
}
