import { sql } from "kysely";
import type { Kysely } from "kysely";

/** Allows projects on GitLab. */
const statements = [
  sql`alter table projects drop constraint projects_code_host_check`,
  sql`alter table projects add constraint projects_code_host_check
    check (code_host in ('github', 'gitlab', 'gitea', 'local'))`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db);
}
