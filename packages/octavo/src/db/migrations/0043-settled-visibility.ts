import { sql } from "kysely";
import type { Kysely } from "kysely";

/** Adds whether it is decided who may read a site. For the sites that exist, it is. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table sites add column is_visibility_settled boolean not null default true`.execute(
    db,
  );
  await sql`alter table sites alter column is_visibility_settled set default false`.execute(db);
}
