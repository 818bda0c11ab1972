import { sql } from "kysely";
import type { Kysely } from "kysely";

const statements = [
  // The cost in US dollars; null if the price of any reply is unknown.
  sql`alter table agent_jobs add column cost double precision`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db);
}
