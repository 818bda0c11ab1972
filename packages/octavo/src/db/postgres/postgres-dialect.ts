import type { CompiledQuery, Dialect, QueryResult as Rows } from "kysely";
import type { Pool, PoolClient, QueryResult } from "pg";
import { toDatabaseError } from "../faults.ts";
import { isReadQuery } from "../prepared-statement.ts";
import { retryOnFault } from "../transact.ts";
import { createSessionDialect } from "../session-dialect.ts";
import type { DatabaseSession } from "../session-dialect.ts";
import { runOnPool } from "./pool.ts";

/** A transaction awaits nothing but its own statements; one that is idle for longer is a bug. */
const idleInTransactionMs = 15_000;
const writeCommands: ReadonlySet<string> = new Set(["INSERT", "UPDATE", "DELETE", "MERGE"]);

/**
 * Returns Kysely's dialect for connections that may break at any time. Work that cannot have changed anything is
 * repeated: reads outside transactions, and the beginning of a transaction. Kysely's own dialect for PostgreSQL repeats
 * nothing.
 */
export function createPostgresDialect(pool: Pool): Dialect {
  return createSessionDialect({
    openSession: () => new PoolSession(pool),
    close: () => pool.end(),
  });
}

/** Takes a connection from the pool for each statement, or for a whole transaction. */
class PoolSession implements DatabaseSession {
  readonly #pool: Pool;
  #client: PoolClient | undefined;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async execute<Row>(query: CompiledQuery): Promise<Rows<Row>> {
    const { command, rowCount, rows } = await this.#execute(query);
    return {
      rows,
      ...(writeCommands.has(command) && { numAffectedRows: BigInt(rowCount ?? 0) }),
    };
  }

  async begin(statement: string): Promise<void> {
    try {
      // Set with the beginning, in one message: PgBouncer refuses it as a parameter of the connection.
      const limit = `set local idle_in_transaction_session_timeout = ${idleInTransactionMs}`;
      this.#client = await retryOnFault(() => this.#beginOnce(`${statement}; ${limit}`));
    } catch (error) {
      throw toDatabaseError(error);
    }
  }

  async end(statement: "COMMIT" | "ROLLBACK"): Promise<string | undefined> {
    const client = this.#client;
    this.#client = undefined;
    try {
      const result = await client?.query(statement);
      client?.release();
      return result?.command;
    } catch (error) {
      client?.release(true);
      // The server rolls back the transaction of a broken connection, and the first error says more.
      if (statement === "ROLLBACK") return undefined;
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
    return await runOnPool(this.#pool, isReadQuery(query) ? "read" : "statement", run);
  }
}
