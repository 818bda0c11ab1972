import { sql } from "kysely";
import type { Kysely } from "kysely";

const statements = [
  // What an export is doing: the pages that it will have, and what its attempts did, in order.
  sql`alter table static_export_jobs
    add column total_pages integer not null default 0,
    add column log jsonb not null default '[]'`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db);
}
