import type { Pool, QueryResult } from "pg";
import type { PreparedStatement } from "../prepared-statement.ts";
import { runOnPool } from "./pool.ts";

/** "invalid_sql_statement_name", and "duplicate_prepared_statement". */
const namedStatementFaults: ReadonlySet<unknown> = new Set(["26000", "42P05"]);

/**
 * Runs prepared statements. With a name, each connection caches the parsed and planned statement on the server,
 * unless a pooler that does not know of names hands out another connection for each transaction: the server then
 * refuses a name before it runs anything, and from there on statements go without.
 */
export function createRunPrepared(pool: Pool) {
  let hasNames = true;
  return async (
    { name, text, isRead }: PreparedStatement,
    values: unknown[],
  ): Promise<QueryResult> => {
    const work = isRead ? "read" : "statement";
    const unnamed = () => runOnPool(pool, work, (client) => client.query(text, values));
    if (!hasNames) return await unnamed();
    try {
      return await runOnPool(pool, work, (client) => client.query({ name, text, values }));
    } catch (error) {
      if (!namedStatementFaults.has((error as { code?: unknown }).code)) throw error;
      hasNames = false;
      return await unnamed();
    }
  };
}
