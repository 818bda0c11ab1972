import type { Selectable } from "kysely";
import type { Database, WebhookDeliveriesTable } from "../../db/index.ts";
import { inBatches } from "../in-batches.ts";

export const deliveryStates = ["pending", "delivered", "failed"] as const;

/** What became of one message to a webhook. */
export interface WebhookDelivery {
  /** Sent as `webhook-id`, the same on every attempt. */
  readonly id: string;
  readonly event: string;
  readonly jobId: string;
  readonly state: (typeof deliveryStates)[number];
  /** That have come to an end. */
  readonly attempts: number;
  /** Of the last attempt; null where nothing was answered. */
  readonly responseStatus: number | null;
  /** Why the last attempt failed. */
  readonly error: string | null;
  readonly createdAt: Date;
  readonly attemptedAt: Date | null;
  /** Set while pending. */
  readonly nextAttemptAt: Date | null;
}

export interface WebhookDeliveries {
  /** The newest, newest first; a webhook that is looked at without a scope must have been found in one. */
  newest(webhookId: string): Promise<readonly WebhookDelivery[]>;
}

/** As many as a person looks at; retention keeps them for a while, whatever their number. */
const shown = 20;
/** Rows in one step of the removal. */
const batch = 1_000;

export function createWebhookDeliveries({ kysely }: Database): WebhookDeliveries {
  return {
    async newest(webhookId) {
      const rows = await kysely
        .selectFrom("webhook_deliveries")
        .selectAll()
        .where("webhook_id", "=", webhookId)
        .orderBy("id", "desc")
        .limit(shown)
        .execute();
      return rows.map(toDelivery);
    },
  };
}

/** Forgets messages that ended before `before`. */
export async function removeDeliveries({ kysely }: Database, before: Date): Promise<void> {
  await inBatches(async () => {
    const { numDeletedRows } = await kysely
      .deleteFrom("webhook_deliveries")
      .where("id", "in", (eb) =>
        eb
          .selectFrom("webhook_deliveries")
          .select("id")
          .where("ended_at", "<", before)
          .limit(batch),
      )
      .executeTakeFirstOrThrow();
    return numDeletedRows;
  });
}

function toDelivery(row: Selectable<WebhookDeliveriesTable>): WebhookDelivery {
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
  };
}
