import { sql } from "kysely";
import type { Kysely } from "kysely";

/**
 * Keeps messages to webhooks after they have ended, so that they can be sent again. A test message belongs to no job.
 */
const statements = [
  sql`alter table webhook_deliveries
    drop constraint webhook_deliveries_body,
    add constraint webhook_deliveries_body check (body is not null or state <> 'pending'),
    alter column job_id drop not null`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db);
}
