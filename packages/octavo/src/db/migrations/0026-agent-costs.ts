import { sql } from "kysely";
import type { Kysely } from "kysely";

const statements = [
  // In US dollars; null where the price of one of the replies was not known.
  sql`alter table agent_jobs add column cost double precision`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db);
}
