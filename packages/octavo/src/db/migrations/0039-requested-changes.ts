import { sql } from "kysely";
import type { Kysely } from "kysely";

/** Adds to a job which refusal of its pull request was noted: `closed`, or the time of a review. */
const statements = [
  sql`alter table agent_jobs add column noted_refusal text`,
  sql`update agent_jobs set noted_refusal = 'closed' where noted_pull_request is not null`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db);
}
