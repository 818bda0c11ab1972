import { sql } from "kysely";
import type { Kysely } from "kysely";

/** Adds the files that a deployment's commit changed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table deployments add column files_changed jsonb`.execute(db);
}
