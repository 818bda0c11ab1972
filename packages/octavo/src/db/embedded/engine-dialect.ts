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
import type { Engine, EngineSession } from "./engine.ts";

/**
 * Kysely on the embedded engine. Kysely's own dialect for PGlite runs one query at a time; here they are
 * pipelined, and only a transaction has exclusive use of the database.
 */
export function engineDialect(engine: Engine): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new EngineDriver(engine),
    createIntrospector: (db: Kysely<unknown>) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

class EngineDriver implements Driver {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<EngineConnection> {
    return new EngineConnection(this.#engine);
  }

  beginTransaction(connection: EngineConnection, settings: TransactionSettings): Promise<void> {
    const isolation = settings.isolationLevel ? ` ISOLATION LEVEL ${settings.isolationLevel}` : "";
    const access = settings.accessMode ? ` ${settings.accessMode}` : "";
    return connection.begin(`START TRANSACTION${isolation}${access}`);
  }

  async commitTransaction(connection: EngineConnection): Promise<void> {
    await connection.end("COMMIT");
  }

  async rollbackTransaction(connection: EngineConnection): Promise<void> {
    await connection.end("ROLLBACK");
  }

  async releaseConnection(): Promise<void> {}

  /** The engine's owner closes it: the queue uses the same engine. */
  async destroy(): Promise<void> {}
}

class EngineConnection implements DatabaseConnection {
  readonly #engine: Engine;
  #session: EngineSession | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const target = this.#session ?? this.#engine;
    const { rows, affectedRows } = await target.query(query.sql, query.parameters);
    return {
      rows: rows as R[],
      ...(affectedRows === undefined ? {} : { numAffectedRows: BigInt(affectedRows) }),
    };
  }

  // oxlint-disable-next-line require-yield -- the driver's contract requires a generator
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new OctavoError("internal", "The embedded database cannot stream a query's rows.");
  }

  async begin(statement: string): Promise<void> {
    this.#session = await this.#engine.begin(statement);
  }

  async end(statement: "COMMIT" | "ROLLBACK"): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    if (!session) return;
    try {
      const { command } = await session.query(statement, []);
      // For the COMMIT of a transaction that a failed statement aborted PostgreSQL returns ROLLBACK.
      if (statement === "COMMIT" && command === "ROLLBACK") throw new AbortedTransactionError();
    } finally {
      session.end();
    }
  }
}
