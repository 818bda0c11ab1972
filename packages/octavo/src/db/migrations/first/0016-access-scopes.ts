import { sql } from "kysely";
import type { Kysely } from "kysely";

const statements = [
  // Keys of older versions have all scopes.
  sql`alter table api_keys
    add column scopes text[] not null default '{read,export,agent,admin}',
    add column expires_at timestamptz`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db);
}
