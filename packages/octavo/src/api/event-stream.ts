import { once } from "node:events";
import { PassThrough } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { OpenStreams } from "./open-streams.ts";

/** One event of a stream. */
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

/** The interval of the comments that keep proxies from closing an idle stream. The API promises at most 15 s. */
const heartbeatMs = 10_000;

/**
 * Sends server-sent events until the iterable that `open` returns ends, the client disconnects, the key is revoked or
 * the service stops. The iterable must end when its signal aborts. `after` is the ID of the last event that the client
 * received.
 */
export function sendEvents(
  { request, reply, streams }: Exchange,
  open: (options: { signal: AbortSignal; after: number | undefined }) => AsyncIterable<ServerEvent>,
): void {
  const { signal, close } = streams.add(request.caller);
  const stream = new PassThrough();
  // Also runs when the client disconnects, because Fastify then destroys the stream.
  stream.once("close", close);
  const after = parseLastEventId(request.headers["last-event-id"]);
  pump(stream, open({ signal, after }), signal).catch((error: unknown) => {
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

async function pump(
  stream: PassThrough,
  events: AsyncIterable<ServerEvent>,
  signal: AbortSignal,
): Promise<void> {
  const heartbeat = setInterval(() => {
    if (!stream.writableNeedDrain) stream.write(": still here\n\n");
  }, heartbeatMs);
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
