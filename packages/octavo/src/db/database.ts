import type { Kysely } from "kysely";
import type { PrepareStatement } from "./prepared-statement.ts";
import type { Tables } from "./tables.ts";

/** The log for operators, e.g. of a broken connection. */
export interface DatabaseLog {
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
}

/** A connection in the form that the queue's library requires. */
export interface QueueConnection {
  /** Runs one statement with values, or several without; the rows of several statements are concatenated. */
  executeSql(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
  /** Calls `onReconnect` once at the start, and whenever notifications may have been missed. */
  listen(
    channel: string,
    onPayload: (payload: string) => void,
    onReconnect: () => void,
  ): Promise<{ close(): Promise<void> }>;
}

interface DatabaseConnections {
  readonly inUse: number;
  readonly idle: number;
  /** Requests that are waiting for a connection. */
  readonly waiting: number;
  readonly max: number;
}

/**
 * The service's one database, PostgreSQL or embedded, with its tables up to date.
 *
 * The embedded one has a single connection: an open transaction blocks every reader, so on either engine a transaction
 * must await nothing but its own statements. Acknowledged writes are on disk and survive a loss of power. If the disk
 * fails, the embedded engine acknowledges nothing more: every call throws `unavailable`.
 */
export interface Database extends AsyncDisposable {
  readonly kysely: Kysely<Tables>;
  readonly engine: "postgres" | "pglite";
  /**
   * Prepares statements of `kysely` that run outside transactions. Prepare each once, at the start: they are never
   * freed.
   */
  readonly prepare: PrepareStatement;
  /** The connection that the queue runs on; shares the engine with `kysely`. */
  readonly queue: QueueConnection;
  /**
   * Sends a notification within the transaction of `handle`: with its commit, or not at all. Payloads must be below
   * 8,000 bytes.
   */
  notify(handle: Kysely<Tables>, channel: string, payload: string): Promise<void>;
  /**
   * Calls `onPayload` for each notification from the moment this resolves, until disposed. A broken connection
   * is restored automatically; then `onGap` is called, because notifications may have been missed.
   */
  listen(
    channel: string,
    onPayload: (payload: string) => void,
    onGap?: () => void,
  ): Promise<AsyncDisposable>;
  /** The connections to PostgreSQL that this process has; undefined with the embedded database. */
  connections(): DatabaseConnections | undefined;
  /** Throws `unavailable` if the database does not respond within five seconds. */
  ping(): Promise<void>;
}

export interface DatabaseOptions {
  /** A PostgreSQL URL; without it, the embedded database in `dataDir` is opened. */
  readonly url?: string | undefined;
  /**
   * The address of the same database without a pooler, for notifications, which PgBouncer's mode "transaction" does not
   * deliver. Default `url`.
   */
  readonly directUrl?: string | undefined;
  /**
   * The maximum number of concurrent connections to a PostgreSQL server, in addition to the one for notifications.
   * Default 8.
   */
  readonly maxConnections?: number | undefined;
  /** The service's data folder; created if missing. */
  readonly dataDir: string;
  readonly log?: DatabaseLog;
  /**
   * Default false. If a running service holds the embedded database, works on it through that service: for commands,
   * not for a service.
   */
  readonly canShare?: boolean;
  /** The migration after which to stop, to load data that an older version wrote. Default: all migrations. */
  readonly lastMigration?: string | undefined;
  /**
   * Called when the embedded database's thread has started to open it, which leaves this thread idle for 0.3 s; not
   * called for a PostgreSQL server. Must not throw.
   */
  readonly whileOpening?: () => void;
}
