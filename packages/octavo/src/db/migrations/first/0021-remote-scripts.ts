import { sql } from "kysely";
import type { Kysely } from "kysely";

/**
 * Adds the hosts from which a project's pages may load, by default none, and those of a single export. Null means the
 * project's hosts.
 */
const statements = [
  sql`alter table projects add column remote_scripts jsonb not null default '[]'
    check (jsonb_typeof(remote_scripts) = 'array')`,
  sql`alter table static_export_jobs add column remote_scripts jsonb
    check (jsonb_typeof(remote_scripts) = 'array')`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db);
}
