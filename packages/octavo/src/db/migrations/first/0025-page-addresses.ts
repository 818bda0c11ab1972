import { sql } from "kysely";
import type { Kysely } from "kysely";

/** Adds the style of an export's page addresses. Null means files. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const statement = sql`alter table static_export_jobs add column addresses text
    check (addresses in ('file', 'folder'))`;
  await statement.execute(db);
}
