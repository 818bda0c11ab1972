import { randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

const lingerMs = 2_000;

/**
 * Answers to what never becomes a request: garbage, headers without end, a proxy's CONNECT. Node
 * would answer each without a body; every error of the service has the same one.
 */
function answerOnTheWire(
  socket: Duplex,
  { status, error }: { status: number; error: string },
): void {
  if (!socket.writable) return;
  const body = JSON.stringify({ error });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${randomUUID()}`,
    "X-Content-Type-Options: nosniff",
    "Cache-Control: no-store",
    "Connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
  // The answer is to be read; a peer that goes on sending does not keep the connection for that.
  setTimeout(() => socket.destroy(), lingerMs).unref();
}

function sentenceFor(code: string | undefined): { status: number; error: string } {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return { status: 431, error: "The request's headers are larger than 16 KB together." };
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return { status: 413, error: "The body's chunk extensions are too large." };
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return { status: 408, error: "The request took too long to arrive." };
    default:
      return { status: 400, error: "The request is not HTTP that can be read." };
  }
}

/** What covers the errors that Fastify leaves to Node; one for each server. */
export interface WireErrors {
  /** Fastify's `clientErrorHandler`: the parser gave up on a connection. */
  readonly answerClientError: (error: NodeJS.ErrnoException, socket: Duplex) => void;
  readonly listenOn: (server: Server) => void;
}

export function createWireErrors(): WireErrors {
  const answers = new WeakMap<Duplex, ServerResponse>();

  function isAnswering(socket: Duplex): boolean {
    const response = answers.get(socket);
    return response !== undefined && response.headersSent && !response.writableFinished;
  }

  return {
    answerClientError(error, socket) {
      // Reset by the peer: nobody listens. Within an answer: more bytes would be read as its body.
      if (error.code === "ECONNRESET" || isAnswering(socket)) {
        socket.destroy();
        return;
      }
      answerOnTheWire(socket, sentenceFor(error.code));
    },
    listenOn(server) {
      server.on("request", (request, response) => answers.set(request.socket, response));
      server.on("checkExpectation", (request: IncomingMessage) => {
        const error = "The Expect header asks for something else than 100-continue.";
        answerOnTheWire(request.socket, { status: 417, error });
      });
      server.on("connect", (_request: IncomingMessage, socket: Duplex) => {
        const error = "Octavo is no proxy: CONNECT is not served.";
        answerOnTheWire(socket, { status: 400, error });
      });
    },
  };
}
