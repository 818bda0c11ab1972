import { sql } from "kysely";
import type { Kysely } from "kysely";

const statements = [
  // The progress of an export: its total number of pages, and the log of its attempts, in order.
  sql`alter table static_export_jobs
    add column total_pages integer not null default 0,
    add column log jsonb not null default '[]'`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db);
}
