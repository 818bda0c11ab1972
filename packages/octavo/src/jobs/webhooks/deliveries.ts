import { OctavoError } from "@octavo/site/core";
import type { Database, Row } from "../../db/index.ts";

export const deliveryStates = ["pending", "delivered", "failed"] as const;

/** The delivery of one message to a webhook. */
export interface WebhookDelivery {
  /** Sent as `webhook-id`; the same on every attempt. */
  readonly id: string;
  readonly event: string;
  /** The job; null for a test message. */
  readonly jobId: string | null;
  readonly state: (typeof deliveryStates)[number];
  /** The number of finished attempts. */
  readonly attempts: number;
  /** The status code of the response to the last attempt; null if the receiver did not respond. */
  readonly responseStatus: number | null;
  /** The reason why the last attempt failed. */
  readonly error: string | null;
  readonly createdAt: Date;
  readonly attemptedAt: Date | null;
  /** The time of the next attempt; null unless the delivery is pending. */
  readonly nextAttemptAt: Date | null;
  /** Whether the message's body is stored, so that the message can be sent again after the delivery has ended. */
  readonly isStored: boolean;
}

export interface WebhookDeliveries {
  /** Returns at most 20 deliveries, newest first. The caller must have checked that the webhook is in scope. */
  listNewest(webhookId: string): Promise<readonly WebhookDelivery[]>;
  /** Returns one delivery. The caller must have checked that the webhook is in scope. Throws `not_found`. */
  get(webhookId: string, deliveryId: string): Promise<WebhookDelivery>;
}

/** The maximum number of deliveries that are shown. Older deliveries remain stored until retention removes them. */
const maxShownDeliveries = 20;

export function createWebhookDeliveries({ kysely }: Database): WebhookDeliveries {
  return {
    async listNewest(webhookId) {
      const rows = await kysely
        .selectFrom("webhook_deliveries")
        .selectAll()
        .where("webhook_id", "=", webhookId)
        .orderBy("id", "desc")
        .limit(maxShownDeliveries)
        .execute();
      return rows.map(toDelivery);
    },
    async get(webhookId, deliveryId) {
      const row = await kysely
        .selectFrom("webhook_deliveries")
        .selectAll()
        .where("webhook_id", "=", webhookId)
        .where("id", "=", deliveryId)
        .executeTakeFirst();
      if (row) return toDelivery(row);
      throw new OctavoError("not_found", "This webhook has no message with this ID.");
    },
  };
}

function toDelivery(row: Row<"webhook_deliveries">): WebhookDelivery {
  return {
    id: row.id,
    event: row.event,
    jobId: row.job_id,
    state: row.state,
    attempts: row.attempts,
    responseStatus: row.response_status,
    error: row.error,
    createdAt: row.created_at,
    attemptedAt: row.attempted_at,
    nextAttemptAt: row.next_attempt_at,
    isStored: row.body !== null,
  };
}
