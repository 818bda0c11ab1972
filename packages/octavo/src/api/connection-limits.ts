import type { Server } from "node:http";
import type { Socket } from "node:net";

export interface ConnectionLimits {
  /** At a time, from everybody. */
  readonly maxConnections: number;
  /** From one address: browsers use six, a machine that waits for many jobs some hundreds. */
  readonly maxPerAddress: number;
}

export const connectionLimits: ConnectionLimits = { maxConnections: 10_000, maxPerAddress: 1_000 };

/**
 * Closes connections beyond the limits when they come; those that are open stay. Behind a proxy all connections are
 * from its address, so there it has to limit those of single clients.
 */
export function limitConnections(
  server: Server,
  { maxConnections, maxPerAddress }: ConnectionLimits,
  { isBehindProxy }: { readonly isBehindProxy: boolean },
): void {
  server.maxConnections = maxConnections;
  if (isBehindProxy) return;
  const open = new Map<string, number>();
  server.on("connection", (socket: Socket) => {
    const address = socket.remoteAddress ?? "";
    const count = open.get(address) ?? 0;
    if (count >= maxPerAddress) {
      socket.destroy();
      return;
    }
    open.set(address, count + 1);
    socket.once("close", () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left === 0) open.delete(address);
      else open.set(address, left);
    });
  });
}
