import type { Kysely } from "kysely";
import type { EngineThread } from "../engine/index.ts";
import type { PrepareStatement } from "./prepared-statement.ts";
import type { Tables } from "./tables.ts";

/** The log that reports broken connections and similar events to operators. */
export interface DatabaseLog {
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
}

/** A connection in the form that the queue's library requires. */
export interface QueueConnection {
  /**
   * Runs one statement with values, or several statements without values. The rows of several statements are
   * concatenated.
   */
  executeSql(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
  /** Listens on a channel. Calls `onReconnect` once at the start, and whenever notifications may have been missed. */
  listen(
    channel: string,
    onPayload: (payload: string) => void,
    onReconnect: () => void,
  ): Promise<{ close(): Promise<void> }>;
}

interface DatabaseConnections {
  readonly inUse: number;
  readonly idle: number;
  /** The number of requests that are waiting for a connection. */
  readonly waiting: number;
  readonly max: number;
}

/**
 * The service's only database, PostgreSQL or embedded, with its tables up to date.
 *
 * The embedded database has a single connection, so an open transaction blocks every reader. A transaction must
 * therefore await nothing but its own statements, whichever database is used. Acknowledged writes are on disk and
 * survive a loss of power. If the disk fails, the embedded engine acknowledges no further writes, and every call throws
 * `unavailable`.
 */
export interface Database extends AsyncDisposable {
  readonly kysely: Kysely<Tables>;
  readonly engine: "postgres" | "pglite";
  /**
   * Prepares statements of `kysely` that run outside transactions. Prepare each statement only once, at the start,
   * because statements are never freed.
   */
  readonly prepare: PrepareStatement;
  /** The connection of the queue. It shares the engine with `kysely`. */
  readonly queue: QueueConnection;
  /**
   * Sends a notification within the transaction of `handle`. The notification is sent when the transaction commits, or
   * not at all. Payloads must be below 8,000 bytes.
   */
  notify(handle: Kysely<Tables>, channel: string, payload: string): Promise<void>;
  /**
   * Calls `onPayload` for each notification from the moment the promise resolves until the result is disposed. A broken
   * connection is restored automatically, and `onGap` is then called because notifications may have been missed.
   */
  listen(
    channel: string,
    onPayload: (payload: string) => void,
    onGap?: () => void,
  ): Promise<AsyncDisposable>;
  /** Returns the state of this process's connections to PostgreSQL, or undefined with the embedded database. */
  countConnections(): DatabaseConnections | undefined;
  /** Throws `unavailable` if the database does not respond within five seconds. */
  ping(): Promise<void>;
}

export interface DatabaseOptions {
  /** A PostgreSQL URL. If omitted, the embedded database in `dataDir` is opened. */
  readonly url?: string | undefined;
  /**
   * The address of the same database without a pooler. It is used for notifications, which PgBouncer's mode
   * "transaction" does not deliver. Defaults to `url`.
   */
  readonly directUrl?: string | undefined;
  /**
   * The maximum number of concurrent connections to a PostgreSQL server, in addition to the connection for
   * notifications. Defaults to 8.
   */
  readonly maxConnections?: number | undefined;
  /** The service's data folder, which is created if it is missing. */
  readonly dataDir: string;
  readonly log?: DatabaseLog;
  /**
   * Whether this process may use the embedded database through a running service that has opened it. Defaults to false.
   * Only commands set it.
   */
  readonly canShare?: boolean;
  /**
   * The migration after which to stop, in order to load data that an older version wrote. Defaults to the last
   * migration.
   */
  readonly lastMigration?: string | undefined;
  /** The thread for the embedded database. By default, a new thread is started. Not used for a PostgreSQL server. */
  readonly engineThread?: EngineThread | undefined;
  /**
   * Called while the embedded database's thread opens the database, which leaves this thread idle for 0.3 s. Not called
   * for a PostgreSQL server. Must not throw.
   */
  readonly onEngineOpening?: () => void;
}
