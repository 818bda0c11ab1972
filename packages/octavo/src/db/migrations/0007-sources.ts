import { sql } from "kysely";
import type { Kysely } from "kysely";

/** Repositories that a project's agents may read, with the credentials for them, sealed as one list. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table projects
    add column sources jsonb not null default '[]',
    add column source_credentials bytea`.execute(db);
}
