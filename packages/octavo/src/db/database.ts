import type { Kysely } from "kysely";
import type { PrepareStatement } from "./prepared-statement.ts";
import type { Tables } from "./tables.ts";

/** Where the database says what an operator may want to know, e.g. a connection that broke. */
export interface DatabaseLog {
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
}

/** The shape in which the queue's library takes a connection. */
export interface QueueConnection {
  /** One statement with values, or several without; the rows of several follow each other. */
  executeSql(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
  /** Calls `onReconnect` once at the start, and whenever notifications may have been missed. */
  listen(
    channel: string,
    onPayload: (payload: string) => void,
    onReconnect: () => void,
  ): Promise<{ close(): Promise<void> }>;
}

/**
 * The service's one database, PostgreSQL or embedded, with its tables up to date.
 *
 * The embedded one has a single connection: an open transaction stalls every reader, so nothing but
 * its own statements may be awaited inside one, on either engine. What it acknowledged outlives the
 * process, however that ends; it does not wait for the disk, so a loss of power can cost the last
 * moments. PostgreSQL waits for the disk.
 */
export interface Database extends AsyncDisposable {
  readonly kysely: Kysely<Tables>;
  readonly engine: "postgres" | "pglite";
  /** Of statements of `kysely` that run outside of transactions. Each is prepared once, at the start: they are kept. */
  readonly prepare: PrepareStatement;
  /** The connection that the queue runs on; shares the engine with `kysely`. */
  readonly queue: QueueConnection;
  /** Notifies in the transaction of `handle`: sent with its commit, or not at all. Payloads below 8,000 bytes. */
  notify(handle: Kysely<Tables>, channel: string, payload: string): Promise<void>;
  /**
   * Calls `onPayload` for each notification from the moment this resolves, until disposed. A broken
   * connection comes back by itself; then `onGap` says that some may have been missed.
   */
  listen(
    channel: string,
    onPayload: (payload: string) => void,
    onGap?: () => void,
  ): Promise<AsyncDisposable>;
  /** Throws `unavailable` where the database does not answer within five seconds. */
  ping(): Promise<void>;
}

export interface DatabaseOptions {
  /** A PostgreSQL URL; without it the embedded database in `dataDir` is opened. */
  readonly url?: string | undefined;
  /** The service's data folder; made where absent. */
  readonly dataDir: string;
  readonly log?: DatabaseLog;
  /**
   * Called when the embedded database's own thread has begun to open it, which leaves this thread nothing
   * to do for 0.3 s; not called where a server is connected. Must not throw.
   */
  readonly whileOpening?: () => void;
}
