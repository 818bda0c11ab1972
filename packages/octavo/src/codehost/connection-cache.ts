import { OctavoError, isOctavoError } from "@octavo/site/core";

/** The maximum number of connections in a cache. The least recently used connection is removed first. */
const maxConnections = 100;

/** The opened repositories of one code host, keyed by repository and login. */
export interface ConnectionCache<Connection> {
  /** Returns the cached connection, or opens one. A failed attempt stays cached until `remove` is called. */
  open(key: string, open: () => Promise<Connection>): Promise<Connection>;
  remove(key: string): void;
}

export function createConnectionCache<Connection>(): ConnectionCache<Connection> {
  const connections = new Map<string, Promise<Connection>>();
  return {
    open(key, open) {
      const connection = connections.get(key) ?? open();
      // The map is ordered from least to most recently used.
      connections.delete(key);
      connections.set(key, connection);
      const [oldest] = connections.keys();
      if (connections.size > maxConnections && oldest !== undefined) connections.delete(oldest);
      return connection;
    },
    remove: (key) => void connections.delete(key),
  };
}

/**
 * Runs `work` and throws `cancelled` as soon as the signal aborts. The work itself may continue, because several
 * callers can share it.
 */
export async function runAbortable<T>(
  signal: AbortSignal | undefined,
  hostLabel: string,
  work: () => Promise<T>,
): Promise<T> {
  if (!signal) return await work();
  const { promise, reject } = Promise.withResolvers<never>();
  const createCancelledError = () =>
    new OctavoError("cancelled", `Cancelled while waiting for ${hostLabel}.`);
  const onAbort = (): void => reject(createCancelledError());
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([promise, work()]);
  } catch (error) {
    if (signal.aborted && !isOctavoError(error)) throw createCancelledError();
    throw error;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
