import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { lookup } from "node:dns/promises";
import type { LookupAddress } from "node:dns";
import { isIP } from "node:net";
import { rootCertificates } from "node:tls";
import type { LookupFunction } from "node:net";
import { callbackify } from "node:util";
import { OctavoError, createInputError } from "@octavo/site/core";
import {
  findDestination,
  type AllowList,
  explainAddressRefusal,
  explainDestinationRefusal,
} from "../core/index.ts";
import type { NetworkDestination } from "../core/index.ts";

// An import would read all properties of `node:http`. One of these properties, `WebSocket`, loads undici (Node's
// `fetch`), which costs each new process 35 ms of CPU time.
const { Agent: HttpAgent, request: requestHttp } = process.getBuiltinModule("node:http");

interface ExchangeOptions {
  readonly allow: AllowList;
  readonly resolve: ResolveHostName;
  readonly connectTimeoutMs: number;
  /** The maximum time from the open connection to the head of the response, in milliseconds. */
  readonly responseTimeoutMs: number;
  readonly trustedCertificates?: string | undefined;
}

export interface OutgoingMessage {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
}

interface ExchangeControl {
  /** Ends the exchange, including the response body. */
  readonly signal: AbortSignal;
  /** Limits the duration of the request's phases. Stopped when the head of the response has arrived. */
  readonly timer: PhaseTimer;
  /** The server's name in messages. */
  readonly label: string;
}

/** Sends one request and resolves with the head of its response. */
type Exchange = (
  url: URL,
  outgoing: OutgoingMessage,
  control: ExchangeControl,
) => Promise<IncomingMessage>;

/** The maximum number of sockets per host, and the time that an idle socket is kept, in milliseconds. */
const agentOptions = { keepAlive: true, maxSockets: 32, timeout: 60_000 };

/**
 * Creates a function that sends requests over its own pool of connections, so that it never uses a connection that was
 * opened without a check. A connection that is kept open still leads to the address that was checked.
 */
export function createExchange(options: ExchangeOptions): Exchange {
  const agents = {
    http: new HttpAgent(agentOptions),
    https: new HttpsAgent({ ...agentOptions, ...createTrustOptions(options.trustedCertificates) }),
  };

  function openRequest(url: URL, outgoing: OutgoingMessage, signal: AbortSignal): ClientRequest {
    const destination = findDestination(url);
    if (
      !destination ||
      destination.protocol === "ssh" ||
      url.username !== "" ||
      url.password !== ""
    ) {
      throw createInputError(
        "Only http and https addresses without a user name or password are supported.",
      );
    }
    checkDestination(destination, options.allow);
    const requestOptions: RequestOptions = {
      method: outgoing.method,
      headers: outgoing.headers,
      lookup: createGuardedLookup(destination, options.allow, options.resolve),
      agent: agents[destination.protocol],
      signal,
    };
    return (destination.protocol === "http" ? requestHttp : requestHttps)(url, requestOptions);
  }

  return async (url, outgoing, { signal, timer, label }) => {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    signal.throwIfAborted();
    const request = openRequest(url, outgoing, AbortSignal.any([signal, timer.signal]));
    const waitForResponse = (): void =>
      timer.start(options.responseTimeoutMs, (time) => `${label} sent nothing for ${time}.`);
    request.once("socket", (socket) => {
      if (!socket.connecting) {
        waitForResponse();
        return;
      }
      timer.start(
        options.connectTimeoutMs,
        (time) => `The connection to ${label} was not established within ${time}.`,
      );
      socket.once(url.protocol === "https:" ? "secureConnect" : "connect", waitForResponse);
    });
    request.once("response", resolve);
    // This is not `once`, because the end of a body can cause a second error of the request.
    request.on("error", reject);
    request.end(outgoing.body);
    try {
      return await promise;
    } finally {
      timer.stop();
    }
  };
}

/** Returns the options of an agent that trusts certificate authorities in addition to Node's own. */
function createTrustOptions(trustedCertificates: string | undefined): { readonly ca?: string[] } {
  return trustedCertificates === undefined
    ? {}
    : { ca: [...rootCertificates, trustedCertificates] };
}

/**
 * Limits the duration of each phase of a request: connecting, receiving the head of the response, and receiving each
 * further part.
 */
export class PhaseTimer {
  readonly #controller = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  /** Aborts with `unavailable` when a phase has taken too long. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Starts a phase and ends the previous phase. */
  start(limitMs: number, describe: (time: string) => string): void {
    this.stop();
    this.#timer = setTimeout(() => {
      const seconds = Math.max(1, Math.round(limitMs / 1000));
      const time = seconds === 1 ? "1 second" : `${seconds} seconds`;
      this.#controller.abort(new OctavoError("unavailable", describe(time)));
    }, limitMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

/** Resolves a host name to all of its addresses. Rejects if the name has no addresses. */
export type ResolveHostName = (name: string) => Promise<readonly LookupAddress[]>;

/** Resolves names as the system does, including its hosts file. */
export const resolveHostName: ResolveHostName = (name) => lookup(name, { all: true });

/**
 * Returns the current addresses of a destination, all of which are permitted. The caller must connect to one of these
 * addresses without resolving the name again, so that a DNS change after the check has no effect. Throws `forbidden`
 * with the entry for OCTAVO_ALLOW, and any error of `resolve`.
 */
export async function findAddresses(
  destination: NetworkDestination,
  allow: AllowList,
  resolve: ResolveHostName = resolveHostName,
): Promise<readonly LookupAddress[]> {
  checkDestination(destination, allow);
  const family = isIP(destination.host);
  const addresses =
    family === 0 ? await resolve(destination.host) : [{ address: destination.host, family }];
  if (addresses.length === 0) throw Object.assign(new Error("no address"), { code: "ENOTFOUND" });
  const ips = addresses.map(({ address }) => address);
  throwIfRefused(explainAddressRefusal(destination, ips, allow));
  return addresses;
}

/** Throws `forbidden` if the destination's name or address itself is not permitted. */
function checkDestination(destination: NetworkDestination, allow: AllowList): void {
  throwIfRefused(explainDestinationRefusal(destination, allow));
}

/**
 * Creates a function for Node's `lookup` that passes the checked addresses to connections to `destination`, and fails if any
 * address is not permitted. Node does not look up IP addresses, so `checkDestination` checks those.
 */
function createGuardedLookup(
  destination: NetworkDestination,
  allow: AllowList,
  resolve: ResolveHostName,
): LookupFunction {
  const lookUpAddresses = callbackify(() => findAddresses(destination, allow, resolve));
  return (_host, options, done) => {
    lookUpAddresses((error: Error | null, found: readonly LookupAddress[]) => {
      if (error) done(error, []);
      else if (options.all) done(null, [...found]);
      else done(null, found[0]?.address ?? "", found[0]?.family);
    });
  };
}

function throwIfRefused(refusal: string | undefined): void {
  if (refusal !== undefined) throw new OctavoError("forbidden", refusal);
}
