import type { IncomingMessage } from "node:http";
import { isOctavoError, OctavoError, timeoutSignal } from "@octavo/site/core";
import type { AllowList } from "../core/index.ts";
import { decodeParts, knownEncodings, readParts } from "./response-body.ts";
import { resolveHostName } from "./destination.ts";
import type { ResolveHostName } from "./destination.ts";
import { createExchange, PhaseTimer } from "./exchange.ts";
import type { Outgoing } from "./exchange.ts";

export interface GuardedFetchOptions {
  readonly allow: AllowList;
  readonly maxResponseBytes: number;
  /** For one request with its redirects, from the look-up of the name to the last byte. No limit when absent. */
  readonly timeoutMs?: number;
  /** From the look-up of a name to the open connection. Default 10 seconds. */
  readonly connectTimeoutMs?: number;
  /** How long the other side may send no byte once it is connected. Default 30 seconds. */
  readonly idleTimeoutMs?: number;
  /** Default 3. */
  readonly maxRedirects?: number;
  /**
   * Whether a request that only reads is sent on to other origins too, each checked as the first address is. Nothing of
   * it goes there but what it accepts and who asks.
   */
  readonly followsElsewhere?: boolean;
  /**
   * - `whole` (default): the call resolves once the whole response is here, so that every failure is one of the call. It may be compressed.
   * - `streamed`: it is here when its head is; what fails later fails whoever reads. Compression is not asked for, and not undone.
   * - `none`: its body is not given back. Where that goes on for longer than `maxResponseBytes`, or than there is time, the
   *   rest is not waited for, and that is no error.
   */
  readonly bodies?: "whole" | "streamed" | "none";
  /** In messages; the host and `the address` when absent. */
  readonly subject?: Subject;
  /** Why a place is not asked, beside what `allow` says: for the first address and for each that it redirects to. */
  readonly refuse?: (url: URL) => string | undefined;
  /** The system's when absent. */
  readonly resolve?: ResolveHostName | undefined;
}

export interface OutgoingRequest {
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Uint8Array | null | undefined;
  readonly signal?: AbortSignal | null | undefined;
  /** Less than others may get, for this request alone. */
  readonly maxResponseBytes?: number | undefined;
}

/**
 * Like `fetch`, for addresses that somebody else named. The addresses of a host are checked when the
 * connection is made, so that a name that changes its mind gains nothing. Redirects are followed within
 * the same origin only, unless `followsElsewhere`; any other is given back as it is.
 *
 * Throws `OctavoError`: `forbidden` for a place that the operator has not allowed, `too_large`,
 * `unavailable` where nothing responds in time, `invalid_input` for an address that is none and a certificate
 * that is not trusted, and where `signal` is aborted its reason, or `cancelled` where it has none of its own.
 * Headers, bodies and addresses beyond their host stand in none of them.
 */
export type GuardedFetch = (url: string | URL, init?: OutgoingRequest) => Promise<Response>;

/** One call, with all its redirects. */
interface Call {
  readonly outgoing: Outgoing;
  readonly subject: Subject;
  readonly maxBytes: number;
  /** The caller's and the time for all of it. */
  readonly signal: AbortSignal;
  readonly timer: PhaseTimer;
  /** What `error` is for whoever called. */
  readonly translate: (error: unknown) => unknown;
}

/** The server of a request, for messages. */
interface Subject {
  /** E.g. `Anthropic`; of an address, only its host and port. */
  readonly label: string;
  /** Where its address comes from: the name of a setting, or `the address`. */
  readonly source: string;
}

interface RedirectedRequest {
  readonly url: URL;
  readonly outgoing: Outgoing;
}

export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const {
    bodies = "whole",
    connectTimeoutMs = 10_000,
    followsElsewhere = false,
    idleTimeoutMs = 30_000,
    maxRedirects = 3,
    resolve = resolveHostName,
  } = options;
  const exchange = createExchange({
    allow: options.allow,
    resolve,
    connectTimeoutMs,
    answerTimeoutMs: idleTimeoutMs,
  });

  async function respond(incoming: IncomingMessage, call: Call): Promise<Response> {
    const { label } = call.subject;
    const limits = {
      label,
      maxBytes: call.maxBytes,
      onWait: () => call.timer.start(idleTimeoutMs, (time) => `${label} sent nothing for ${time}.`),
      onPart: () => call.timer.stop(),
      translate: call.translate,
    };
    if (bodies === "none") {
      await skip(readParts(incoming, limits));
      return responseOf(incoming, null, call);
    }
    if (!hasBody(incoming)) {
      incoming.resume();
      return responseOf(incoming, null, call);
    }
    if (bodies === "streamed") {
      return responseOf(incoming, ReadableStream.from(readParts(incoming, limits)), call);
    }
    const parts = await Array.fromAsync(decodeParts(incoming, limits));
    return responseOf(incoming, Buffer.concat(parts), call);
  }

  async function follow(start: URL, call: Call): Promise<Response> {
    const { signal, timer, subject, outgoing } = call;
    const control = { signal, timer, label: subject.label };
    let step: RedirectedRequest = { url: start, outgoing };
    for (let redirects = 0; ; redirects++) {
      const refusal = options.refuse?.(step.url);
      if (refusal !== undefined) throw new OctavoError("forbidden", refusal);
      const incoming = await exchange(step.url, step.outgoing, control);
      const next =
        redirects < maxRedirects ? redirectOf(step, incoming, followsElsewhere) : undefined;
      if (!next) return await respond(incoming, call);
      incoming.destroy();
      step = next;
    }
  }

  return async (address, init = {}) => {
    const url = parseUrl(address);
    const call = createCall(url, init, options);
    try {
      return await follow(url, call);
    } catch (error) {
      throw call.translate(error);
    }
  };
}

function createCall(url: URL, init: OutgoingRequest, options: GuardedFetchOptions): Call {
  const {
    bodies = "whole",
    timeoutMs,
    subject = { label: url.host, source: "the address" },
  } = options;
  const timeout = timeoutMs === undefined ? undefined : timeoutSignal(timeoutMs);
  const timer = new PhaseTimer();
  return {
    outgoing: {
      method: init.method ?? "GET",
      headers: {
        ...withoutName(init.headers ?? {}, "accept-encoding"),
        "accept-encoding": bodies === "whole" ? knownEncodings : "identity",
      },
      body: init.body ?? undefined,
    },
    subject,
    maxBytes: init.maxResponseBytes ?? options.maxResponseBytes,
    signal: AbortSignal.any(
      [init.signal, timeout].filter((signal) => signal instanceof AbortSignal),
    ),
    timer,
    translate(error) {
      if (init.signal?.aborted) return describeAbort(init.signal, subject);
      if (timeout?.aborted) {
        return new OctavoError("unavailable", `${subject.label} does not answer in time.`);
      }
      return describeFetchFailure(timer.signal.aborted ? timer.signal.reason : error, subject);
    },
  };
}

function parseUrl(address: string | URL): URL {
  const url = URL.parse(String(address));
  if (url) return url;
  throw new OctavoError("invalid_input", "Only http and https addresses can be asked.");
}

/** Read and thrown away, so that the connection can be used again; a body that does not end closes it. */
async function skip(parts: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    for await (const _ of parts);
  } catch {
    // The response is its head, which is here.
  }
}

function hasBody({ statusCode }: IncomingMessage): boolean {
  return statusCode !== 204 && statusCode !== 205 && statusCode !== 304;
}

function responseOf(
  incoming: IncomingMessage,
  body: Buffer<ArrayBuffer> | ReadableStream<Uint8Array> | null,
  { subject }: Call,
): Response {
  const headers = new Headers();
  for (let at = 0; at + 1 < incoming.rawHeaders.length; at += 2) {
    headers.append(incoming.rawHeaders[at] ?? "", incoming.rawHeaders[at + 1] ?? "");
  }
  const status = incoming.statusCode ?? 0;
  if (status >= 200 && status <= 599) return new Response(body, { status, headers });
  incoming.destroy();
  throw new OctavoError(
    "unavailable",
    `${subject.label} answers with the status ${status}, which there is none.`,
  );
}

function withoutName(
  headers: Readonly<Record<string, string>>,
  name: string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([key]) => key.toLowerCase() !== name));
}

/**
 * The failure of a request, as an error for a person. Node's own errors are not causes: that of a malformed
 * response contains what the server sent.
 */
function describeFetchFailure(error: unknown, { label, source }: Subject): OctavoError {
  if (isOctavoError(error)) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : undefined;
  if (code === undefined) {
    return new OctavoError("internal", `The request to ${label} could not be sent.`, {
      cause: error,
    });
  }
  if (/CERT|SELF_SIGNED|UNABLE_TO_/.test(code)) {
    return new OctavoError(
      "invalid_input",
      `The certificate of ${label} is not trusted (${code}). NODE_EXTRA_CA_CERTS names a file with further authorities.`,
    );
  }
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") {
    return new OctavoError(
      "unavailable",
      `${label} cannot be reached: its host name is unknown. Check ${source} and the network.`,
    );
  }
  return new OctavoError("unavailable", `The connection to ${label} failed (${code}).`);
}

/** The error of a request that the caller's signal aborted: its reason, or `cancelled` if it has none of its own. */
function describeAbort(signal: AbortSignal, { label }: Subject): unknown {
  const reason: unknown = signal.reason;
  const isPlain = reason instanceof DOMException && reason.name === "AbortError";
  return isPlain ? new OctavoError("cancelled", `Cancelled while asking ${label}.`) : reason;
}

/**
 * The request to which a response redirects. Undefined if it does not redirect, if a client must not
 * follow it, and if it leads to another origin, unless `followsElsewhere` and the request only reads.
 */
function redirectOf(
  { url, outgoing }: RedirectedRequest,
  { statusCode: status, headers }: IncomingMessage,
  followsElsewhere: boolean,
): RedirectedRequest | undefined {
  const isRead = /^(?:GET|HEAD)$/i.test(outgoing.method);
  const repeats = status === 307 || status === 308;
  if (!repeats && !(isRead && (status === 301 || status === 302))) return undefined;
  const target = URL.parse(headers.location ?? "", url.href);
  if (!target) return undefined;
  if (target.origin === url.origin) return { url: target, outgoing };
  if (!followsElsewhere || !isRead) return undefined;
  return { url: target, outgoing: withoutSecrets(outgoing) };
}

/** What a host that another one named may see: everything else may be meant only for the first. */
function withoutSecrets({ method, headers }: Outgoing): Outgoing {
  const shown = ["accept", "accept-encoding", "user-agent"];
  const rest = Object.entries(headers).filter(([name]) => shown.includes(name.toLowerCase()));
  return { method, headers: Object.fromEntries(rest), body: undefined };
}
