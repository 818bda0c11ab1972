import { sql } from "kysely";
import type { Expression, Kysely, SqlBool } from "kysely";
import type { Tables } from "../../db/index.ts";

/**
 * Repeats a statement that changes few rows, so that readers do not wait long, until it changes none. Returns the
 * total.
 */
export async function repeatInBatches(statement: () => Promise<bigint>): Promise<number> {
  let total = 0;
  for (;;) {
    const changed = await statement();
    if (changed === 0n) return total;
    total += Number(changed);
  }
}

export interface Removal {
  readonly where: Expression<SqlBool>;
  /** The number of rows per statement. */
  readonly batchSize: number;
}

/** Deletes rows of a table that has an `id` column, in batches. Returns the number of deleted rows. */
export async function removeRows(
  kysely: Kysely<Tables>,
  table: string,
  { where, batchSize }: Removal,
): Promise<number> {
  return await repeatInBatches(async () => {
    // The condition is checked again, because a row may have changed since it was selected.
    const { numAffectedRows = 0n } = await sql`
      delete from ${sql.table(table)} where id in (
        select id from ${sql.table(table)} where ${where} limit ${batchSize}
      ) and ${where}`.execute(kysely);
    return numAffectedRows;
  });
}
