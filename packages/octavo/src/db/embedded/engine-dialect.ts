import type { CompiledQuery, Dialect, QueryResult } from "kysely";
import { sessionDialect } from "../session-dialect.ts";
import type { Session } from "../session-dialect.ts";
import type { Engine, EngineSession } from "./engine.ts";

/**
 * Kysely on the embedded engine. Kysely's own dialect for PGlite runs one query at a time; here they are
 * pipelined, and only a transaction has exclusive use of the database.
 */
export function engineDialect(engine: Engine): Dialect {
  return sessionDialect({
    openSession: () => new SharedEngineSession(engine),
    // The engine's owner closes it: the queue uses the same engine.
    close: async () => undefined,
  });
}

class SharedEngineSession implements Session {
  readonly #engine: Engine;
  #session: EngineSession | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async execute<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const target = this.#session ?? this.#engine;
    const { rows, affectedRows } = await target.query(query.sql, query.parameters);
    return {
      rows: rows as Row[],
      ...(affectedRows === undefined ? {} : { numAffectedRows: BigInt(affectedRows) }),
    };
  }

  async begin(statement: string): Promise<void> {
    this.#session = await this.#engine.begin(statement);
  }

  async end(statement: "COMMIT" | "ROLLBACK"): Promise<string | undefined> {
    const session = this.#session;
    this.#session = undefined;
    if (!session) return undefined;
    try {
      return (await session.query(statement, [])).command;
    } finally {
      session.end();
    }
  }
}
