import { sql } from "kysely";
import type { Kysely } from "kysely";
import { OctavoError } from "@octavo/site/core";
import { createId } from "../../core/index.ts";
import { transact } from "../../db/index.ts";
import type { Database, Tables } from "../../db/index.ts";
import { recordEvent } from "../../projects/index.ts";
import type { ActorScope, AuditAction, Webhook } from "../../projects/index.ts";
import type { JobQueue } from "../queue/queue.ts";
import { enqueueAttempt } from "./announce.ts";

/** The event of messages that people send to test a webhook. A test message is attempted only once. */
export const testEvent = "webhook.test";

/**
 * Sends messages on behalf of people. The caller must have checked that the webhook is in scope. Both methods throw
 * `conflict` for a disabled webhook.
 */
export interface WebhookSender {
  /** Sends a test message and returns its ID. Throws `conflict` while another test is pending. */
  sendTest(caller: ActorScope, webhook: Webhook): Promise<string>;
  /**
   * Sends a message again after its delivery has ended: the same bytes with the same ID. Throws `not_found`, and throws
   * `conflict` for a message whose delivery has not ended, or whose body an older version of Octavo did not store.
   */
  sendAgain(caller: ActorScope, webhook: Webhook, deliveryId: string): Promise<void>;
}

export interface SenderOptions {
  readonly database: Database;
  readonly queue: Pick<JobQueue, "enqueue">;
}

export function createWebhookSender({ database, queue }: SenderOptions): WebhookSender {
  const { kysely } = database;
  return {
    sendTest: (caller, webhook) =>
      transact(kysely, async (transaction) => {
        await lockActive(transaction, webhook);
        await refuseSecondTest(transaction, webhook);
        const deliveryId = await insertTest(transaction, webhook);
        const { organizationId } = caller;
        const attempt = { deliveryId, number: 1, organizationId, projectId: null };
        await enqueueAttempt(transaction, queue, attempt);
        await recordEvent(transaction, caller, buildAuditEvent("webhook.tested", webhook));
        return deliveryId;
      }),

    sendAgain: (caller, webhook, deliveryId) =>
      transact(kysely, async (transaction) => {
        await lockActive(transaction, webhook);
        const { attempts, project_id } = await reopen(transaction, webhook, deliveryId);
        const { organizationId } = caller;
        const number = attempts + 1;
        const attempt = { deliveryId, number, organizationId, projectId: project_id };
        await enqueueAttempt(transaction, queue, attempt);
        const event = buildAuditEvent("webhook.message_sent_again", webhook);
        await recordEvent(transaction, caller, { ...event, details: { message: deliveryId } });
      }),
  };
}

function buildAuditEvent(action: AuditAction, { id, url }: Webhook) {
  // The path and the query of an address may contain secrets.
  return { action, target: { id, name: new URL(url).host } };
}

/** Locks the webhook's row before the delivery's row. Disabling a webhook takes the locks in this order too. */
async function lockActive(transaction: Kysely<Tables>, { id }: Webhook): Promise<void> {
  const row = await transaction
    .selectFrom("webhooks")
    .select("disabled_at")
    .where("id", "=", id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (row?.disabled_at === null) return;
  throw new OctavoError(
    "conflict",
    "The receiver responded with 410 Gone, and the webhook was disabled. To enable the webhook again, save its address.",
  );
}

async function refuseSecondTest(transaction: Kysely<Tables>, { id }: Webhook): Promise<void> {
  const pendingTest = await transaction
    .selectFrom("webhook_deliveries")
    .select("id")
    .where("webhook_id", "=", id)
    .where("event", "=", testEvent)
    .where("state", "=", "pending")
    .executeTakeFirst();
  if (pendingTest)
    throw new OctavoError(
      "conflict",
      "A test message is already being sent. Wait until its delivery ends.",
    );
}

async function insertTest(
  transaction: Kysely<Tables>,
  { id: webhookId }: Webhook,
): Promise<string> {
  const id = createId("webhookMessage");
  const now = new Date();
  const body = JSON.stringify({
    type: testEvent,
    timestamp: now.toISOString(),
    data: { webhookId },
  });
  await transaction
    .insertInto("webhook_deliveries")
    .values({
      id,
      webhook_id: webhookId,
      event: testEvent,
      body,
      created_at: now,
      next_attempt_at: now,
    })
    .execute();
  return id;
}

async function reopen(transaction: Kysely<Tables>, webhook: Webhook, deliveryId: string) {
  const message = transaction
    .selectFrom("webhook_deliveries")
    .select(["state", "body"])
    .where("id", "=", deliveryId)
    .where("webhook_id", "=", webhook.id);
  const delivery = await message.forUpdate().executeTakeFirst();
  if (!delivery) throw new OctavoError("not_found", "This webhook has no message with this ID.");
  if (delivery.state === "pending") {
    throw new OctavoError(
      "conflict",
      "This message is still being sent. Wait until its delivery ends.",
    );
  }
  if (delivery.body === null) {
    throw new OctavoError(
      "conflict",
      "An older version of Octavo sent this message and did not store it, so it cannot be sent again.",
    );
  }
  return await transaction
    .updateTable("webhook_deliveries")
    .set({ state: "pending", ended_at: null, next_attempt_at: sql<Date>`now()` })
    .where("id", "=", deliveryId)
    .returning(["attempts", "project_id"])
    .executeTakeFirstOrThrow();
}
