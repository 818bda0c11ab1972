import type { Server } from "node:http";
import type { Socket } from "node:net";

/** Interval in which connections are checked while the service stops. */
const checkMs = 50;

interface OpenConnection {
  /** The number of requests whose responses are not yet written. */
  requests: number;
  /** The bytes read when the last response was written; more bytes mean that a new request has begun. */
  bytesRead: number;
  /** The bytes of the response that were written at the last check. */
  written: string;
  /** The number of consecutive checks without progress. */
  stalledChecks: number;
}

/**
 * Tracks the connections of a server and returns the function to call when it stops: requests in progress are
 * completed, and connections without one are closed. A connection that has received only part of a request's headers,
 * or whose client stops reading the response, has `stopMs`; this is counted in checks, so that a machine that blocks
 * this process does not shorten the time.
 *
 * `server.close()` alone waits forever for those two and for a connection on which nothing was sent, which browsers
 * open in advance. It also treats a response as sent as soon as the handler has ended it, and cuts it off if the client
 * has not read it yet.
 */
export function trackConnections(server: Server, stopMs: number): () => void {
  const open = new Map<Socket, OpenConnection>();
  server.on("connection", (socket: Socket) => {
    open.set(socket, { requests: 0, bytesRead: 0, written: "", stalledChecks: 0 });
    socket.once("close", () => open.delete(socket));
  });
  server.on("request", ({ socket }, response) => {
    const connection = open.get(socket);
    if (!connection) return;
    connection.requests++;
    response.once("close", () => {
      connection.requests--;
      connection.bytesRead = socket.bytesRead;
    });
  });
  // `server.close()` calls it.
  server.closeIdleConnections = () => undefined;

  return () => {
    const timer = setInterval(() => {
      for (const [socket, connection] of open) {
        const isIdle = connection.requests === 0 && socket.bytesRead === connection.bytesRead;
        connection.stalledChecks = hasMovedOn(socket, connection)
          ? 0
          : connection.stalledChecks + 1;
        if (isIdle || connection.stalledChecks * checkMs > stopMs) socket.destroy();
      }
    }, checkMs);
    server.once("close", () => clearInterval(timer));
  };
}

/**
 * Reports whether the handler is still responding, or the client has read part of the response since the last check.
 */
function hasMovedOn(socket: Socket, connection: OpenConnection): boolean {
  if (connection.requests === 0) return false;
  const before = connection.written;
  connection.written = `${socket.bytesWritten} ${socket.writableLength}`;
  return socket.writableLength === 0 || connection.written !== before;
}
