import { sql } from "kysely";
import type { Kysely } from "kysely";

/** Creates a table with one row, which identifies the installation and its storage. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table installation (
    only_row boolean primary key default true check (only_row),
    id text not null,
    storage_id text,
    storage_claimed_at timestamptz,
    is_storage_linked boolean not null default false
  )`.execute(db);
}
