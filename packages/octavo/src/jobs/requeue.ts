import type { Kysely } from "kysely";
import type { Tables } from "../db/index.ts";
import type { JobQueue } from "./queue.ts";
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
    .select(["id", "purpose"])
    .where("status", "in", ["queued", "running"])
    .orderBy("id")
    .execute();
  for (const { id, purpose } of exports) {
    await queue.enqueue(transaction, "static-export", id, { isUrgent: purpose === "export" });
  }
  const agentJobs = await transaction
    .selectFrom("agent_jobs")
    .select("id")
    .where("status", "=", "active")
    .orderBy("id")
    .execute();
  for (const { id } of agentJobs) await queue.enqueue(transaction, "agent", id);
  const deliveries = await transaction
    .selectFrom("webhook_deliveries")
    .innerJoin("webhooks", "webhooks.id", "webhook_deliveries.webhook_id")
    .select(["webhook_deliveries.id", "webhook_deliveries.attempts", "webhooks.organization_id"])
    .where("state", "=", "pending")
    .orderBy("webhook_deliveries.id")
    .execute();
  for (const { id: deliveryId, attempts, organization_id: organizationId } of deliveries) {
    const attempt = { deliveryId, number: attempts + 1, organizationId };
    await enqueueAttempt(transaction, queue, attempt);
  }
}
