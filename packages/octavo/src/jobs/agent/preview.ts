import type { Kysely } from "kysely";
import { OctavoError } from "@octavo/site/core";
import { renumberAgentBranch } from "../../core/index.ts";
import type { Tables } from "../../db/index.ts";
import { recordEvent } from "../../projects/index.ts";
import type { ActorScope } from "../../projects/index.ts";
import { selectNewest } from "../static-export/exports.ts";
import { toExportSnapshot } from "../static-export/job.ts";
import type { StaticExportJob } from "../static-export/job.ts";
import { startPreview } from "../static-export/previews.ts";
import type { PreviewOptions } from "../static-export/previews.ts";

/** The preview of one of a job's branches. */
export interface AgentPreview {
  readonly branch: string;
  /** The newest export of the branch; undefined if there is none. */
  readonly job: StaticExportJob | undefined;
  /** Whether the service has pushed to the branch since that export began. */
  readonly isOutdated: boolean;
}

/**
 * Returns the URL of a branch's preview in the dashboard, for the whole site or one page. Readers may have to sign in
 * first. The URL contains no spaces or brackets.
 */
export type PreviewUrl = (
  branch: {
    readonly projectId: string;
    readonly jobId: string;
    /** The number of the job's branch, starting at 1. */
    readonly branchNumber: number;
  },
  page?: string,
) => string;

interface JobBranch {
  readonly projectId: string;
  readonly jobId: string;
  /** The number of the job's branch, starting at 1. */
  readonly number: number;
}

/** Finds the preview of a branch. Throws `not_found` if the job has not pushed such a branch to the code host. */
export async function findPreview(
  kysely: Kysely<Tables>,
  { projectId, jobId, number }: JobBranch,
): Promise<AgentPreview> {
  const job = await kysely
    .selectFrom("agent_jobs")
    .select(["branch", "branch_number", "head_commit", "ended_at"])
    .where("id", "=", jobId)
    .where("project_id", "=", projectId)
    .executeTakeFirst();
  const isLast = job?.branch_number === number;
  const isThere = isLast ? job.head_commit !== null : number < (job?.branch_number ?? 0);
  if (!job || number < 1 || !isThere) {
    throw new OctavoError("not_found", "The agent job has not pushed any changes to preview.");
  }
  const branch = renumberAgentBranch(job.branch, number);
  const row = await selectNewest(kysely, projectId, branch).executeTakeFirst();
  if (!row) return { branch, job: undefined, isOutdated: false };
  // An export that started after the last turn contains that turn's result or a newer one.
  const isOlder = job.ended_at !== null && row.created_at < job.ended_at;
  const isBehind = isLast && isOlder && row.commit !== job.head_commit;
  return { branch, job: toExportSnapshot(row).job, isOutdated: isBehind };
}

/**
 * Starts a preview of the branch's current commit unless one is already queued or running. The caller's transaction
 * must have locked the job's row. Throws as `findPreview` does, and `forbidden` if the organization's plan is below
 * enterprise.
 */
export async function startBranchPreview(
  transaction: Kysely<Tables>,
  options: PreviewOptions,
  { by, ...branchOfJob }: JobBranch & { readonly by: ActorScope },
): Promise<void> {
  const { branch, job } = await findPreview(transaction, branchOfJob);
  if (job?.status === "queued" || job?.status === "running") return;
  const { projectId, jobId } = branchOfJob;
  if (await startPreview(transaction, options, { projectId, ref: branch })) {
    const target = { id: jobId, name: branch };
    return await recordEvent(transaction, by, { action: "preview.started", target, projectId });
  }
  throw new OctavoError(
    "forbidden",
    "A preview is a static export, which requires the enterprise plan.",
  );
}
