import { sql } from "kysely";
import type { Kysely } from "kysely";

/**
 * Adds links that open closed sites. Sites of repositories that need credentials were public by default; those that
 * nobody has published yet become sites for members.
 */
const statements = [
  sql`create table site_links (
    id text collate "C" primary key,
    project_id text collate "C" not null references projects on delete cascade,
    note text not null,
    expires_at timestamptz(3) not null,
    created_at timestamptz(3) not null default now(),
    created_by jsonb
  )`,
  sql`create index site_links_project on site_links (project_id, id desc)`,
  sql`update sites set visibility = 'members' from projects
    where projects.id = project_id and credentials is not null and slug is null and visibility = 'public'`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db);
}
