import { once } from "node:events";
import { PassThrough } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Quotas } from "../core/index.ts";
import type { Caller, Keys } from "../projects/index.ts";
import { createKeyLimit } from "./key-limit.ts";

/**
 * The interval at which the keys of open streams are checked, so that the streams of a revoked key close within a
 * second.
 */
const checkIntervalMs = 500;

type StreamCaller = Pick<Caller, "keyId" | "plan">;

/** The event streams that are open in this process. One database query checks the keys of all streams. */
export interface OpenStreams {
  /**
   * Adds a stream. `signal` aborts when the key is revoked or the service stops. Call `close` when the stream has
   * ended. Throws `rate_limited` if the key has as many open streams as its plan allows.
   */
  add(caller: StreamCaller): { readonly signal: AbortSignal; readonly close: () => void };
  /** Ends all open streams and immediately ends every stream that is added later. */
  closeAll(): void;
}

interface OpenStreamsOptions {
  readonly keys: Pick<Keys, "findValid">;
  readonly quotas: Quotas;
  readonly onError: (error: unknown) => void;
}

export function createOpenStreams({ keys, quotas, onError }: OpenStreamsOptions): OpenStreams {
  const keyIdsByStream = new Map<AbortController, string>();
  const limit = createKeyLimit("event streams", (plan) => quotas[plan].eventStreams);
  let timer: NodeJS.Timeout | undefined;
  let isClosing = false;

  async function closeRevokedStreams(): Promise<void> {
    // Streams that open during the query are checked the next time.
    const checkedStreams = [...keyIdsByStream];
    const validKeyIds = await keys.findValid([...new Set(keyIdsByStream.values())]);
    for (const [controller, keyId] of checkedStreams)
      if (!validKeyIds.has(keyId)) controller.abort();
  }

  function scheduleCheck(): void {
    if (timer !== undefined || keyIdsByStream.size === 0) return;
    timer = setTimeout(() => {
      closeRevokedStreams()
        .catch(onError)
        .finally(() => {
          timer = undefined;
          scheduleCheck();
        });
    }, checkIntervalMs);
  }

  return {
    add(caller) {
      const { keyId } = caller;
      const release = limit.enter(caller);
      const controller = new AbortController();
      // A request that was in progress when the service began to stop can still open a stream.
      if (isClosing) controller.abort();
      keyIdsByStream.set(controller, keyId);
      scheduleCheck();
      const close = () => {
        if (keyIdsByStream.delete(controller)) release();
        controller.abort();
      };
      return { signal: controller.signal, close };
    },
    closeAll() {
      isClosing = true;
      for (const controller of keyIdsByStream.keys()) controller.abort();
    },
  };
}

/** A server-sent event. `data` is sent as JSON. */
export interface ServerEvent {
  readonly id: number;
  readonly event: string;
  readonly data: unknown;
}

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly streams: OpenStreams;
}

/** The interval at which a comment is sent so that proxies do not close an idle stream; documented as at most 15 s. */
const heartbeatIntervalMs = 10_000;

/**
 * Sends server-sent events until the iterable that `openEvents` returns ends, the client disconnects, the key is
 * revoked or the service stops. The iterable must end when its signal aborts. `after` is the ID of the last event that
 * the client received.
 */
export function sendEvents(
  { request, reply, streams }: Exchange,
  openEvents: (options: {
    signal: AbortSignal;
    after: number | undefined;
  }) => AsyncIterable<ServerEvent>,
): void {
  const { signal, close } = streams.add(request.caller);
  const stream = new PassThrough();
  // Also runs when the client disconnects, because Fastify then destroys the stream.
  stream.once("close", close);
  const after = parseLastEventId(request.headers["last-event-id"]);
  writeEvents(stream, openEvents({ signal, after }), signal).catch((error: unknown) => {
    if (!signal.aborted) request.log.error({ err: error }, "An event stream failed");
    stream.destroy();
  });
  void reply
    .headers({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache, no-transform",
      // Without this header, nginx would buffer the events.
      "x-accel-buffering": "no",
    })
    .send(stream);
}

async function writeEvents(
  stream: PassThrough,
  events: AsyncIterable<ServerEvent>,
  signal: AbortSignal,
): Promise<void> {
  const heartbeat = setInterval(() => {
    if (!stream.writableNeedDrain) stream.write(": still here\n\n");
  }, heartbeatIntervalMs);
  try {
    stream.write(": the state of the job after each change\n\n");
    for await (const { id, event, data } of events) {
      if (signal.aborted) break;
      const text = `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
      if (!stream.write(text)) await once(stream, "drain", { signal });
    }
  } finally {
    clearInterval(heartbeat);
  }
  stream.end();
}

/** Returns undefined if the header is missing or is not an event ID of the service. */
function parseLastEventId(header: string | string[] | undefined): number | undefined {
  return typeof header === "string" && /^\d{1,15}$/.test(header) ? Number(header) : undefined;
}
