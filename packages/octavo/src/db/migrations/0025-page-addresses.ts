import { sql } from "kysely";
import type { Kysely } from "kysely";

/** How the pages of an export are addressed; null for files. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const statement = sql`alter table static_export_jobs add column addresses text
    check (addresses in ('file', 'folder'))`;
  await statement.execute(db);
}
