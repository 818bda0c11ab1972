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
  refuseAddresses,
  refuseDestination,
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
  readonly answerTimeoutMs: number;
  readonly trusted?: string | undefined;
}

export interface Outgoing {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
}

interface ExchangeControl {
  /** Ends the exchange, including the response body. */
  readonly signal: AbortSignal;
  /** Limits the duration of the request's phases. It is stopped when the head has arrived. */
  readonly timer: PhaseTimer;
  /** The server's name in messages. */
  readonly label: string;
}

/** Sends one request and resolves with the head of its response. */
type Exchange = (
  url: URL,
  outgoing: Outgoing,
  control: ExchangeControl,
) => Promise<IncomingMessage>;

/** The maximum number of sockets per host, and the time that an idle socket is kept, in milliseconds. */
const agentOptions = { keepAlive: true, maxSockets: 32, timeout: 60_000 };

/**
 * Creates the function that sends all outgoing requests. It does not share its connections, so it never uses a
 * connection that was opened without a check. A connection that is kept open still leads to the address that was
 * checked.
 */
export function createExchange(options: ExchangeOptions): Exchange {
  const agents = {
    http: new HttpAgent(agentOptions),
    https: new HttpsAgent({ ...agentOptions, ...createTrust(options.trusted) }),
  };

  function open(url: URL, outgoing: Outgoing, signal: AbortSignal): ClientRequest {
    const place = findDestination(url);
    if (!place || place.protocol === "ssh" || url.username !== "" || url.password !== "") {
      throw createInputError(
        "Only http and https addresses without a user name or password are supported.",
      );
    }
    checkDestination(place, options.allow);
    const requestOptions: RequestOptions = {
      method: outgoing.method,
      headers: outgoing.headers,
      lookup: createGuardedLookup(place, options.allow, options.resolve),
      agent: agents[place.protocol],
      signal,
    };
    return (place.protocol === "http" ? requestHttp : requestHttps)(url, requestOptions);
  }

  return async (url, outgoing, { signal, timer, label }) => {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    signal.throwIfAborted();
    const request = open(url, outgoing, AbortSignal.any([signal, timer.signal]));
    const waitForAnswer = (): void =>
      timer.start(options.answerTimeoutMs, (time) => `${label} sent nothing for ${time}.`);
    request.once("socket", (socket) => {
      if (!socket.connecting) {
        waitForAnswer();
        return;
      }
      timer.start(
        options.connectTimeoutMs,
        (time) => `The connection to ${label} was not established within ${time}.`,
      );
      socket.once(url.protocol === "https:" ? "secureConnect" : "connect", waitForAnswer);
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
function createTrust(trusted: string | undefined): { readonly ca?: string[] } {
  return trusted === undefined ? {} : { ca: [...rootCertificates, trusted] };
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

  /** Starts a phase and ends the previous one. */
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

/** Resolves a host name to all of its addresses. Rejects if there are none. */
export type ResolveHostName = (name: string) => Promise<readonly LookupAddress[]>;

/** Resolves names as the system does, including its hosts file. */
export const resolveHostName: ResolveHostName = (name) => lookup(name, { all: true });

/**
 * Returns the current addresses of a destination, all of which are permitted. The caller must connect to one of these
 * addresses without resolving the name again, so that a DNS change after the check has no effect. Throws `forbidden`
 * with the entry for OCTAVO_ALLOW, and any error of `resolve`.
 */
export async function findAddresses(
  place: NetworkDestination,
  allow: AllowList,
  resolve: ResolveHostName = resolveHostName,
): Promise<readonly LookupAddress[]> {
  checkDestination(place, allow);
  const family = isIP(place.host);
  const found = family === 0 ? await resolve(place.host) : [{ address: place.host, family }];
  if (found.length === 0) throw Object.assign(new Error("no address"), { code: "ENOTFOUND" });
  const ips = found.map(({ address }) => address);
  throwIfRefused(refuseAddresses(place, ips, allow));
  return found;
}

/** Throws `forbidden` if the destination's name or address itself is not permitted. */
function checkDestination(place: NetworkDestination, allow: AllowList): void {
  throwIfRefused(refuseDestination(place, allow));
}

/**
 * Creates a function for Node's `lookup` that passes the checked addresses to connections to `place`, and fails if any
 * address is not permitted. Node does not look up IP addresses, so `checkDestination` checks those.
 */
function createGuardedLookup(
  place: NetworkDestination,
  allow: AllowList,
  resolve: ResolveHostName,
): LookupFunction {
  const find = callbackify(() => findAddresses(place, allow, resolve));
  return (_host, options, done) => {
    find((error: Error | null, found: readonly LookupAddress[]) => {
      if (error) done(error, []);
      else if (options.all) done(null, [...found]);
      else done(null, found[0]?.address ?? "", found[0]?.family);
    });
  };
}

function throwIfRefused(sentence: string | undefined): void {
  if (sentence !== undefined) throw new OctavoError("forbidden", sentence);
}
