import { sql } from "kysely";
import type { Kysely } from "kysely";

/** Adds when the repository of each project is asked for new commits. */
const statements = [
  sql`create table repository_polls (
    project_id text collate "C" primary key references projects on delete cascade,
    next_at timestamptz(3) not null,
    asked_at timestamptz(3),
    -- The commit that the published branch had then.
    commit text,
    failures integer not null default 0,
    error text
  )`,
  sql`create index repository_polls_next on repository_polls (next_at)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db);
}
