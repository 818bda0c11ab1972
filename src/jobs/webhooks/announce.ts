import { sql } from "kysely";
import type { Kysely } from "kysely";
import { newId } from "../../core/index.ts";
import type { Tables } from "../../db/index.ts";
import type { WebhookEvent } from "../../projects/index.ts";
import type { AgentJob } from "../agent/job.ts";
import type { JobQueue } from "../queue.ts";
import type { StaticExportJob } from "../static-export/job.ts";
import { enqueueAttempt } from "./attempt.ts";

export interface EndedExport {
  readonly organizationId: string;
  /** Completed or failed. */
  readonly job: StaticExportJob;
}

export interface EndedTurn {
  readonly organizationId: string;
  /** As it was when the turn ended, also where the next one began in the same moment. */
  readonly job: AgentJob & { readonly status: "completed" | "failed" };
}

/**
 * Tells the organisation's webhooks that an export ended. Belongs into the transaction that ends it: the
 * messages are there with the end, or neither is.
 */
export async function announceExport(
  transaction: Kysely<Tables>,
  queue: Pick<JobQueue, "enqueue">,
  { organizationId, job }: EndedExport,
): Promise<void> {
  const event = `static_export.${job.status === "completed" ? "completed" : "failed"}` as const;
  await announce(transaction, queue, { organizationId, event, jobId: job.jobId, job });
}

/** Tells the organisation's webhooks that a turn of an agent job ended; as `announceExport` does. */
export async function announceTurn(
  transaction: Kysely<Tables>,
  queue: Pick<JobQueue, "enqueue">,
  { organizationId, job }: EndedTurn,
): Promise<void> {
  const event = `agent.${job.status}` as const;
  await announce(transaction, queue, { organizationId, event, jobId: job.id, job });
}

interface JobEnd {
  readonly organizationId: string;
  readonly event: WebhookEvent;
  readonly jobId: string;
  readonly job: StaticExportJob | AgentJob;
}

async function announce(
  transaction: Kysely<Tables>,
  queue: Pick<JobQueue, "enqueue">,
  { organizationId, event, jobId, job }: JobEnd,
): Promise<void> {
  const webhooks = await transaction
    .selectFrom("webhooks")
    .select("id")
    .where("organization_id", "=", organizationId)
    .where("disabled_at", "is", null)
    .where(sql<boolean>`${event} = any(events)`)
    .orderBy("id")
    // Whoever deletes or disables one waits, and so meets the messages that are written here.
    .forShare()
    .execute();
  if (webhooks.length === 0) return;
  const created_at = new Date();
  const body = JSON.stringify({ type: event, timestamp: created_at.toISOString(), data: job });
  const deliveries = webhooks.map(({ id }) => ({
    id: newId("webhookMessage"),
    webhook_id: id,
    event,
    job_id: jobId,
    body,
    created_at,
    next_attempt_at: created_at,
  }));
  await transaction.insertInto("webhook_deliveries").values(deliveries).execute();
  for (const { id: deliveryId } of deliveries) {
    await enqueueAttempt(transaction, queue, { deliveryId, number: 1, organizationId });
  }
}
