import { randomUUID } from "node:crypto";
import { createWriteStream, openAsBlob } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as wait } from "node:timers/promises";
import { EventSourceParserStream } from "eventsource-parser/stream";
import { OctavoError } from "@octavo/site/core";
import type { ErrorCode } from "@octavo/site/core";
import { parseRetryAfter } from "../core/index.ts";
import type { Login } from "./logins.ts";

/** An event of a job's stream. */
export interface ServiceEvent {
  readonly type: string;
  readonly data: unknown;
}

/**
 * A running service. Every method throws the service's errors with their messages and codes, and `unavailable` if the
 * service cannot be reached. Calls are retried when this is safe. A call that creates a resource has an idempotency
 * key, so that it can also be retried.
 */
export interface Client {
  readonly url: string;
  /** Returns the response's parsed JSON or its text, or undefined if the response has no body. */
  call(method: string, path: string, body?: unknown): Promise<unknown>;
  /**
   * Yields the events of a stream until the service ends the stream. After a lost connection, continues from the same
   * position.
   */
  events(path: string): AsyncGenerator<ServiceEvent>;
  /** Sends a file as the body of a POST and returns the response's parsed JSON. */
  upload(path: string, file: string, type: string): Promise<unknown>;
  /** Downloads the target of a signed link to a file. Returns the size in bytes. */
  download(link: string, file: string): Promise<number>;
}

interface ServiceClientOptions extends Login {
  readonly signal: AbortSignal;
}

type Request = Omit<RequestInit, "headers"> & {
  readonly headers: Readonly<Record<string, string>>;
};

const maxAttempts = 4;
const maxWaitMs = 30_000;
const retryDelayMs = 1_000;

export function createClient({ url, key, signal }: ServiceClientOptions): Client {
  async function request(path: string, init: Request): Promise<Response> {
    const headers = { authorization: `Bearer ${key}`, ...init.headers };
    return await fetchFrom(url, `${url}${path}`, { ...init, headers, signal });
  }

  async function requestWithRetries(path: string, init: Request): Promise<Response> {
    for (let attempt = 1; ; attempt += 1) {
      const result = await request(path, init).catch((error: unknown) => error);
      const waitMs = getRetryDelayMs(result, attempt);
      if (waitMs === undefined) {
        if (result instanceof Response) return result;
        throw result;
      }
      await wait(waitMs, undefined, { signal });
    }
  }

  return {
    url,
    async call(method, path, body) {
      const response = await requestWithRetries(path, {
        method,
        headers: {
          ...(method === "POST" && { "idempotency-key": randomUUID() }),
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return await readBody(response);
    },
    async *events(path) {
      let lastId: string | undefined;
      for (;;) {
        const response = await requestWithRetries(path, {
          headers: { ...(lastId !== undefined && { "last-event-id": lastId }) },
        });
        try {
          for await (const { id, event, data } of readEvents(response)) {
            lastId = id ?? lastId;
            yield { type: event ?? "message", data: JSON.parse(data) };
          }
          return;
        } catch (error) {
          signal.throwIfAborted();
          if (!(error instanceof TypeError)) throw error;
          await wait(retryDelayMs, undefined, { signal });
        }
      }
    },
    async upload(path, file, type) {
      const response = await requestWithRetries(path, {
        method: "POST",
        headers: { "idempotency-key": randomUUID(), "content-type": type },
        // A blob can be read again for each attempt and has a known size.
        body: await openAsBlob(file),
      });
      return await readBody(response);
    },
    async download(link, file) {
      const response = await fetchFrom(url, link, { signal });
      await throwIfFailed(response);
      const target = createWriteStream(file, { flags: "wx" });
      await pipeline(Readable.fromWeb(response.body ?? new ReadableStream()), target);
      return target.bytesWritten;
    },
  };
}

async function fetchFrom(service: string, address: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address, init);
  } catch (cause) {
    init.signal?.throwIfAborted();
    throw new OctavoError("unavailable", `${service} cannot be reached: ${getReason(cause)}.`, {
      cause,
    });
  }
}

/** Returns the reason from an error's cause, because the message of `fetch` says only that it failed. */
function getReason(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const { code, message } = (cause ?? error) as NodeJS.ErrnoException;
  return code === "ECONNREFUSED" ? "nothing is listening at this address" : message || String(code);
}

/** Returns the delay before a retry, or undefined if the response is final or no attempts are left. */
function getRetryDelayMs(result: unknown, attempt: number): number | undefined {
  if (attempt >= maxAttempts) return undefined;
  if (!(result instanceof Response)) {
    const isUnreachable = result instanceof OctavoError && result.code === "unavailable";
    return isUnreachable ? retryDelayMs * attempt : undefined;
  }
  if (result.status !== 503) return undefined;
  const requestedMs = parseRetryAfter(result.headers.get("retry-after"), Date.now());
  return Math.min(requestedMs ?? retryDelayMs * attempt, maxWaitMs);
}

async function readBody(response: Response): Promise<unknown> {
  await throwIfFailed(response);
  const text = await response.text();
  if (text === "") return undefined;
  return isJson(response) ? (JSON.parse(text) as unknown) : text;
}

function isJson({ headers }: Response): boolean {
  return headers.get("content-type")?.startsWith("application/json") ?? false;
}

const errorCodes: Readonly<Record<number, ErrorCode>> = {
  400: "invalid_input",
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  409: "conflict",
  410: "gone",
  413: "too_large",
  422: "key_reused",
  429: "rate_limited",
};

async function throwIfFailed(response: Response): Promise<void> {
  if (response.ok) return;
  const text = await response.text();
  const serviceMessage = isJson(response)
    ? (JSON.parse(text) as { readonly error?: string }).error
    : undefined;
  const message =
    serviceMessage ?? `${response.url} responded with ${response.status} ${response.statusText}.`;
  throw new OctavoError(errorCodes[response.status] ?? "unavailable", message);
}

async function* readEvents(response: Response) {
  await throwIfFailed(response);
  if (response.body === null) return;
  yield* response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream());
}
