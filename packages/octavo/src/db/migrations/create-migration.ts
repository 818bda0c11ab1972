import type { Kysely, RawBuilder } from "kysely";
import type { Migration } from "kysely/migration";

/** Creates a migration that runs the statements one after another. */
export function createMigration(statements: readonly RawBuilder<unknown>[]): Migration {
  return {
    up: async (db: Kysely<unknown>): Promise<void> => {
      for (const statement of statements) await statement.execute(db);
    },
  };
}
