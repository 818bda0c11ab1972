import type { Server } from "node:http";
import type { Socket } from "node:net";

/** How often connections are looked at while the service stops. */
const checkMs = 50;

interface OpenConnection {
  /** Requests whose responses are not yet written. */
  requests: number;
  /** The bytes read when the last response was written; with more than these a new request has begun. */
  bytesRead: number;
  /** What was written when a response last moved on, and when that was. */
  written: string;
  movedAt: number;
}

/**
 * Follows the connections of a server, and returns what is to be called when it stops: requests that are in progress
 * are completed, and connections without one are closed. A connection on which half of a request's headers came, or
 * whose client does not read the response on, has `stopMs`.
 *
 * `server.close()` alone waits without end for those two and for a connection on which nothing was sent, as browsers
 * open them ahead of need; and it cuts off a response that the handler has ended and the client has yet to read
 * (https://nodejs.org/docs/latest-v24.x/api/http.html#servercloseidleconnections).
 */
export function followConnections(server: Server, stopMs: number): () => void {
  const open = new Map<Socket, OpenConnection>();
  server.on("connection", (socket: Socket) => {
    open.set(socket, { requests: 0, bytesRead: 0, written: "", movedAt: 0 });
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
    const stoppedAt = performance.now();
    const timer = setInterval(() => {
      const now = performance.now();
      for (const [socket, connection] of open) {
        const since = connection.requests > 0 ? lastMove(socket, connection, now) : stoppedAt;
        const isIdle = connection.requests === 0 && socket.bytesRead === connection.bytesRead;
        if (isIdle || now - since >= stopMs) socket.destroy();
      }
    }, checkMs);
    server.once("close", () => clearInterval(timer));
  };
}

/** When the client last took something of the response; now, where nothing waits for it. */
function lastMove(socket: Socket, connection: OpenConnection, now: number): number {
  const written = `${socket.bytesWritten} ${socket.writableLength}`;
  if (socket.writableLength === 0 || written !== connection.written) {
    Object.assign(connection, { written, movedAt: now });
  }
  return connection.movedAt;
}
