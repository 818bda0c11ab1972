import { sql } from "kysely";
import type { Kysely } from "kysely";
import type { Tables } from "../db/index.ts";
import { jobKinds } from "./job-kinds.ts";
import type { JobRow } from "./lifecycle/job-kind.ts";
import { isOpen } from "./lifecycle/job-table.ts";
import type { JobQueue } from "./queue/queue.ts";
import { enqueueAttempt } from "./webhooks/announce.ts";

type UnfinishedJob = Pick<JobRow, "id" | "organization_id" | "project_id"> & {
  readonly is_urgent: boolean;
};

/**
 * Enqueues every job that has not ended and every message that has not been delivered, in the transaction that restores
 * their rows. The queue must be empty.
 */
export async function requeueUnfinished(
  transaction: Kysely<Tables>,
  queue: Pick<JobQueue, "enqueue">,
): Promise<void> {
  for (const kind of jobKinds) {
    const { rows } = await sql<UnfinishedJob>`
      select id, organization_id, project_id, ${kind.isUrgent ?? sql`true`} as is_urgent
      from ${sql.table(kind.table)} where ${isOpen(kind)} order by id`.execute(transaction);
    for (const { id, is_urgent: isUrgent, ...row } of rows) {
      const owner = { organizationId: row.organization_id, projectId: row.project_id };
      await queue.enqueue(transaction, kind.queue, id, { owner, isUrgent });
    }
  }
  const deliveries = await transaction
    .selectFrom("webhook_deliveries")
    .innerJoin("webhooks", "webhooks.id", "webhook_deliveries.webhook_id")
    .select([
      "webhook_deliveries.id",
      "webhook_deliveries.attempts",
      "webhook_deliveries.project_id",
      "webhooks.organization_id",
    ])
    .where("state", "=", "pending")
    .orderBy("webhook_deliveries.id")
    .execute();
  for (const { id: deliveryId, attempts, ...row } of deliveries) {
    const owner = { organizationId: row.organization_id, projectId: row.project_id };
    await enqueueAttempt(transaction, queue, { deliveryId, number: attempts + 1, ...owner });
  }
}
