import { Agent as HttpAgent, request as requestHttp } from "node:http";
import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { OctavoError } from "@octavo/site/core";
import type { AllowList } from "../core/index.ts";
import { checkDestination, createGuardedLookup } from "./destination.ts";

export interface GuardedFetchOptions {
  readonly allow: AllowList;
  /** For one request with its redirects, from the look-up of the name to the last byte. */
  readonly timeoutMs: number;
  readonly maximumResponseBytes: number;
  /** Default 3. */
  readonly maximumRedirects?: number;
  /**
   * Whether redirects are followed to other origins too, each checked as the first address is. Only for
   * requests that carry nothing which another host may not see.
   */
  readonly followsElsewhere?: boolean;
  /**
   * Whether answers come back without their bodies. Of a body that goes on for longer than
   * `maximumResponseBytes`, or than there is time, the rest is not waited for, and that is no error.
   */
  readonly discardsBody?: boolean;
}

export interface OutgoingRequest {
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Uint8Array | null | undefined;
  readonly signal?: AbortSignal | null | undefined;
  /** Less than others may get, for this request alone. */
  readonly maximumResponseBytes?: number | undefined;
}

/**
 * Like `fetch`, for addresses that somebody else named. The addresses of a host are checked when the
 * connection is made, so that a name that changes its mind gains nothing. Redirects are followed within
 * the same origin only, unless `followsElsewhere`, so that credentials go nowhere else; any other is given
 * back as it is.
 *
 * Throws `OctavoError`: `forbidden` for a place that the operator has not allowed, `too_large`,
 * `unavailable` where nothing answers in time, `cancelled` where `signal` is aborted, `invalid_input` for
 * an address that is none. Headers and bodies stand in none of them.
 */
export type GuardedFetch = (url: string | URL, init?: OutgoingRequest) => Promise<Response>;

export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const { maximumRedirects = 3 } = options;
  // Own agents: a connection that others opened unchecked is never used.
  const agents = { "http:": new HttpAgent(agentOptions), "https:": new HttpsAgent(agentOptions) };
  const lookup = createGuardedLookup(options.allow);

  function start(url: URL, init: OutgoingRequest, signal: AbortSignal): ClientRequest {
    checkDestination(url, options.allow);
    const requestOptions: RequestOptions = {
      method: init.method ?? "GET",
      headers: { ...init.headers },
      lookup: (host, lookupOptions, done) => {
        lookup({ host, port: portOf(url), all: lookupOptions.all === true }, done);
      },
      signal,
    };
    if (url.protocol === "http:")
      return requestHttp(url, { ...requestOptions, agent: agents["http:"] });
    return requestHttps(url, { ...requestOptions, agent: agents["https:"] });
  }

  async function exchange(url: URL, init: OutgoingRequest, signal: AbortSignal): Promise<Response> {
    const request = start(url, init, signal);
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    request.once("response", resolve);
    request.once("error", reject);
    request.end(init.body ?? undefined);
    const incoming = await promise;
    const { maximumResponseBytes = options.maximumResponseBytes } = init;
    return await readResponse(incoming, { ...options, maximumResponseBytes });
  }

  return async (address, init = {}) => {
    let url = parseUrl(address);
    const timeout = AbortSignal.timeout(options.timeoutMs);
    const signal = init.signal ? AbortSignal.any([init.signal, timeout]) : timeout;
    try {
      for (let redirects = 0; ; redirects++) {
        const response = await exchange(url, init, signal);
        const target = redirects < maximumRedirects ? redirectOf(url, init, response) : undefined;
        const isFollowed = options.followsElsewhere === true || target?.origin === url.origin;
        const next = isFollowed ? target : undefined;
        if (next === undefined) return response;
        url = next;
      }
    } catch (cause) {
      throw translate(cause, url, { timeout, caller: init.signal });
    }
  };
}

const agentOptions = { keepAlive: true, maxSockets: 32, timeout: 60_000 };

function parseUrl(address: string | URL): URL {
  const url = URL.parse(String(address));
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw new OctavoError("invalid_input", "Only http and https addresses can be asked.");
}

function portOf(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "http:" ? 80 : 443;
}

async function readResponse(
  incoming: IncomingMessage,
  { maximumResponseBytes: most, discardsBody = false }: GuardedFetchOptions,
): Promise<Response> {
  if (discardsBody) {
    await discardBody(incoming, most);
    return responseOf(incoming, null);
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > most) {
      throw new OctavoError(
        "too_large",
        `The answer has more than ${most.toLocaleString("en")} bytes.`,
      );
    }
    chunks.push(chunk);
  }
  return responseOf(incoming, Buffer.concat(chunks));
}

/** Read and thrown away, so that the connection can be used again; a body that does not end closes it. */
async function discardBody(incoming: IncomingMessage, most: number): Promise<void> {
  let bytes = 0;
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > most) return;
    }
  } catch {
    // The answer is in its head, which is here.
  }
}

function responseOf(incoming: IncomingMessage, body: Buffer<ArrayBuffer> | null): Response {
  const headers = new Headers();
  for (let at = 0; at + 1 < incoming.rawHeaders.length; at += 2) {
    headers.append(incoming.rawHeaders[at] ?? "", incoming.rawHeaders[at + 1] ?? "");
  }
  const status = incoming.statusCode ?? 500;
  const hasBody = status !== 204 && status !== 205 && status !== 304;
  return new Response(hasBody ? body : null, { status, headers });
}

function redirectOf(
  from: URL,
  { method = "GET" }: OutgoingRequest,
  response: Response,
): URL | undefined {
  const { status } = response;
  const repeats = status === 307 || status === 308;
  const reads = (status === 301 || status === 302) && /^(?:GET|HEAD)$/i.test(method);
  if (!repeats && !reads) return undefined;
  return URL.parse(response.headers.get("location") ?? "", from.href) ?? undefined;
}

function translate(
  cause: unknown,
  url: URL,
  {
    timeout,
    caller,
  }: { readonly timeout: AbortSignal; readonly caller: AbortSignal | null | undefined },
): unknown {
  if (cause instanceof OctavoError) return cause;
  if (caller?.aborted) return new OctavoError("cancelled", `Cancelled while asking ${url.host}.`);
  const reason = timeout.aborted ? "does not answer in time" : "does not answer";
  return new OctavoError("unavailable", `${url.host} ${reason}.`, { cause });
}
