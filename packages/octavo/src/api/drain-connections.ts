import type { Server } from "node:http";
import type { Socket } from "node:net";

/** How often connections are looked at while the service stops. */
const checkMs = 50;

interface OpenConnection {
  /** Requests whose responses are not yet written. */
  requests: number;
  /** The bytes read when the last response was written; with more than these a new request has begun. */
  bytesRead: number;
  /** What was written of a response when it was last looked at. */
  written: string;
  /** How often in a row it was looked at and had not moved on. */
  stalledChecks: number;
}

/**
 * Follows the connections of a server, and returns what is to be called when it stops: requests that are in progress
 * are completed, and connections without one are closed. A connection on which half of a request's headers came, or
 * whose client does not read the response on, has `stopMs`; that is counted in looks at it, so that a machine which
 * holds up this process shortens nobody's time.
 *
 * `server.close()` alone waits without end for those two and for a connection on which nothing was sent, as browsers
 * open them ahead of need; and it takes a response that the handler has ended for sent, and cuts it off where the
 * client has yet to read it.
 */
export function followConnections(server: Server, stopMs: number): () => void {
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

/** Whether the handler is at work on its response, or the client has taken something of it since the last look. */
function hasMovedOn(socket: Socket, connection: OpenConnection): boolean {
  if (connection.requests === 0) return false;
  const before = connection.written;
  connection.written = `${socket.bytesWritten} ${socket.writableLength}`;
  return socket.writableLength === 0 || connection.written !== before;
}
