import type { Kysely } from "kysely";
import { OctavoError } from "@octavo/site/core";
import type { Tables } from "../../db/index.ts";
import type { JobQueue } from "../queue.ts";
import { newestOf } from "../static-export/exports.ts";
import { exportOf } from "../static-export/job.ts";
import type { StaticExportJob } from "../static-export/job.ts";
import { startPreview } from "../static-export/previews.ts";
import { branchName } from "./job.ts";

/** One of a job's branches as a site to look at. */
export interface AgentPreview {
  readonly branch: string;
  /** The branch's newest export; undefined where there is none. */
  readonly job: StaticExportJob | undefined;
  /** Whether the service has pushed to the branch since that export began. */
  readonly isBehind: boolean;
}

/**
 * Where a person looks at one of a job's branches, at once or after signing in: at the whole site, or at
 * the page of that path. The address holds neither spaces nor brackets.
 */
export type PreviewUrl = (
  branch: {
    readonly projectId: string;
    readonly jobId: string;
    /** Counts the job's branches from 1. */
    readonly branchNumber: number;
  },
  page?: string,
) => string;

interface BranchOfJob {
  readonly projectId: string;
  readonly jobId: string;
  /** Counts the job's branches from 1. */
  readonly number: number;
}

/** Throws `not_found` where the job has brought no such branch to the code host. */
export async function findPreview(
  kysely: Kysely<Tables>,
  { projectId, jobId, number }: BranchOfJob,
): Promise<AgentPreview> {
  const job = await kysely
    .selectFrom("agent_jobs")
    .select(["branch_number", "head_commit", "ended_at"])
    .where("id", "=", jobId)
    .where("project_id", "=", projectId)
    .executeTakeFirst();
  const isLast = job?.branch_number === number;
  const isThere = isLast ? job.head_commit !== null : number < (job?.branch_number ?? 0);
  if (!job || number < 1 || !isThere) {
    throw new OctavoError(
      "not_found",
      "The agent job has changed nothing that could be looked at.",
    );
  }
  const branch = branchName(jobId, number);
  const row = await newestOf(kysely, projectId, branch).executeTakeFirst();
  if (!row) return { branch, job: undefined, isBehind: false };
  // An export that began after the last turn is of what that turn left there, or of something newer.
  const isOlder = job.ended_at !== null && row.created_at < job.ended_at;
  const isBehind = isLast && isOlder && row.commit !== job.head_commit;
  return { branch, job: exportOf(row).job, isBehind };
}

/**
 * Starts a preview of where the branch is now, in a transaction that holds the job's row; one that is
 * under way is enough. Errors as of `findPreview`, and `forbidden` below the plan enterprise.
 */
export async function makePreview(
  transaction: Kysely<Tables>,
  queue: JobQueue,
  branchOfJob: BranchOfJob,
): Promise<void> {
  const { branch, job } = await findPreview(transaction, branchOfJob);
  if (job?.status === "queued" || job?.status === "running") return;
  const request = { projectId: branchOfJob.projectId, ref: branch };
  if (await startPreview(transaction, queue, request)) return;
  throw new OctavoError(
    "forbidden",
    "A preview is a static export, which needs the plan enterprise.",
  );
}
