import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";

/** The time limits of a request, in milliseconds. */
export interface RequestTimes {
  /** The limit for the request's headers to arrive, counted from when the connection was opened or last used. */
  readonly headersMs: number;
  /** The limit for the whole request to arrive, so that a slow request cannot occupy a connection forever. */
  readonly requestMs: number;
  /** The limit for the whole request to arrive if it is a git transfer. */
  readonly transferMs: number;
  /** The maximum time without a byte in either direction during a git transfer. Git sends a byte every five seconds. */
  readonly idleMs: number;
  /**
   * The limit for the whole request to arrive once the service is stopping, so that a stalled request does not delay
   * the shutdown any longer.
   */
  readonly stopMs: number;
}

export const requestTimes: RequestTimes = {
  headersMs: 30_000,
  requestMs: 120_000,
  transferMs: 60 * 60_000,
  idleMs: 120_000,
  stopMs: 5_000,
};

/**
 * Time limits for bodies to arrive, depending on the route. Node's own limit applies to the whole server, so it is set
 * to the limit for transfers. Node enforces the limit for headers (`headersMs`).
 */
export interface RequestTimeouts {
  /** An `onRequest` hook. */
  readonly start: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
  /** Gives an authenticated request the time limits of a transfer. */
  readonly allowTransfer: (request: FastifyRequest) => void;
  /** Starts the shutdown. Incomplete requests, except transfers, then have `stopMs` left. */
  readonly startShutdown: () => void;
}

/** Creates the timeouts. `onTimeout` responds on a connection whose request did not arrive in time. */
export function createRequestTimeouts(
  { requestMs, idleMs, stopMs }: RequestTimes,
  onTimeout: (error: NodeJS.ErrnoException, socket: Duplex) => void,
): RequestTimeouts {
  const arriving = new Map<IncomingMessage, { readonly end: () => void; timer: NodeJS.Timeout }>();
  function forget(raw: IncomingMessage): void {
    clearTimeout(arriving.get(raw)?.timer);
    arriving.delete(raw);
  }
  return {
    async start({ raw }, reply) {
      if (!hasBody(raw)) return;
      const end = () => {
        // The response was sent without reading the request's body, so only the connection remains to be closed.
        if (reply.raw.writableFinished) raw.socket.destroy();
        else onTimeout(createTimeoutError(), raw.socket);
      };
      arriving.set(raw, { end, timer: setTimeout(end, requestMs).unref() });
      raw.once("close", () => forget(raw));
    },
    allowTransfer({ raw }) {
      forget(raw);
      // Node closes the connection on this timeout, and clears the timeout when the response is sent.
      raw.socket.setTimeout(idleMs);
    },
    startShutdown() {
      for (const request of arriving.values()) {
        clearTimeout(request.timer);
        request.timer = setTimeout(request.end, stopMs).unref();
      }
    },
  };
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** Creates the same error as Node itself. */
function createTimeoutError(): NodeJS.ErrnoException {
  return Object.assign(new Error("Request timeout"), { code: "ERR_HTTP_REQUEST_TIMEOUT" });
}
