import { sql } from "kysely";
import type { Kysely } from "kysely";

/** Adds the branches and tags of repositories elsewhere, to show what rules for versions match. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table repository_polls add column refs jsonb`.execute(db);
}
