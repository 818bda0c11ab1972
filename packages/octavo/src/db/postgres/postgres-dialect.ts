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
  QueryResult as Rows,
  TransactionSettings,
} from "kysely";
import type { Pool, PoolClient, QueryResult } from "pg";
import { OctavoError } from "@octavo/site/core";
import { toDatabaseError } from "../faults.ts";
import { isRead } from "../is-read.ts";
import { retryOnFault } from "../retry.ts";
import { runOnPool } from "./pool.ts";

/** A transaction awaits nothing but its own statements; one that is idle for longer is a bug. */
const idleInTransactionMs = 15_000;
const writeCommands: ReadonlySet<string> = new Set(["INSERT", "UPDATE", "DELETE", "MERGE"]);

/**
 * Kysely on connections that may break at any time. What cannot have changed anything is run again: reads outside
 * transactions, and the beginning of a transaction. Kysely's own dialect for PostgreSQL runs nothing again.
 */
export function postgresDialect(pool: Pool): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new PoolDriver(pool),
    createIntrospector: (db: Kysely<unknown>) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

class PoolDriver implements Driver {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PoolConnection> {
    return new PoolConnection(this.#pool);
  }

  beginTransaction(connection: PoolConnection, settings: TransactionSettings): Promise<void> {
    const isolation = settings.isolationLevel ? ` isolation level ${settings.isolationLevel}` : "";
    const access = settings.accessMode ? ` ${settings.accessMode}` : "";
    // Set here, in one message with the beginning: PgBouncer refuses it as a parameter of the connection.
    return connection.begin(
      `start transaction${isolation}${access}; set local idle_in_transaction_session_timeout = ${idleInTransactionMs}`,
    );
  }

  async commitTransaction(connection: PoolConnection): Promise<void> {
    // For the COMMIT of a transaction that a failed statement aborted PostgreSQL returns ROLLBACK.
    if ((await connection.end("commit")) === "ROLLBACK") throw new AbortedTransactionError();
  }

  async rollbackTransaction(connection: PoolConnection): Promise<void> {
    await connection.end("rollback");
  }

  async releaseConnection(): Promise<void> {}

  destroy(): Promise<void> {
    return this.#pool.end();
  }
}

/** Takes a connection from the pool for each statement, or for a whole transaction. */
class PoolConnection implements DatabaseConnection {
  readonly #pool: Pool;
  #client: PoolClient | undefined;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<Rows<Row>> {
    const { command, rowCount, rows } = await this.#execute(query);
    return {
      rows,
      ...(writeCommands.has(command) && { numAffectedRows: BigInt(rowCount ?? 0) }),
    };
  }

  // oxlint-disable-next-line require-yield -- the driver's contract requires a generator
  async *streamQuery<Row>(): AsyncIterableIterator<Rows<Row>> {
    throw new OctavoError("internal", "Rows are read as a whole, not streamed.");
  }

  async begin(statement: string): Promise<void> {
    try {
      this.#client = await retryOnFault(() => this.#beginOnce(statement));
    } catch (error) {
      throw toDatabaseError(error);
    }
  }

  /** Returns what the server says that it did. */
  async end(statement: "commit" | "rollback"): Promise<string | undefined> {
    const client = this.#client;
    this.#client = undefined;
    try {
      const result = await client?.query(statement);
      client?.release();
      return result?.command;
    } catch (error) {
      client?.release(true);
      // The server rolls back what a broken connection leaves, and the error that came first says more.
      if (statement === "rollback") return undefined;
      throw toDatabaseError(error);
    }
  }

  async #beginOnce(statement: string): Promise<PoolClient> {
    const client = await this.#pool.connect();
    try {
      await client.query(statement);
      return client;
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  async #execute(query: CompiledQuery): Promise<QueryResult> {
    const run = (client: PoolClient) => client.query(query.sql, [...query.parameters]);
    if (this.#client) {
      return await run(this.#client).catch((error: unknown) => {
        throw toDatabaseError(error);
      });
    }
    return await runOnPool(this.#pool, isRead(query) ? "read" : "statement", run);
  }
}
