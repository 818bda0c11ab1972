import type { Kysely } from "kysely";
import type { Tables } from "../db/index.ts";
import type { QueueOwner } from "./queue/fair-order.ts";
import type { JobQueue } from "./queue/queue.ts";
import { enqueueAttempt } from "./webhooks/attempt.ts";

/**
 * Enqueues every job that has not ended and every message that was not delivered, in the transaction that wrote their
 * rows into a database whose queue is empty.
 */
export async function requeueUnfinished(
  transaction: Kysely<Tables>,
  queue: Pick<JobQueue, "enqueue">,
): Promise<void> {
  const exports = await transaction
    .selectFrom("static_export_jobs")
    .select(["id", "purpose", "organization_id", "project_id"])
    .where("status", "in", ["queued", "running"])
    .orderBy("id")
    .execute();
  for (const { id, purpose, ...owner } of exports) {
    await queue.enqueue(transaction, "static-export", id, {
      owner: ownerOf(owner),
      isUrgent: purpose === "export",
    });
  }
  const agentJobs = await transaction
    .selectFrom("agent_jobs")
    .select(["id", "organization_id", "project_id"])
    .where("status", "=", "active")
    .orderBy("id")
    .execute();
  for (const { id, ...owner } of agentJobs) {
    await queue.enqueue(transaction, "agent", id, { owner: ownerOf(owner) });
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
  for (const { id: deliveryId, attempts, ...owner } of deliveries) {
    const attempt = { deliveryId, number: attempts + 1, ...ownerOf(owner) };
    await enqueueAttempt(transaction, queue, attempt);
  }
}

function ownerOf(row: {
  readonly organization_id: string;
  readonly project_id: string | null;
}): QueueOwner {
  return { organizationId: row.organization_id, projectId: row.project_id };
}
