import type { Selectable, SelectQueryBuilder } from "kysely";
import type { CodeHost, CodeHostProject, PullRequest } from "../../codehost/index.ts";
import { isOctavoError } from "@octavo/site/core";
import { renumberAgentBranch } from "../../core/index.ts";
import type { AgentJobsTable, Database, ProjectsTable, Tables } from "../../db/index.ts";
import type { Credentials, GitWork } from "../../git/index.ts";
import type { JobLog } from "../ports.ts";
import { pullRequestColumns } from "./claim.ts";

/** The dependencies of the synchronization with code hosts. It reads the pull requests and branches of all jobs. */
export interface PullRequestSyncOptions {
  readonly database: Database;
  readonly gitWork: GitWork;
  readonly codeHosts: Readonly<Record<ProjectsTable["code_host"], CodeHost>>;
  readonly readCredentials: (projectId: string) => Promise<Credentials | undefined>;
  readonly log: JobLog;
  readonly now?: Date;
}

/** A branch that was pushed, or was about to be pushed, by a turn that ended without a pull request. */
export interface OrphanBranch {
  readonly branch: string;
  /** The tip that the service pushed. */
  readonly commit: string;
}

export interface BranchContext {
  readonly gitWork: GitWork;
  readonly host: CodeHost;
  readonly project: CodeHostProject;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Finds the pull request of a branch, which may exist although its creation was never recorded. If there is no pull
 * request, removes the branch, unless someone else has pushed to it or the code host refuses.
 */
export async function findPullRequestOrRemove(
  { gitWork, host, project, signal }: BranchContext,
  { branch, commit }: OrphanBranch,
): Promise<PullRequest | undefined> {
  const found = await host.find(project, { head: branch, state: "any" }, signal);
  if (found) return found;
  const target = await host.pushTarget(project, signal);
  try {
    await gitWork.removeBranch(target, { target, branch, expected: commit }, signal);
  } catch (error) {
    if (!isOctavoError(error, "conflict") && !isOctavoError(error, "forbidden")) throw error;
  }
  return undefined;
}

/** The number of branches checked per run. Each check costs one request to a code host. */
const batchSize = 20;
/** The time after a job's end by which a worker that still had the job has stopped. */
const gracePeriodMs = 2 * 60 * 1000;
/** The time after which a branch that could not be checked is retried. */
const retryMs = 60 * 60 * 1000;
/** The time after which a branch is no longer checked. This limits the number of candidates. */
const maxAgeMs = 3 * 24 * 60 * 60 * 1000;

/**
 * Checks jobs that ended between their push and their pull request. Records a pull request that exists, and removes a
 * branch without one. May run on several nodes at the same time.
 */
export async function cleanUpOrphanBranches(options: PullRequestSyncOptions): Promise<void> {
  const { database, gitWork, log } = options;
  for (const row of await takeNextRows(options)) {
    const { id, project_id, branch, head_commit: commit, code_host, repository } = row;
    if (commit === null) continue;
    try {
      const credentials = await options.readCredentials(project_id);
      const project = { id: project_id, repository, ...(credentials && { credentials }) };
      const place = { gitWork, host: options.codeHosts[code_host], project };
      const found = await findPullRequestOrRemove(place, { branch, commit });
      await database.kysely
        .updateTable("agent_jobs")
        .set(found ? pullRequestColumns(found) : nextBranchColumns(row))
        .where("id", "=", id)
        // A turn that has started since then has checked this itself.
        .where("status", "<>", "active")
        .where("head_commit", "=", commit)
        .execute();
    } catch (err) {
      log.info({ jobId: id, err }, "A branch without a pull request could not be checked.");
    }
  }
}

/**
 * Returns columns with a branch name that was never pushed to the code host, whatever happened to the previous branch.
 */
function nextBranchColumns(
  job: Pick<Selectable<AgentJobsTable>, "branch" | "turn" | "branch_number">,
) {
  const branch_number = job.branch_number + 1;
  const branch = renumberAgentBranch(job.branch, branch_number);
  return { branch, branch_number, branch_turn: job.turn + 1, head_commit: null };
}

async function takeNextRows({ database, now = new Date() }: PullRequestSyncOptions) {
  const before = (ms: number) => new Date(now.getTime() - ms);
  const ids = database.kysely
    .selectFrom("agent_jobs")
    .select("id")
    .where("head_commit", "is not", null)
    .where("pull_request_number", "is", null)
    .where("status", "<>", "active")
    .where("ended_at", "<", before(gracePeriodMs))
    .where("ended_at", ">", before(maxAgeMs))
    .where((or) =>
      or.or([
        or("pull_request_seen_at", "is", null),
        or("pull_request_seen_at", "<", before(retryMs)),
      ]),
    )
    .limit(batchSize);
  return await takeJobs(database, { ids, now });
}

/** Marks jobs as read before they are read, so that a job that cannot be read does not block the others. */
export async function takeJobs(
  { kysely }: Database,
  {
    ids,
    now,
  }: {
    readonly ids: SelectQueryBuilder<Tables, "agent_jobs", { id: string }>;
    readonly now: Date;
  },
) {
  return await kysely
    .updateTable("agent_jobs")
    .from("projects")
    .set({ pull_request_seen_at: now })
    .whereRef("projects.id", "=", "agent_jobs.project_id")
    .whereRef("projects.repository", "=", "agent_jobs.repository")
    .where("agent_jobs.id", "in", ids)
    .returning([
      "agent_jobs.id",
      "agent_jobs.project_id",
      "agent_jobs.branch",
      "agent_jobs.branch_number",
      "agent_jobs.turn",
      "agent_jobs.head_commit",
      "agent_jobs.pull_request_number as number",
      "projects.code_host",
      "projects.repository",
    ])
    .execute();
}
