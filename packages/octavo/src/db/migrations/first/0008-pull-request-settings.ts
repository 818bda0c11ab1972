import { sql } from "kysely";
import type { Kysely } from "kysely";

/**
 * Adds a project's pull request settings, the key that signs its commits, and the commit that a turn merged from its
 * base. Missing settings have their defaults.
 */
const statements = [
  sql`alter table projects add column pull_requests jsonb not null default '{}'
    check (jsonb_typeof(pull_requests) = 'object')`,
  sql`alter table projects add column signing_key bytea, add column signing_public_key text,
    add constraint projects_signing check ((signing_key is null) = (signing_public_key is null))`,
  sql`alter table agent_jobs add column merged_base text`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db);
}
