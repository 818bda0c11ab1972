import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";

/** How long a request may take, in milliseconds. */
export interface RequestTimes {
  /** To arrive whole: a slow one cannot hold a connection for ever. */
  readonly requestMs: number;
  /** To arrive whole where it is a transfer of git's. */
  readonly transferMs: number;
  /** Without a byte in either direction, during such a transfer; git sends one every five seconds. */
  readonly idleMs: number;
  /** To arrive whole once the service stops: a silent one cannot keep it from that. */
  readonly stopMs: number;
}

export const requestTimes: RequestTimes = {
  requestMs: 120_000,
  transferMs: 60 * 60_000,
  idleMs: 120_000,
  stopMs: 5_000,
};

/**
 * Bounds how long bodies take to arrive, by route: Node's own bound is one for the whole server, and is
 * that of transfers. Headers have Node's bound, which is a minute.
 */
export interface RequestClock {
  /** An `onRequest` hook. */
  readonly start: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
  /** Gives a request of somebody who is known the time of a transfer. */
  readonly allowTransfer: (request: FastifyRequest) => void;
  /** The service stops: what has not arrived has `stopMs` for it, but for transfers. */
  readonly hurry: () => void;
}

/** `giveUp` answers on a connection whose request did not arrive. */
export function createRequestClock(
  { requestMs, idleMs, stopMs }: RequestTimes,
  giveUp: (error: NodeJS.ErrnoException, socket: Duplex) => void,
): RequestClock {
  const coming = new Map<IncomingMessage, { readonly end: () => void; timer: NodeJS.Timeout }>();
  function forget(raw: IncomingMessage): void {
    clearTimeout(coming.get(raw)?.timer);
    coming.delete(raw);
  }
  return {
    async start({ raw }, reply) {
      if (!hasBody(raw)) return;
      const end = () => {
        // What was answered without its body was answered: there is nothing more to say.
        if (reply.raw.writableFinished) raw.socket.destroy();
        else giveUp(tooSlow(), raw.socket);
      };
      coming.set(raw, { end, timer: setTimeout(end, requestMs).unref() });
      raw.once("close", () => forget(raw));
    },
    allowTransfer({ raw }) {
      forget(raw);
      // Node ends a connection for it, and forgets it when the answer is sent.
      raw.socket.setTimeout(idleMs);
    },
    hurry() {
      for (const request of coming.values()) {
        clearTimeout(request.timer);
        request.timer = setTimeout(request.end, stopMs).unref();
      }
    },
  };
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** As Node's own. */
function tooSlow(): NodeJS.ErrnoException {
  return Object.assign(new Error("Request timeout"), { code: "ERR_HTTP_REQUEST_TIMEOUT" });
}
