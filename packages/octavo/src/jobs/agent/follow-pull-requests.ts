import { isOctavoError } from "@octavo/site/core";
import type { Kysely, Selectable, SelectQueryBuilder } from "kysely";
import type {
  CodeHost,
  CodeHostProject,
  PullRequest,
  PullRequestRemark,
  Review,
} from "../../codehost/index.ts";
import { renumberAgentBranch } from "../../core/index.ts";
import {
  transact,
  type Tables,
  type AgentJobsTable,
  type Database,
  type ProjectsTable,
} from "../../db/index.ts";
import type { Credentials, GitWork } from "../../git/index.ts";
import { addReviewNote } from "../../projects/index.ts";
import type { JobLog } from "../ports.ts";
import { buildPullRequestColumns } from "./claim.ts";
import { readPrompts } from "./history.ts";
import { isMarkedAnswer } from "./line-comments.ts";
import { findPullRequestOrRemoveBranch } from "./turn-work.ts";

/** The dependencies of `syncPullRequests`, which reads the pull requests and branches of all jobs. */
export interface PullRequestSyncOptions {
  readonly database: Database;
  readonly gitWork: GitWork;
  readonly codeHosts: Readonly<Record<ProjectsTable["code_host"], CodeHost>>;
  readonly readCredentials: (projectId: string) => Promise<Credentials | undefined>;
  readonly log: JobLog;
  readonly now?: Date;
}

/**
 * The maximum numbers of open and of closed pull requests that are read per minute. They keep the service within the
 * code hosts' rate limits, no matter how many jobs exist.
 */
const [maxOpenPerRun, maxClosedPerRun] = [20, 5];
/**
 * The time for which closed pull requests are read. People reopen a pull request soon after closing it, or not at all.
 */
const maxClosedAgeMs = 30 * 24 * 60 * 60 * 1_000;
const closedIntervalMs = 10 * 60 * 1_000;

/**
 * Reads the state of pull requests from the code hosts: of open pull requests, and of pull requests that were closed in
 * the last month, which may be reopened. Least recently read pull requests come first. Stores notes about pull requests
 * that reviewers rejected. A pull request that cannot be read keeps its state. Also removes branches that never got a
 * pull request. May run on several nodes at the same time.
 */
export async function syncPullRequests(options: PullRequestSyncOptions): Promise<void> {
  await syncStates(options);
  await cleanUpOrphanBranches(options);
}

async function syncStates(options: PullRequestSyncOptions): Promise<void> {
  const { database, log } = options;
  const rows = [
    ...(await takeNextRows(options, "open")),
    ...(await takeNextRows(options, "closed")),
  ];
  for (const row of rows) {
    const { id, project_id, number, code_host, repository } = row;
    try {
      const credentials = await options.readCredentials(project_id);
      const project = { id: project_id, repository, ...(credentials && { credentials }) };
      const host = options.codeHosts[code_host];
      const pullRequest = await host.get(project, number);
      const { state, isDraft } = pullRequest;
      await database.kysely
        .updateTable("agent_jobs")
        .set({ pull_request_state: state, pull_request_draft: isDraft })
        .where("id", "=", id)
        // A turn that has started in the meantime may have opened a different pull request.
        .where("pull_request_number", "=", number)
        .where("status", "<>", "active")
        .execute();
      const job = { id, projectId: project_id, host, project, pullRequest };
      await updateReviewNotes(database.kysely, job);
    } catch (err) {
      log.info({ jobId: id, err }, "A pull request's state could not be read.");
    }
  }
}

async function takeNextRows(
  { database, now = new Date() }: PullRequestSyncOptions,
  state: "open" | "closed",
) {
  const subtractFromNow = (ms: number) => new Date(now.getTime() - ms);
  const ids = database.kysely
    .selectFrom("agent_jobs")
    .select("id")
    .where("pull_request_state", "=", state)
    .where("status", "<>", "active")
    .$if(state === "closed", (closed) =>
      closed
        .where("ended_at", ">", subtractFromNow(maxClosedAgeMs))
        .where("pull_request_seen_at", "<", subtractFromNow(closedIntervalMs)),
    )
    .orderBy("pull_request_seen_at", (order) => order.asc().nullsFirst())
    .limit(state === "open" ? maxOpenPerRun : maxClosedPerRun);
  const rows = await takeJobs(database, { ids, now });
  return rows.flatMap(({ number, ...row }) => (number === null ? [] : [{ ...row, number }]));
}

/**
 * Marks the jobs as read before the code host is queried, so that a job that cannot be read does not block the others.
 */
async function takeJobs(
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

/** The maximum number of comments in a note, and the maximum length of each. The newest comments are used. */
const [maxComments, maxCommentLength] = [8, 200];

/** A job and its pull request, as the code host last reported it. */
interface ReviewedJob {
  readonly id: string;
  readonly projectId: string;
  readonly host: CodeHost;
  readonly project: CodeHostProject;
  readonly pullRequest: PullRequest;
}

/** A rejection of a pull request by its reviewers. */
interface Rejection {
  /**
   * Distinguishes this rejection from earlier rejections: `closed`, or the time of the newest review that requests
   * changes.
   */
  readonly key: string;
  /** A sentence that describes what reviewers did. */
  readonly sentence: string;
  readonly reviews: readonly Review[];
}

/**
 * Stores a note if reviewers closed a pull request without merging it, or requested changes to it, once per rejection.
 * A comment alone does not count, because it may not be a rejection. A later rejection replaces the note of an earlier
 * rejection. If the pull request is reopened, or merged without a review that requested changes, its note is removed. A
 * note that a person has edited stays.
 */
async function updateReviewNotes(kysely: Kysely<Tables>, job: ReviewedJob): Promise<void> {
  const { id, projectId, pullRequest } = job;
  const { number, url } = pullRequest;
  const row = await kysely
    .selectFrom("agent_jobs")
    .select(["noted_pull_request as noted", "noted_refusal as key"])
    .where("id", "=", id)
    .executeTakeFirst();
  if (!row) return;
  const isNoted = row.noted === number;
  const rejection = await findRejection(job);
  if (isNoted ? row.key === rejection?.key : rejection === undefined) return;
  const text = rejection && (await describeRejection(kysely, job, rejection));
  await transact(kysely, async (transaction) => {
    const updateResult = await transaction
      .updateTable("agent_jobs")
      .set({ noted_pull_request: rejection ? number : null, noted_refusal: rejection?.key ?? null })
      .where("id", "=", id)
      .where("noted_pull_request", "is not distinct from", row.noted)
      .where("noted_refusal", "is not distinct from", row.key)
      .executeTakeFirst();
    // Another node has already updated the note.
    if (updateResult.numUpdatedRows === 0n) return;
    const notes = await transaction
      .selectFrom("review_notes")
      .select(["id", "edited_at"])
      .where("job_id", "=", id)
      .where("pull_request_url", "=", url)
      .execute();
    const replacedIds = notes.flatMap((note) => (note.edited_at === null ? [note.id] : []));
    if (replacedIds.length > 0)
      await transaction.deleteFrom("review_notes").where("id", "in", replacedIds).execute();
    if (text !== undefined && notes.length === replacedIds.length)
      await addReviewNote(transaction, { projectId, jobId: id, pullRequestUrl: url, text });
  });
}

async function findRejection({
  host,
  project,
  pullRequest: { number, state, title },
}: ReviewedJob): Promise<Rejection | undefined> {
  const name = `the pull request "${formatLine(title)}"`;
  if (state === "closed") {
    return { key: "closed", sentence: `Reviewers closed ${name} without merging it.`, reviews: [] };
  }
  if (!host.capabilities.supportsReviews) return undefined;
  const reviews = (await host.listReviews(project, number)).filter(({ isByMember }) => isByMember);
  const rejectingReview = reviews.findLast(({ requestsChanges }) => requestsChanges);
  if (!rejectingReview) return undefined;
  const sentence = `Reviewers requested changes in ${name}.`;
  return { key: rejectingReview.createdAt.toISOString(), sentence, reviews };
}

async function describeRejection(
  kysely: Kysely<Tables>,
  job: ReviewedJob,
  { sentence, reviews }: Rejection,
): Promise<string> {
  const prompts = await readPrompts(kysely, job.projectId, [job.id]);
  const comments = await readComments(job, reviews);
  const commentLines = comments
    .filter(
      ({ isByMember, body }) => isByMember && formatLine(body) !== "" && !isMarkedAnswer(body),
    )
    .toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime())
    .slice(-maxComments)
    .map(({ author, body }) => `- ${formatLine(author)}: ${formatLine(body)}`);
  return [
    sentence,
    `The instruction was: ${formatLine(prompts.get(job.id) ?? "")}`,
    ...(commentLines.length === 0
      ? ["They left no comment."]
      : ["They commented:", ...commentLines]),
  ].join("\n");
}

/** Reads the reviews and comments on a pull request. Reuses the reviews that are already known. */
async function readComments(
  { host, project, pullRequest: { number } }: ReviewedJob,
  knownReviews: readonly Review[],
): Promise<readonly PullRequestRemark[]> {
  const { supportsComments, supportsLineComments, supportsReviews } = host.capabilities;
  try {
    return [
      ...(supportsReviews && knownReviews.length === 0
        ? await host.listReviews(project, number)
        : knownReviews),
      ...(supportsComments ? await host.listComments(project, number) : []),
      ...(supportsLineComments ? await host.listLineComments(project, number) : []),
    ];
  } catch (error) {
    // A rejection is worth a note even without the comments.
    if (isOctavoError(error) && error.code !== "cancelled") return knownReviews;
    throw error;
  }
}

function formatLine(text: string): string {
  const line = text.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, " ").trim();
  const isLong = line.length > maxCommentLength;
  return isLong ? `${line.slice(0, maxCommentLength - 1).toWellFormed()}…` : line;
}

/** The maximum number of branches that are checked per run. Each check costs one request to a code host. */
const maxOrphansPerRun = 20;
/** The time after a job's end by which a worker that still had the job has stopped. */
const gracePeriodMs = 2 * 60 * 1000;
/** The time after which a branch that could not be checked is retried. */
const orphanRetryMs = 60 * 60 * 1000;
/** The time after which a branch is no longer checked. This limits the number of candidates. */
const maxOrphanAgeMs = 3 * 24 * 60 * 60 * 1000;

/**
 * Checks jobs that ended after a push, but before a pull request was recorded. Records a pull request that exists, and
 * removes a branch without one. May run on several nodes at the same time.
 */
async function cleanUpOrphanBranches(options: PullRequestSyncOptions): Promise<void> {
  const { database, gitWork, log } = options;
  for (const row of await takeOrphans(options)) {
    const { id, project_id, branch, head_commit: commit, code_host, repository } = row;
    if (commit === null) continue;
    try {
      const credentials = await options.readCredentials(project_id);
      const project = { id: project_id, repository, ...(credentials && { credentials }) };
      const context = { gitWork, host: options.codeHosts[code_host], project };
      const pullRequest = await findPullRequestOrRemoveBranch(context, { branch, commit });
      await database.kysely
        .updateTable("agent_jobs")
        .set(pullRequest ? buildPullRequestColumns(pullRequest) : buildNextBranchColumns(row))
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

/** Returns the columns for the job's next branch, whose name was never pushed to the code host. */
function buildNextBranchColumns(
  job: Pick<Selectable<AgentJobsTable>, "branch" | "turn" | "branch_number">,
) {
  const branch_number = job.branch_number + 1;
  const branch = renumberAgentBranch(job.branch, branch_number);
  return { branch, branch_number, branch_turn: job.turn + 1, head_commit: null };
}

async function takeOrphans({ database, now = new Date() }: PullRequestSyncOptions) {
  const subtractFromNow = (ms: number) => new Date(now.getTime() - ms);
  const ids = database.kysely
    .selectFrom("agent_jobs")
    .select("id")
    .where("head_commit", "is not", null)
    .where("pull_request_number", "is", null)
    .where("status", "<>", "active")
    .where("ended_at", "<", subtractFromNow(gracePeriodMs))
    .where("ended_at", ">", subtractFromNow(maxOrphanAgeMs))
    .where((or) =>
      or.or([
        or("pull_request_seen_at", "is", null),
        or("pull_request_seen_at", "<", subtractFromNow(orphanRetryMs)),
      ]),
    )
    .limit(maxOrphansPerRun);
  return await takeJobs(database, { ids, now });
}
