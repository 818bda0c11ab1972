import { sql } from "kysely";
import type { Kysely } from "kysely";

/** Adds what reviewers refused in a project. A job names its pull request for which a note was made, even if deleted. */
const statements = [
  sql`create table review_notes (
    id text collate "C" primary key,
    project_id text collate "C" not null references projects on delete cascade,
    job_id text collate "C" references agent_jobs on delete set null,
    pull_request_url text not null,
    text text not null check (text <> ''),
    created_at timestamptz(3) not null default now(),
    edited_at timestamptz(3)
  )`,
  sql`create index review_notes_newest on review_notes (project_id, id desc)`,
  sql`create index review_notes_job on review_notes (job_id)`,
  sql`alter table agent_jobs add column noted_pull_request integer`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db);
}
