import type { Server } from "node:http";
import type { Socket } from "node:net";

export interface ConnectionLimits {
  /** The maximum number of concurrent connections from all addresses. */
  readonly maxConnections: number;
  /**
   * The maximum number of concurrent connections from one address. A browser opens six; a machine that waits for many
   * jobs opens a few hundred.
   */
  readonly maxConnectionsPerAddress: number;
}

const connectionLimits: ConnectionLimits = {
  maxConnections: 10_000,
  maxConnectionsPerAddress: 1_000,
};

/**
 * Closes new connections that exceed the limits; existing connections stay open. Behind a proxy, all connections come
 * from the proxy's address, so the proxy must limit the connections of each client.
 */
export function limitConnections(
  server: Server,
  { maxConnections, maxConnectionsPerAddress }: ConnectionLimits = connectionLimits,
  { isBehindProxy }: { readonly isBehindProxy: boolean },
): void {
  server.maxConnections = maxConnections;
  if (isBehindProxy) return;
  const countsByAddress = new Map<string, number>();
  server.on("connection", (socket: Socket) => {
    const address = socket.remoteAddress ?? "";
    const count = countsByAddress.get(address) ?? 0;
    if (count >= maxConnectionsPerAddress) {
      socket.destroy();
      return;
    }
    countsByAddress.set(address, count + 1);
    socket.once("close", () => {
      const remaining = (countsByAddress.get(address) ?? 1) - 1;
      if (remaining === 0) countsByAddress.delete(address);
      else countsByAddress.set(address, remaining);
    });
  });
}
