import { lookup } from "node:dns";
import { Agent as HttpAgent, request as requestHttp } from "node:http";
import type { IncomingMessage, RequestOptions } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { isIP } from "node:net";
import type { LookupFunction } from "node:net";
import { isOctavoError, OctavoError } from "@octavo/site/core";
import { isPrivateAddress } from "../core/index.ts";
import type { AllowList } from "../core/index.ts";

export interface FetchGuard {
  /** The only place that may be asked. */
  readonly baseUrl: string;
  /** For messages: who is asked, and which setting says where that is. */
  readonly label: string;
  readonly urlVariable: string;
  readonly allow: AllowList;
  /** How long the other side may send no byte. */
  readonly idleTimeoutMs: number;
  readonly maxResponseBytes: number;
}

/**
 * A `fetch` for one provider. It reaches nothing but `baseUrl`, follows no redirect, checks each address
 * that it connects to, and bounds size and silence. What goes wrong on the way is an OctavoError without
 * anything of the request in it: `unavailable` where another attempt may help, `too_large`, or
 * `invalid_input` for settings that cannot work. An aborted request rejects with the signal's reason.
 *
 * It stands on `node:http`, because Node's own `fetch` takes no look at the address between resolving a name
 * and connecting, and gives up on an answer whose first byte takes longer than five minutes.
 */
export function createGuardedFetch(guard: FetchGuard): typeof globalThis.fetch {
  const base = readBaseUrl(guard);
  const isSecure = base.protocol === "https:";
  const options: RequestOptions = {
    agent: new (isSecure ? HttpsAgent : HttpAgent)({ keepAlive: true }),
    lookup: guardedLookup(guard, base),
    timeout: guard.idleTimeoutMs,
  };
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.origin !== base.origin || !url.pathname.startsWith(`${trimmed(base.pathname)}/`)) {
      throw new OctavoError("internal", `${guard.label} is not asked at ${url.origin}.`);
    }
    try {
      const response = await send(url, init ?? {}, options);
      return toResponse(response, guard, init?.signal ?? undefined);
    } catch (error) {
      throw init?.signal?.aborted ? init.signal.reason : describe(error, guard);
    }
  };
}

/** Throws `invalid_input` for an address that could never be reached, before anything is sent to it. */
function readBaseUrl({ baseUrl, label, urlVariable, allow }: FetchGuard): URL {
  const url = URL.parse(baseUrl);
  const isPlain = url !== null && url.username + url.password + url.search + url.hash === "";
  if (!isPlain || !/^https?:$/.test(url.protocol)) {
    throw unusable(
      `${urlVariable} must be an https address without user, query or fragment, e.g. https://models.example.com/v1.`,
    );
  }
  const { host, port } = placeOf(url);
  if (allow.allowsHost(host, port)) return url;
  if (url.protocol === "http:") {
    throw unusable(
      `${label} is asked over http, which sends the key and the pages in the clear: use https in ${urlVariable}, ` +
        `or let the operator name the host, as OCTAVO_ALLOW=${url.hostname}:${port}.`,
    );
  }
  if (isIP(host) !== 0 && isPrivateAddress(host)) throw privateAddress(label, url);
  return url;
}

/** Refuses a name that leads to a private address when the connection is made: no later answer can differ. */
function guardedLookup({ allow, label }: FetchGuard, base: URL): LookupFunction {
  const { host, port } = placeOf(base);
  const isNamed = allow.allowsHost(host, port);
  const isForbidden = (ip: string): boolean =>
    !isNamed && isPrivateAddress(ip) && !allow.allowsAddress(ip, port);
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error || !first) {
        callback(error ?? new Error(`${hostname} has no address.`), []);
      } else if (addresses.some(({ address }) => isForbidden(address))) {
        callback(privateAddress(label, base), []);
      } else if (options.all) {
        callback(null, addresses);
      } else {
        callback(null, first.address, first.family);
      }
    });
  };
}

function send(url: URL, init: RequestInit, options: RequestOptions): Promise<IncomingMessage> {
  const { body, signal, headers, method = "GET" } = init;
  if (body !== undefined && body !== null && typeof body !== "string") {
    throw new TypeError("A request to a model has a body of text.");
  }
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const start = url.protocol === "https:" ? requestHttps : requestHttp;
    const request = start(url, {
      ...options,
      method,
      // A compressed answer could hold any number of bytes.
      headers: { ...Object.fromEntries(new Headers(headers)), "accept-encoding": "identity" },
      ...(signal && { signal }),
    });
    request.once("timeout", () => request.destroy(new SilenceError()));
    request.once("error", reject);
    request.once("response", resolve);
    request.end(body ?? undefined);
  });
}

class SilenceError extends Error {}

function toResponse(
  incoming: IncomingMessage,
  guard: FetchGuard,
  signal: AbortSignal | undefined,
): Response {
  const status = incoming.statusCode ?? 0;
  const problem = problemOf(incoming, guard);
  if (problem !== undefined) {
    incoming.destroy();
    throw unusable(problem);
  }
  const headers = new Headers();
  for (const [name, values] of Object.entries(incoming.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  const hasBody = status !== 204 && status !== 205;
  const body = hasBody ? ReadableStream.from(boundedChunks(incoming, guard, signal)) : null;
  if (!hasBody) incoming.resume();
  return new Response(body, { status, headers });
}

/** What no API of a model answers with; undefined where the answer may be one. */
function problemOf(
  { statusCode: status = 0, headers }: IncomingMessage,
  { label, urlVariable }: FetchGuard,
): string | undefined {
  if (status >= 300 && status < 400) {
    return `${label} answers with a redirect, which is not followed: set ${urlVariable} to the address where it leads.`;
  }
  const { "content-encoding": encoding = "identity", "content-type": type = "" } = headers;
  const isPage = status < 300 && type.startsWith("text/html");
  if (status >= 200 && status < 600 && encoding === "identity" && !isPage) return undefined;
  const facts = JSON.stringify(isPage ? "text/html" : encoding.slice(0, 50));
  return `${label} does not answer as its API does (status ${status}, ${facts}). Check ${urlVariable}.`;
}

async function* boundedChunks(
  incoming: IncomingMessage,
  guard: FetchGuard,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > guard.maxResponseBytes) {
        throw new OctavoError(
          "too_large",
          `${guard.label} sent more than ${guard.maxResponseBytes} bytes in one answer, so it was not read further.`,
        );
      }
      yield chunk;
    }
  } catch (error) {
    throw signal?.aborted ? signal.reason : describe(error, guard);
  }
}

function describe(error: unknown, { label, urlVariable, idleTimeoutMs }: FetchGuard): Error {
  if (isOctavoError(error)) return error;
  if (error instanceof SilenceError) {
    const seconds = Math.round(idleTimeoutMs / 1000);
    return new OctavoError("unavailable", `${label} sent nothing for ${seconds} seconds.`);
  }
  if (!(error instanceof Error) || !("code" in error)) {
    return new OctavoError("internal", `The request to ${label} could not be sent.`, {
      cause: error,
    });
  }
  const code = String(error.code);
  if (/CERT|SELF_SIGNED|UNABLE_TO_/.test(code)) {
    const message = `The certificate of ${label} is not trusted (${code}). NODE_EXTRA_CA_CERTS names a file with further authorities.`;
    return new OctavoError("invalid_input", message, { cause: error });
  }
  const isUnknownHost = code === "ENOTFOUND" || code === "EAI_AGAIN";
  return new OctavoError(
    "unavailable",
    isUnknownHost
      ? `${label} cannot be reached: its host name is unknown. Check ${urlVariable} and the network.`
      : `The connection to ${label} failed (${code}).`,
    { cause: error },
  );
}

function placeOf(url: URL): { host: string; port: number } {
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const port = url.protocol === "https:" ? 443 : 80;
  return { host, port: url.port === "" ? port : Number(url.port) };
}

function privateAddress(label: string, url: URL): OctavoError {
  const { port } = placeOf(url);
  return unusable(
    `${label} lies at a private or local address, which the service does not reach by itself. ` +
      `An operator allows it by OCTAVO_ALLOW=${url.hostname}:${port}.`,
  );
}

function trimmed(path: string): string {
  return path.replace(/\/+$/, "");
}

function unusable(message: string): OctavoError {
  return new OctavoError("invalid_input", message);
}
