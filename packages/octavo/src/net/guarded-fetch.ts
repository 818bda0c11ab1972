import type { IncomingMessage } from "node:http";
import { Readable, pipeline } from "node:stream";
import { createBrotliDecompress, createGunzip } from "node:zlib";
import {
  isOctavoError,
  OctavoError,
  createTimeoutSignal,
  createInputError,
} from "@octavo/site/core";
import type { AllowList } from "../core/index.ts";
import {
  PhaseTimer,
  createExchange,
  type OutgoingMessage,
  resolveHostName,
  type ResolveHostName,
} from "./exchange.ts";

export interface GuardedFetchOptions {
  readonly allow: AllowList;
  readonly maxResponseBytes: number;
  /**
   * The time limit of a request with its redirects, from resolving the name to the last byte, in milliseconds. By
   * default, there is no limit.
   */
  readonly timeoutMs?: number;
  /** The time limit from resolving a name to the open connection, in milliseconds. Defaults to 10,000. */
  readonly connectTimeoutMs?: number;
  /** The maximum time that the server may send nothing once connected, in milliseconds. Defaults to 30,000. */
  readonly idleTimeoutMs?: number;
  /** Defaults to 3. */
  readonly maxRedirects?: number;
  /**
   * Whether redirects of read-only requests to other origins are also followed. Each new address is checked like the
   * first. Other origins receive only the headers for content types and the user agent. Defaults to false.
   */
  readonly followsOtherOrigins?: boolean;
  /**
   * - `whole` (default): the call resolves once the whole response has arrived, so that every failure rejects it. The
   *   response may be compressed.
   * - `streamed`: the call resolves with the head; later failures are errors of the body's stream. Compression is not
   *   requested, and a compressed body is not decompressed.
   * - `none`: the response has no body. If the body exceeds `maxResponseBytes` or the time limit, what remains of the
   *   body is not read, which is not an error.
   */
  readonly bodyMode?: "whole" | "streamed" | "none";
  /** The server, for messages. By default, its label is the host and its source is `the address`. */
  readonly subject?: RequestSubject;
  /**
   * Returns the reason for rejecting an address that `allow` does not reject. Called for the first address and for each
   * redirect.
   */
  readonly findRefusal?: (url: URL) => string | undefined;
  /** Certificates of authorities to trust in addition to Node's own, as PEM. */
  readonly trustedCertificates?: string | undefined;
  /** Defaults to the system's resolver. */
  readonly resolve?: ResolveHostName | undefined;
}

export interface OutgoingRequest {
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Uint8Array | null | undefined;
  readonly signal?: AbortSignal | null | undefined;
  /** A lower limit for this request only. */
  readonly maxResponseBytes?: number | undefined;
}

/**
 * Like `fetch`, but for user-supplied addresses. A host's addresses are checked when the connection is made, so that a
 * DNS change after the check has no effect. Follows redirects only within the same origin unless `followsOtherOrigins`
 * is set, and returns other redirects as responses.
 *
 * Throws `OctavoError`: `forbidden` for an address that the operator has not allowed, `too_large`, `unavailable` if
 * nothing responds in time, `invalid_input` for an invalid address and for a certificate that is not trusted. If
 * `signal` is aborted, throws its reason, or `cancelled` if it has no reason. The errors do not contain headers, bodies
 * or addresses other than the host.
 */
export type GuardedFetch = (url: string | URL, init?: OutgoingRequest) => Promise<Response>;

/** A call, including its redirects. */
interface FetchCall {
  readonly outgoing: OutgoingMessage;
  readonly subject: RequestSubject;
  readonly maxBytes: number;
  /** Combines the caller's signal and the overall timeout. */
  readonly signal: AbortSignal;
  readonly timer: PhaseTimer;
  /** Converts an error into the error for the caller. */
  readonly translate: (error: unknown) => unknown;
}

/** The server of a request, for messages. */
interface RequestSubject {
  /** A name, such as `Anthropic`. For a user-supplied address, only its host and port. */
  readonly label: string;
  /** The source of the server's address: the name of a setting, or `the address`. */
  readonly source: string;
}

interface RedirectedRequest {
  readonly url: URL;
  readonly outgoing: OutgoingMessage;
}

export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const {
    bodyMode = "whole",
    connectTimeoutMs = 10_000,
    followsOtherOrigins = false,
    idleTimeoutMs = 30_000,
    maxRedirects = 3,
    resolve = resolveHostName,
  } = options;
  const exchange = createExchange({
    allow: options.allow,
    resolve,
    connectTimeoutMs,
    responseTimeoutMs: idleTimeoutMs,
    trustedCertificates: options.trustedCertificates,
  });

  async function respond(incoming: IncomingMessage, call: FetchCall): Promise<Response> {
    const { label } = call.subject;
    const limits = {
      label,
      maxBytes: call.maxBytes,
      onWait: () => call.timer.start(idleTimeoutMs, (time) => `${label} sent nothing for ${time}.`),
      onPart: () => call.timer.stop(),
      translate: call.translate,
    };
    if (bodyMode === "none") {
      await discardBody(readParts(incoming, limits));
      return toResponse(incoming, null, call);
    }
    if (!hasBody(incoming)) {
      incoming.resume();
      return toResponse(incoming, null, call);
    }
    if (bodyMode === "streamed") {
      return toResponse(incoming, ReadableStream.from(readParts(incoming, limits)), call);
    }
    const parts = await Array.fromAsync(decodeParts(incoming, limits));
    return toResponse(incoming, Buffer.concat(parts), call);
  }

  async function followRedirects(start: URL, call: FetchCall): Promise<Response> {
    const { signal, timer, subject, outgoing } = call;
    const control = { signal, timer, label: subject.label };
    let request: RedirectedRequest = { url: start, outgoing };
    for (let redirects = 0; ; redirects++) {
      const refusal = options.findRefusal?.(request.url);
      if (refusal !== undefined) throw new OctavoError("forbidden", refusal);
      const incoming = await exchange(request.url, request.outgoing, control);
      const nextRequest =
        redirects < maxRedirects
          ? followRedirect(request, incoming, followsOtherOrigins)
          : undefined;
      if (!nextRequest) return await respond(incoming, call);
      incoming.destroy();
      request = nextRequest;
    }
  }

  return async (address, init = {}) => {
    const url = parseUrl(address);
    const call = createCall(url, init, options);
    try {
      return await followRedirects(url, call);
    } catch (error) {
      throw call.translate(error);
    }
  };
}

function createCall(url: URL, init: OutgoingRequest, options: GuardedFetchOptions): FetchCall {
  const {
    bodyMode = "whole",
    timeoutMs,
    subject = { label: url.host, source: "the address" },
  } = options;
  const timeout = timeoutMs === undefined ? undefined : createTimeoutSignal(timeoutMs);
  const timer = new PhaseTimer();
  return {
    outgoing: {
      method: init.method ?? "GET",
      headers: {
        ...removeHeader(init.headers ?? {}, "accept-encoding"),
        "accept-encoding": bodyMode === "whole" ? supportedEncodings : "identity",
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
        return new OctavoError("unavailable", `${subject.label} did not respond in time.`);
      }
      return describeFetchFailure(timer.signal.aborted ? timer.signal.reason : error, subject);
    },
  };
}

function parseUrl(address: string | URL): URL {
  const url = URL.parse(String(address));
  if (url) return url;
  throw createInputError("Only http and https addresses are supported.");
}

/**
 * Reads and discards a body, so that the connection can be reused. If a body does not end, the connection is closed.
 */
async function discardBody(parts: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    for await (const _ of parts);
  } catch {
    // Only the head is needed, and it has already arrived.
  }
}

function hasBody({ statusCode }: IncomingMessage): boolean {
  return statusCode !== 204 && statusCode !== 205 && statusCode !== 304;
}

function toResponse(
  incoming: IncomingMessage,
  body: Buffer<ArrayBuffer> | ReadableStream<Uint8Array> | null,
  { subject }: FetchCall,
): Response {
  const headers = new Headers();
  for (let index = 0; index + 1 < incoming.rawHeaders.length; index += 2) {
    headers.append(incoming.rawHeaders[index] ?? "", incoming.rawHeaders[index + 1] ?? "");
  }
  const status = incoming.statusCode ?? 0;
  if (status >= 200 && status <= 599) return new Response(body, { status, headers });
  incoming.destroy();
  throw new OctavoError(
    "unavailable",
    `${subject.label} responded with ${status}, which is not a valid HTTP status.`,
  );
}

function removeHeader(
  headers: Readonly<Record<string, string>>,
  name: string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([key]) => key.toLowerCase() !== name));
}

/**
 * Describes the failure of a request for people. Node's own errors are not used as causes, because the error for a
 * malformed response contains the data that the server sent.
 */
function describeFetchFailure(error: unknown, { label, source }: RequestSubject): OctavoError {
  if (isOctavoError(error)) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : undefined;
  if (code === undefined) {
    return new OctavoError("internal", `The request to ${label} could not be sent.`, {
      cause: error,
    });
  }
  if (/CERT|SELF_SIGNED|UNABLE_TO_/.test(code)) {
    return createInputError(
      `The certificate of ${label} is not trusted (${code}). NODE_EXTRA_CA_CERTS can name a file with additional authorities.`,
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

/** Returns the error of a request that the caller's signal aborted: its reason, or `cancelled` if it has no reason. */
function describeAbort(signal: AbortSignal, { label }: RequestSubject): unknown {
  const reason: unknown = signal.reason;
  const isGenericAbort = reason instanceof DOMException && reason.name === "AbortError";
  return isGenericAbort
    ? new OctavoError("cancelled", `Cancelled while waiting for ${label}.`)
    : reason;
}

/**
 * Returns the request to which a response redirects. Returns undefined if the response does not redirect, if clients
 * must not follow it, or if it leads to a different origin, unless `followsOtherOrigins` is set and the request is
 * read-only.
 */
function followRedirect(
  { url, outgoing }: RedirectedRequest,
  { statusCode: status, headers }: IncomingMessage,
  followsOtherOrigins: boolean,
): RedirectedRequest | undefined {
  const isRead = /^(?:GET|HEAD)$/i.test(outgoing.method);
  const isMethodKept = status === 307 || status === 308;
  if (!isMethodKept && !(isRead && (status === 301 || status === 302))) return undefined;
  const target = URL.parse(headers.location ?? "", url.href);
  if (!target) return undefined;
  if (target.origin === url.origin) return { url: target, outgoing };
  if (!followsOtherOrigins || !isRead) return undefined;
  return { url: target, outgoing: removeSecretHeaders(outgoing) };
}

/** Keeps only the headers that a different host may receive. All other headers may be meant only for the first host. */
function removeSecretHeaders({ method, headers }: OutgoingMessage): OutgoingMessage {
  const forwardedNames = ["accept", "accept-encoding", "user-agent"];
  const forwardedHeaders = Object.entries(headers).filter(([name]) =>
    forwardedNames.includes(name.toLowerCase()),
  );
  return { method, headers: Object.fromEntries(forwardedHeaders), body: undefined };
}

/** The encodings that `decodeParts` supports, for `accept-encoding`. */
const supportedEncodings = "gzip, br";

interface BodyLimits {
  /** The server's name in messages. */
  readonly label: string;
  readonly maxBytes: number;
  /** Called before waiting for a part, and when the part has arrived. */
  readonly onWait: () => void;
  readonly onPart: () => void;
  /** Converts an error into the error for the reader. */
  readonly translate: (error: unknown) => unknown;
}

/**
 * Yields the parts of a response as they arrive. Throws `too_large` if the response exceeds the limit. If the reader
 * stops early, the connection is closed. No time limit applies until the reader requests the next part.
 */
async function* readParts(
  incoming: IncomingMessage,
  limits: BodyLimits,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  limits.onWait();
  try {
    for await (const part of incoming as AsyncIterable<Buffer>) {
      limits.onPart();
      bytes += part.length;
      if (bytes > limits.maxBytes) throw createTooLargeError(limits);
      yield part;
      limits.onWait();
    }
  } catch (error) {
    throw limits.translate(error);
  } finally {
    limits.onPart();
  }
}

/**
 * Yields the decompressed parts of a response that may be compressed. The limit applies to both forms, so that a small
 * response cannot expand beyond it. Throws `unavailable` for an encoding that was not requested.
 */
async function* decodeParts(
  incoming: IncomingMessage,
  limits: BodyLimits,
): AsyncGenerator<Uint8Array> {
  const encoding = (incoming.headers["content-encoding"] ?? "identity").trim().toLowerCase();
  const parts = readParts(incoming, limits);
  if (encoding === "identity" || encoding === "") {
    yield* parts;
    return;
  }
  const decoder = createDecoder(encoding);
  if (!decoder) {
    incoming.destroy();
    throw new OctavoError(
      "unavailable",
      `${limits.label} sent its response in an encoding that was not requested (${JSON.stringify(encoding.slice(0, 50))}).`,
    );
  }
  // The loop below reports every failure.
  pipeline(Readable.from(parts), decoder, () => undefined);
  let bytes = 0;
  for await (const part of decoder as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > limits.maxBytes) throw createTooLargeError(limits);
    yield part;
  }
}

function createDecoder(encoding: string) {
  if (encoding === "gzip" || encoding === "x-gzip") return createGunzip();
  return encoding === "br" ? createBrotliDecompress() : undefined;
}

function createTooLargeError({ label, maxBytes }: BodyLimits): OctavoError {
  return new OctavoError(
    "too_large",
    `${label} sent more than ${maxBytes.toLocaleString("en")} bytes in one response, so the rest was not read.`,
  );
}
