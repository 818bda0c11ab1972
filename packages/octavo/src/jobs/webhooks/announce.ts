import { sql } from "kysely";
import type { Kysely } from "kysely";
import { createId } from "../../core/index.ts";
import type { Tables } from "../../db/index.ts";
import { webhookQueue } from "../job-kinds.ts";
import type {
  JobKind,
  JobMessage,
  JobTypes,
  JobView,
  MessageContext,
} from "../lifecycle/job-kind.ts";
import type { QueueOwner } from "../queue/fair-order.ts";
import type { JobQueue } from "../queue/queue.ts";

/** The end of a job's work. The job may already continue in the same transaction. */
interface JobEnd<T extends JobTypes> {
  readonly row: T["View"];
  readonly status: "completed" | "failed";
}

export interface JobAnnouncer {
  /**
   * Announces the end of a job to the organization's webhooks. Must be called in the transaction that ends the job, so
   * that either both the end and the messages are stored or neither is.
   */
  announceEnd<T extends JobTypes>(
    kind: JobKind<T>,
    transaction: Kysely<Tables>,
    end: JobEnd<T>,
  ): Promise<void>;
  /** Announces another event of a job, in the transaction of the event. */
  announce(
    transaction: Kysely<Tables>,
    row: Pick<JobView, "id" | "organization_id" | "project_id">,
    createMessage: (context: MessageContext) => JobMessage | undefined,
  ): Promise<void>;
}

export interface AnnouncerOptions extends MessageContext {
  readonly queue: Pick<JobQueue, "enqueue">;
}

export function createJobAnnouncer(options: AnnouncerOptions): JobAnnouncer {
  const announcer: JobAnnouncer = {
    async announceEnd(kind, transaction, { row, status }) {
      await announcer.announce(transaction, row, (context) =>
        kind.createMessage?.(row, status, context),
      );
    },
    async announce(transaction, row, createMessage) {
      const message = createMessage(options);
      if (!message) return;
      const { organization_id: organizationId, project_id: projectId } = row;
      const { event, data } = message;
      const webhooks = await transaction
        .selectFrom("webhooks")
        .select("id")
        .where("organization_id", "=", organizationId)
        .where("disabled_at", "is", null)
        .where(sql<boolean>`${event} = any(events)`)
        .orderBy("id")
        // Deleting or disabling a webhook waits for this lock, and therefore also affects the messages written here.
        .forShare()
        .execute();
      if (webhooks.length === 0) return;
      const created_at = new Date();
      const body = JSON.stringify({ type: event, timestamp: created_at.toISOString(), data });
      const deliveries = webhooks.map(({ id }) => ({
        id: createId("webhookMessage"),
        webhook_id: id,
        event,
        job_id: row.id,
        project_id: projectId,
        body,
        created_at,
        next_attempt_at: created_at,
      }));
      await transaction.insertInto("webhook_deliveries").values(deliveries).execute();
      for (const { id: deliveryId } of deliveries) {
        const attempt = { deliveryId, number: 1, organizationId, projectId };
        await enqueueAttempt(transaction, options.queue, attempt);
      }
    },
  };
  return announcer;
}

interface QueuedAttempt extends QueueOwner {
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
