import { sql } from "kysely";
import type { Kysely } from "kysely";
import { hostedRepository, newId } from "../../core/index.ts";
import type { Tables } from "../../db/index.ts";
import type { WebhookEvent } from "../../projects/index.ts";
import type { AgentJob, AgentJobSnapshot } from "../agent/job.ts";
import type { JobQueue } from "../queue/queue.ts";
import type { StaticExportJob, StaticExportSnapshot } from "../static-export/job.ts";
import { enqueueAttempt } from "./attempt.ts";

/**
 * Announces the end of jobs to the organisation's webhooks. Call it in the transaction that ends the job:
 * either both the end and the messages are stored or neither.
 */
export interface JobAnnouncer {
  /** `ended` has completed or failed. */
  exportEnded(
    transaction: Kysely<Tables>,
    organizationId: string,
    ended: StaticExportSnapshot,
  ): Promise<void>;
  /** `ended` is the job as its turn ended, even if the next turn started in the same transaction. */
  turnEnded(
    transaction: Kysely<Tables>,
    organizationId: string,
    ended: AgentJobSnapshot,
  ): Promise<void>;
}

export interface AnnouncerOptions {
  readonly queue: Pick<JobQueue, "enqueue">;
  /** The clone address of a repository that the service hosts; called when a message is written. */
  readonly repositoryUrl: (projectId: string) => string;
}

export function createJobAnnouncer({ queue, repositoryUrl }: AnnouncerOptions): JobAnnouncer {
  return {
    async exportEnded(transaction, organizationId, { job, projectId }) {
      const hasFailed = job.status === "failed";
      const event = hasFailed ? "static_export.failed" : "static_export.completed";
      await announce(transaction, queue, {
        organizationId,
        projectId,
        event,
        jobId: job.jobId,
        job,
      });
    },
    async turnEnded(transaction, organizationId, { job, projectId }) {
      const event = job.status === "failed" ? "agent.failed" : "agent.completed";
      const { source } = job;
      const isHosted = source.repository === hostedRepository;
      const repository = isHosted ? repositoryUrl(projectId) : source.repository;
      const shown = { ...job, source: { ...source, repository } };
      await announce(transaction, queue, {
        organizationId,
        projectId,
        event,
        jobId: job.id,
        job: shown,
      });
    },
  };
}

interface JobEnd {
  readonly organizationId: string;
  readonly projectId: string;
  readonly event: WebhookEvent;
  readonly jobId: string;
  readonly job: StaticExportJob | AgentJob;
}

async function announce(
  transaction: Kysely<Tables>,
  queue: Pick<JobQueue, "enqueue">,
  { organizationId, projectId, event, jobId, job }: JobEnd,
): Promise<void> {
  const webhooks = await transaction
    .selectFrom("webhooks")
    .select("id")
    .where("organization_id", "=", organizationId)
    .where("disabled_at", "is", null)
    .where(sql<boolean>`${event} = any(events)`)
    .orderBy("id")
    // Deleting or disabling a webhook waits for this lock, and so covers the messages written here.
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
    project_id: projectId,
    body,
    created_at,
    next_attempt_at: created_at,
  }));
  await transaction.insertInto("webhook_deliveries").values(deliveries).execute();
  for (const { id: deliveryId } of deliveries) {
    await enqueueAttempt(transaction, queue, {
      deliveryId,
      number: 1,
      organizationId,
      projectId,
    });
  }
}
