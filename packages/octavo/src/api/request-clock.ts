import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";

/** The time limits of a request, in milliseconds. */
export interface RequestTimeLimits {
  /** The limit for the request's headers to arrive, counted from when the connection was opened or last used. */
  readonly headersTimeoutMs: number;
  /** The limit for the whole request to arrive, so that a slow request cannot occupy a connection forever. */
  readonly requestTimeoutMs: number;
  /** The limit for the whole request to arrive if it is a transfer, i.e. a git request or an upload. */
  readonly transferTimeoutMs: number;
  /** The maximum time without a byte in either direction during a transfer. Git sends a byte every five seconds. */
  readonly idleTimeoutMs: number;
  /**
   * The time that a request has left to arrive once the service is stopping, so that a stalled request cannot delay the
   * shutdown any longer.
   */
  readonly stopTimeoutMs: number;
}

export const defaultTimeLimits: RequestTimeLimits = {
  headersTimeoutMs: 30_000,
  requestTimeoutMs: 120_000,
  transferTimeoutMs: 60 * 60_000,
  idleTimeoutMs: 120_000,
  stopTimeoutMs: 5_000,
};

/**
 * Time limits for bodies to arrive, depending on the route. Node's own limit applies to the whole server, so it is set
 * to the limit for transfers. Node enforces the limit for headers (`headersTimeoutMs`).
 */
export interface RequestTimeouts {
  /** Starts the time limit of a request with a body. Runs as an `onRequest` hook. */
  readonly start: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
  /** Gives an authenticated request the time limits of a transfer. */
  readonly allowTransfer: (request: FastifyRequest) => void;
  /** Starts the shutdown. Incomplete requests, except transfers, then have `stopTimeoutMs` left. */
  readonly startShutdown: () => void;
}

/** Creates the timeouts. `onTimeout` responds when a request has not arrived in time. */
export function createRequestTimeouts(
  { requestTimeoutMs, idleTimeoutMs, stopTimeoutMs }: RequestTimeLimits,
  onTimeout: (error: NodeJS.ErrnoException, socket: Duplex) => void,
): RequestTimeouts {
  const arrivingRequests = new Map<
    IncomingMessage,
    { readonly onTimeLimit: () => void; timer: NodeJS.Timeout }
  >();
  function forget(raw: IncomingMessage): void {
    clearTimeout(arrivingRequests.get(raw)?.timer);
    arrivingRequests.delete(raw);
  }
  return {
    async start({ raw }, reply) {
      if (!hasBody(raw)) return;
      const endRequest = () => {
        // The response was sent without reading the request's body, so only the connection remains to be closed.
        if (reply.raw.writableFinished) raw.socket.destroy();
        else onTimeout(createTimeoutError(), raw.socket);
      };
      arrivingRequests.set(raw, {
        onTimeLimit: endRequest,
        timer: setTimeout(endRequest, requestTimeoutMs).unref(),
      });
      raw.once("close", () => forget(raw));
    },
    allowTransfer({ raw }) {
      forget(raw);
      // Node closes the connection on this timeout, and clears the timeout when the response is sent.
      raw.socket.setTimeout(idleTimeoutMs);
    },
    startShutdown() {
      for (const request of arrivingRequests.values()) {
        clearTimeout(request.timer);
        request.timer = setTimeout(request.onTimeLimit, stopTimeoutMs).unref();
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
