import { sql } from "kysely";
import type { Kysely } from "kysely";
import { transact } from "../../db/index.ts";
import type { Database, Tables } from "../../db/index.ts";
import type { Webhooks } from "../../projects/index.ts";
import type { QueueOwner } from "../queue/fair-order.ts";
import { webhookQueue } from "../job-kinds.ts";
import type { JobQueue } from "../queue/queue.ts";

export interface QueuedAttempt extends QueueOwner {
  readonly deliveryId: string;
  /**
   * The attempt's number, starting at 1. A queue entry is for one attempt. If the entry runs again after the attempt
   * ended, it does nothing.
   */
  readonly number: number;
  readonly delayMs?: number;
}

/** Enqueues an attempt in the transaction of `handle`. */
export async function enqueueAttempt(
  handle: Kysely<Tables>,
  queue: Pick<JobQueue, "enqueue">,
  { deliveryId, number, organizationId, projectId, delayMs = 0 }: QueuedAttempt,
): Promise<void> {
  await queue.enqueue(handle, webhookQueue, `${deliveryId}/${number}`, {
    owner: { organizationId, projectId },
    delaySeconds: delayMs / 1000,
  });
}

/** A due attempt: the content to send, and the address to send it to. */
export interface Attempt extends QueueOwner {
  readonly deliveryId: string;
  readonly number: number;
  readonly webhookId: string;
  readonly url: string;
  readonly event: string;
  readonly body: string;
}

/** Finds the attempt of a queue entry; undefined if the attempt has ended, or was deleted with its webhook. */
export async function findAttempt(
  { kysely }: Database,
  entry: string,
): Promise<Attempt | undefined> {
  const [deliveryId = "", count = ""] = entry.split("/");
  const number = Number(count);
  const row = await kysely
    .selectFrom("webhook_deliveries")
    .innerJoin("webhooks", "webhooks.id", "webhook_deliveries.webhook_id")
    .select(["webhooks.id", "webhooks.url", "webhooks.organization_id"])
    .select(["webhook_deliveries.event", "webhook_deliveries.body"])
    .select("webhook_deliveries.project_id")
    .where("webhook_deliveries.id", "=", deliveryId)
    .where("webhook_deliveries.state", "=", "pending")
    .where("webhook_deliveries.attempts", "=", number - 1)
    .executeTakeFirst();
  if (!row || row.body === null) return undefined;
  const { id: webhookId, url, event, body } = row;
  const { organization_id: organizationId, project_id: projectId } = row;
  return { deliveryId, number, organizationId, projectId, webhookId, url, event, body };
}

/** The outcome of an attempt. `status` is null if the receiver did not respond. */
export interface Outcome {
  readonly type: "delivered" | "retry" | "failed" | "gone";
  readonly status: number | null;
  /** The error message; undefined if and only if the message was delivered. */
  readonly error?: string;
  /** Milliseconds until the next attempt; set only with `retry`. */
  readonly delayMs?: number;
}

export interface RecordOptions {
  readonly database: Database;
  readonly queue: Pick<JobQueue, "enqueue">;
  readonly webhooks: Pick<Webhooks, "disable">;
}

/**
 * Ends an attempt and enqueues the next one in the same transaction. Returns false if another worker ended the attempt
 * first.
 */
export async function recordOutcome(
  { database, queue, webhooks }: RecordOptions,
  attempt: Attempt,
  outcome: Outcome,
): Promise<boolean> {
  return await transact(database.kysely, async (transaction) => {
    // Locks the webhook's row first, in the same order as when a message is written to it.
    if (outcome.type === "gone") await webhooks.disable(transaction, attempt.webhookId);
    if (!(await writeOutcome(transaction, attempt, outcome))) return false;
    if (outcome.type === "gone") await dropPending(transaction, attempt.webhookId);
    if (outcome.type === "retry") {
      const { deliveryId, number, organizationId, projectId } = attempt;
      const delayMs = outcome.delayMs ?? 0;
      const next = { deliveryId, number: number + 1, organizationId, projectId, delayMs };
      await enqueueAttempt(transaction, queue, next);
    }
    return true;
  });
}

async function writeOutcome(
  transaction: Kysely<Tables>,
  { deliveryId, number }: Attempt,
  { type, status, error, delayMs = 0 }: Outcome,
): Promise<boolean> {
  const now = new Date();
  const end = {
    state: type === "delivered" ? "delivered" : "failed",
    next_attempt_at: null,
    ended_at: now,
  } as const;
  const { numUpdatedRows } = await transaction
    .updateTable("webhook_deliveries")
    .set({
      attempts: number,
      attempted_at: now,
      response_status: status,
      error: error ?? null,
      ...(type === "retry" ? { next_attempt_at: new Date(now.getTime() + delayMs) } : end),
    })
    .where("id", "=", deliveryId)
    .where("state", "=", "pending")
    .where("attempts", "=", number - 1)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

async function dropPending(transaction: Kysely<Tables>, webhookId: string): Promise<void> {
  await transaction
    .updateTable("webhook_deliveries")
    .set({
      state: "failed",
      error:
        "Not sent: the receiver responded with 410 Gone earlier, and the webhook was disabled.",
      next_attempt_at: null,
      ended_at: sql`now()`,
    })
    .where("webhook_id", "=", webhookId)
    .where("state", "=", "pending")
    .execute();
}
