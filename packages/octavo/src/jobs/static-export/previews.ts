import type { Kysely } from "kysely";
import { newId } from "../../core/index.ts";
import type { Tables } from "../../db/index.ts";
import type { JobQueue } from "../queue.ts";
import { canExport } from "./exports.ts";

export interface PreviewRequest {
  readonly projectId: string;
  /** The branch to look at. */
  readonly ref: string;
  /** The commit to look at; where the branch is by then when absent. */
  readonly commit?: string;
}

/**
 * Starts the export of a branch under review, in a transaction of the caller's. An earlier preview of
 * the branch that is still under way is of no use any more and is ended. False where the
 * organisation's plan has no exports: then there is none.
 */
export async function startPreview(
  transaction: Kysely<Tables>,
  queue: JobQueue,
  { projectId, ref, commit }: PreviewRequest,
): Promise<boolean> {
  const project = await findProject(transaction, projectId);
  if (!canExport(project.plan)) return false;
  await transaction
    .updateTable("static_export_jobs")
    .set({
      status: "failed",
      error: "Cancelled, because the branch has a newer commit.",
      completed_at: new Date(),
    })
    .where("project_id", "=", projectId)
    .where("ref", "=", ref)
    .where("purpose", "=", "preview")
    .where("status", "in", ["queued", "running"])
    .execute();
  const { id } = await transaction
    .insertInto("static_export_jobs")
    .values({
      id: newId("staticExport"),
      organization_id: project.organization_id,
      project_id: projectId,
      domain: project.domain,
      ref,
      commit: commit ?? null,
      format: "tar.gz",
      purpose: "preview",
      status: "queued",
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  // Nobody may ever look at it: what people started comes first.
  await queue.enqueue(transaction, "static-export", id, { isAwaited: commit === undefined });
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
