import { sql } from "kysely";
import type { Kysely } from "kysely";

const statements = [
  // Null for the operator, and for webhooks of older versions.
  sql`alter table webhooks add column created_by jsonb`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db);
}
