import { sql } from "kysely";
import type { Kysely } from "kysely";

/** Creates the table of the service's nodes, each of which reports regularly that it is alive. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table nodes (
    id text primary key,
    version text not null,
    roles text not null,
    started_at timestamptz(3) not null default now(),
    seen_at timestamptz(3) not null default now()
  )`.execute(db);
}
