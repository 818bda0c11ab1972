import { sql } from "kysely";
import type { Kysely } from "kysely";

/** Adds the branches of a site whose pushes make previews. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table sites add column preview_branches jsonb not null default '[]'`.execute(db);
}
