import { sql } from "kysely";
import type { Kysely } from "kysely";

/** Allows addresses of pages without an extension. */
const statements = [
  sql`alter table static_export_jobs drop constraint static_export_jobs_addresses_check`,
  sql`alter table static_export_jobs add constraint static_export_jobs_addresses_check
    check (addresses in ('file', 'folder', 'clean'))`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db);
}
