import type { Selectable } from "kysely";
import type { CodeHost, CodeHostProject, PullRequest } from "../../codehost/index.ts";
import { isOctavoError } from "@octavo/site/core";
import type { AgentJobsTable } from "../../db/index.ts";
import type { GitWork } from "../../git/index.ts";
import { branchName } from "./job.ts";
import type { FollowOptions } from "./follow-options.ts";

/** A branch that was pushed, or about to be, when its turn ended without a pull request. */
export interface LeftBranch {
  readonly branch: string;
  /** Where the service put it. */
  readonly commit: string;
}

export interface BranchPlace {
  readonly gitWork: GitWork;
  readonly host: CodeHost;
  readonly project: CodeHostProject;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The pull request of a branch, which may have been made although nobody heard of it. Where there is
 * none, the branch is taken away, unless somebody went on with it or the code host keeps it.
 */
export async function findOrRemove(
  { gitWork, host, project, signal }: BranchPlace,
  { branch, commit }: LeftBranch,
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

/** Some at a time: each asks a code host. */
const batch = 20;
/** Whoever worked on the job when it ended has stopped by then. */
const restMs = 2 * 60 * 1000;
/** What could not be looked at is left for so long, ... */
const againMs = 60 * 60 * 1000;
/** ... and for good in the end. Few jobs ended so lately, however many there are. */
const patienceMs = 3 * 24 * 60 * 60 * 1000;

/**
 * Looks at jobs that ended between their push and their pull request: one that was made is noted, and a
 * branch without one is taken away. May run on several nodes at once.
 */
export async function settleLeftBranches(options: FollowOptions): Promise<void> {
  const { database, gitWork, log } = options;
  for (const row of await nextRows(options)) {
    const { id, project_id, branch, head_commit: commit, code_host, repository } = row;
    if (commit === null) continue;
    try {
      const credentials = await options.readCredentials(project_id);
      const project = { id: project_id, repository, ...(credentials && { credentials }) };
      const place = { gitWork, host: options.codeHosts[code_host], project };
      const found = await findOrRemove(place, { branch, commit });
      await database.kysely
        .updateTable("agent_jobs")
        .set(found ? pullRequestOf(found) : nextBranchOf(row))
        .where("id", "=", id)
        // A turn that began meanwhile has looked by itself.
        .where("status", "<>", "active")
        .where("head_commit", "=", commit)
        .execute();
    } catch (err) {
      log.info({ jobId: id, err }, "A branch without a pull request could not be looked at.");
    }
  }
}

function pullRequestOf({ number, url, state }: PullRequest) {
  return {
    pull_request_number: number,
    pull_request_url: url,
    pull_request_state: state,
    pull_request_seen_at: new Date(),
  };
}

/** A name that was never on the code host, whatever became of the one before. */
function nextBranchOf(job: Pick<Selectable<AgentJobsTable>, "id" | "turn" | "branch_number">) {
  const branch_number = job.branch_number + 1;
  const branch = branchName(job.id, branch_number);
  return { branch, branch_number, branch_turn: job.turn + 1, head_commit: null };
}

/** Marked as seen at once, so that one which cannot be looked at does not stand in the others' way. */
async function nextRows({ database, now = new Date() }: FollowOptions) {
  const before = (ms: number) => new Date(now.getTime() - ms);
  return await database.kysely
    .updateTable("agent_jobs")
    .from("projects")
    .set({ pull_request_seen_at: now })
    .whereRef("projects.id", "=", "agent_jobs.project_id")
    .whereRef("projects.repository", "=", "agent_jobs.repository")
    .where("agent_jobs.id", "in", (eb) =>
      eb
        .selectFrom("agent_jobs")
        .select("id")
        .where("head_commit", "is not", null)
        .where("pull_request_number", "is", null)
        .where("status", "<>", "active")
        .where("ended_at", "<", before(restMs))
        .where("ended_at", ">", before(patienceMs))
        .where((or) =>
          or.or([
            or("pull_request_seen_at", "is", null),
            or("pull_request_seen_at", "<", before(againMs)),
          ]),
        )
        .limit(batch),
    )
    .returning([
      "agent_jobs.id",
      "agent_jobs.project_id",
      "agent_jobs.branch",
      "agent_jobs.branch_number",
      "agent_jobs.turn",
      "agent_jobs.head_commit",
      "projects.code_host",
      "projects.repository",
    ])
    .execute();
}
