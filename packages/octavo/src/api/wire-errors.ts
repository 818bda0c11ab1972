import { randomUUID } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

// See `net/exchange.ts` for why it is not imported.
const { STATUS_CODES } = process.getBuiltinModule("node:http");
const lingerMs = 2_000;

/**
 * Responds to input that never becomes a request: garbage, endless headers, a proxy's CONNECT. Node would respond
 * without a body; all errors of the service have the same body.
 */
function writeErrorResponse(
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
  // Gives the peer time to read the response; one that keeps sending is disconnected.
  setTimeout(() => socket.destroy(), lingerMs).unref();
}

function errorFor(code: string | undefined): { status: number; error: string } {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return { status: 431, error: "The request's headers are larger than 16 KB in total." };
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return { status: 413, error: "The body's chunk extensions are too large." };
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return { status: 408, error: "The request took too long to arrive." };
    default:
      return { status: 400, error: "The request is not valid HTTP." };
  }
}

/** Handles the errors that Fastify leaves to Node; one instance per server. */
export interface WireErrors {
  /** Fastify's `clientErrorHandler`: the parser failed on a connection. */
  readonly answerClientError: (error: NodeJS.ErrnoException, socket: Duplex) => void;
  readonly listenOn: (server: Server) => void;
}

export function createWireErrors(): WireErrors {
  const responses = new WeakMap<Duplex, ServerResponse>();

  function isAnswering(socket: Duplex): boolean {
    const response = responses.get(socket);
    return response !== undefined && response.headersSent && !response.writableFinished;
  }

  return {
    answerClientError(error, socket) {
      // After a reset, nobody reads. During a response, more bytes would be read as its body.
      if (error.code === "ECONNRESET" || isAnswering(socket)) {
        socket.destroy();
        return;
      }
      writeErrorResponse(socket, errorFor(error.code));
    },
    listenOn(server) {
      server.on("request", (request, response) => responses.set(request.socket, response));
      server.on("checkExpectation", (request: IncomingMessage) => {
        const error = "The Expect header must be 100-continue.";
        writeErrorResponse(request.socket, { status: 417, error });
      });
      server.on("connect", (_request: IncomingMessage, socket: Duplex) => {
        const error = "Octavo is not a proxy: CONNECT is not supported.";
        writeErrorResponse(socket, { status: 400, error });
      });
    },
  };
}
