import { randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

/**
 * Answers to what never becomes a request: garbage, headers without end, a proxy's CONNECT. Node
 * would answer each without a body; every error of the service has the same one.
 */
export function answerOnTheWire(
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
}

/** Fastify's `clientErrorHandler`: the parser gave up on a connection. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  // Reset by the peer: nobody listens. Within an answer: more bytes would be read as its body.
  if (error.code === "ECONNRESET" || isAnswering(socket)) {
    socket.destroy();
    return;
  }
  answerOnTheWire(socket, sentenceFor(error.code));
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

const answers = new WeakMap<object, ServerResponse>();

function isAnswering(socket: Duplex): boolean {
  const response = answers.get(socket);
  return response !== undefined && response.headersSent && !response.writableFinished;
}

/** Listens for what Fastify leaves to Node's own answers. */
export function coverWireErrors(server: Server): void {
  server.on("request", (request, response) => answers.set(request.socket, response));
  server.on("checkExpectation", (_request: IncomingMessage, response: ServerResponse) => {
    const error = "The Expect header asks for something else than 100-continue.";
    response.writeHead(417, {
      "content-type": "application/json; charset=utf-8",
      "x-request-id": randomUUID(),
      "cache-control": "no-store",
    });
    response.end(JSON.stringify({ error }));
  });
  server.on("connect", (_request: IncomingMessage, socket: Duplex) => {
    answerOnTheWire(socket, { status: 400, error: "Octavo is no proxy: CONNECT is not served." });
  });
}
