import type { Kysely } from "kysely";
import { createId } from "../../core/index.ts";
import type { Tables } from "../../db/index.ts";
import { canExport } from "../../projects/index.ts";
import { failJob } from "../lifecycle/fail-job.ts";
import type { JobQueue } from "../queue/queue.ts";
import type { JobAnnouncer } from "../webhooks/announce.ts";
import { staticExportKind } from "./kind.ts";

export interface PreviewRequest {
  readonly projectId: string;
  /** The branch to preview. */
  readonly ref: string;
  /** The commit to preview. Defaults to the branch's tip when the job runs. */
  readonly commit?: string;
}

export interface PreviewOptions {
  readonly queue: JobQueue;
  readonly announcer: JobAnnouncer;
}

/**
 * Starts the export of a branch under review, in the caller's transaction. Cancels an earlier preview of the branch
 * that is still queued or running. If the organization's plan does not include exports, returns false without starting
 * a preview.
 */
export async function startPreview(
  transaction: Kysely<Tables>,
  { queue, announcer }: PreviewOptions,
  { projectId, ref, commit }: PreviewRequest,
): Promise<boolean> {
  const project = await findProject(transaction, projectId);
  if (!canExport(project.plan)) return false;
  const earlierPreviews = await transaction
    .selectFrom("static_export_jobs")
    .select("id")
    .where("project_id", "=", projectId)
    .where("ref", "=", ref)
    .where("purpose", "=", "preview")
    .where("status", "in", staticExportKind.statuses.open)
    .execute();
  const error = "Cancelled because the branch has a newer commit.";
  for (const { id: jobId } of earlierPreviews) {
    await failJob(staticExportKind, transaction, { jobId, error, isCancelled: true, announcer });
  }
  const { id } = await transaction
    .insertInto("static_export_jobs")
    .values({
      id: createId("staticExport"),
      organization_id: project.organization_id,
      project_id: projectId,
      domain: project.domain,
      ref,
      commit: commit ?? null,
      // The format of deployments, with which the preview is compared.
      format: "zip",
      purpose: "preview",
      status: "queued",
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  // A preview may never be opened, so jobs that people started come first.
  const owner = { organizationId: project.organization_id, projectId };
  await queue.enqueue(transaction, staticExportKind.queue, id, {
    owner,
    isUrgent: commit === undefined,
  });
  return true;
}

async function findProject(transaction: Kysely<Tables>, projectId: string) {
  return await transaction
    .selectFrom("projects")
    .innerJoin("organizations", "organizations.id", "projects.organization_id")
    .select(["projects.organization_id", "projects.domain", "organizations.plan"])
    .where("projects.id", "=", projectId)
    .executeTakeFirstOrThrow();
}
