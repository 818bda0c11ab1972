import {
  AbortedTransactionError,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from "kysely";
import type {
  CompiledQuery,
  DatabaseConnection,
  Dialect,
  Driver,
  Kysely,
  QueryResult,
  TransactionSettings,
} from "kysely";
import { OctavoError } from "@octavo/site/core";

/** A session that runs single statements, or all statements of one transaction. */
export interface DatabaseSession {
  execute<Row>(query: CompiledQuery): Promise<QueryResult<Row>>;
  /** Starts a transaction with `statement`. */
  begin(statement: string): Promise<void>;
  /** Ends the transaction and returns the command tag that the server reports. */
  end(statement: "COMMIT" | "ROLLBACK"): Promise<string | undefined>;
}

interface SessionDialectOptions {
  readonly openSession: () => DatabaseSession;
  readonly close: () => Promise<void>;
}

/** Creates a Kysely dialect for PostgreSQL whose sessions take a connection only while they need it. */
export function createSessionDialect(options: SessionDialectOptions): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new SessionDriver(options),
    createIntrospector: (db: Kysely<unknown>) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

class SessionDriver implements Driver {
  readonly #options: SessionDialectOptions;

  constructor(options: SessionDialectOptions) {
    this.#options = options;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<SessionConnection> {
    return new SessionConnection(this.#options.openSession());
  }

  async beginTransaction(
    { session }: SessionConnection,
    { isolationLevel, accessMode }: TransactionSettings,
  ): Promise<void> {
    const isolation = isolationLevel ? ` ISOLATION LEVEL ${isolationLevel}` : "";
    await session.begin(`START TRANSACTION${isolation}${accessMode ? ` ${accessMode}` : ""}`);
  }

  async commitTransaction({ session }: SessionConnection): Promise<void> {
    // If a failed statement has aborted the transaction, PostgreSQL responds to COMMIT with ROLLBACK.
    if ((await session.end("COMMIT")) === "ROLLBACK") throw new AbortedTransactionError();
  }

  async rollbackTransaction({ session }: SessionConnection): Promise<void> {
    await session.end("ROLLBACK");
  }

  async releaseConnection(): Promise<void> {}

  destroy(): Promise<void> {
    return this.#options.close();
  }
}

class SessionConnection implements DatabaseConnection {
  readonly session: DatabaseSession;

  constructor(session: DatabaseSession) {
    this.session = session;
  }

  executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    return this.session.execute(query);
  }

  // oxlint-disable-next-line require-yield -- the driver's contract requires a generator
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new OctavoError("internal", "Rows are read as a whole, not streamed.");
  }
}
