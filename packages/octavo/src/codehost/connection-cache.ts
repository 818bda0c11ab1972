import { OctavoError, isOctavoError } from "@octavo/site/core";

/** The maximum number of connections in a cache. The least recently used connection is removed first. */
const maxConnections = 100;

/** The opened repositories of one code host, keyed by repository and login. */
export interface ConnectionCache<Connection> {
  /** Opens a connection if there is none. A failed attempt stays cached until `remove` is called. */
  open(key: string, open: () => Promise<Connection>): Promise<Connection>;
  remove(key: string): void;
}

export function createConnectionCache<Connection>(): ConnectionCache<Connection> {
  const cached = new Map<string, Promise<Connection>>();
  return {
    open(key, open) {
      const opened = cached.get(key) ?? open();
      // The map is ordered from least to most recently used.
      cached.delete(key);
      cached.set(key, opened);
      const [oldest] = cached.keys();
      if (cached.size > maxConnections && oldest !== undefined) cached.delete(oldest);
      return opened;
    },
    remove: (key) => void cached.delete(key),
  };
}

/** Throws `cancelled` as soon as the signal aborts, because work that several callers share ignores their signals. */
export async function runAbortable<T>(
  signal: AbortSignal | undefined,
  hostLabel: string,
  work: () => Promise<T>,
): Promise<T> {
  if (!signal) return await work();
  const { promise, reject } = Promise.withResolvers<never>();
  const cancelled = () => new OctavoError("cancelled", `Cancelled while waiting for ${hostLabel}.`);
  const onAbort = (): void => reject(cancelled());
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([promise, work()]);
  } catch (error) {
    if (signal.aborted && !isOctavoError(error)) throw cancelled();
    throw error;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
