import { sql } from "kysely";
import type { Kysely } from "kysely";

/** Adds the repositories that a project's agents may read. Their credentials are encrypted as one list. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table projects
    add column sources jsonb not null default '[]',
    add column source_credentials bytea`.execute(db);
}
