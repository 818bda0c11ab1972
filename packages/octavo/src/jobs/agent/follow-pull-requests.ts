import { isOctavoError } from "@octavo/site/core";
import type { Kysely, Selectable, SelectQueryBuilder } from "kysely";
import type {
  CodeHost,
  CodeHostProject,
  PullRequest,
  Remark,
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
import { pullRequestColumns } from "./claim.ts";
import { readPrompts } from "./history.ts";
import { isMarkedAnswer } from "./line-comments.ts";
import { findPullRequestOrRemove } from "./turn-work.ts";

/** The dependencies of the synchronization with code hosts. It reads the pull requests and branches of all jobs. */
export interface PullRequestSyncOptions {
  readonly database: Database;
  readonly gitWork: GitWork;
  readonly codeHosts: Readonly<Record<ProjectsTable["code_host"], CodeHost>>;
  readonly readCredentials: (projectId: string) => Promise<Credentials | undefined>;
  readonly log: JobLog;
  readonly now?: Date;
}

/**
 * The number of open and closed pull requests read per minute. However many jobs exist, this stays within the code
 * hosts' rate limits.
 */
const [openBatch, closedBatch] = [20, 5];
/**
 * The time for which closed pull requests are read. People reopen a pull request soon after closing it, or not at all.
 */
const closedAgeMs = 30 * 24 * 60 * 60 * 1_000;
const closedRestMs = 10 * 60 * 1_000;

/**
 * Reads the state of pull requests from the code hosts: of open ones, and of those closed in the last month, which may
 * be reopened. Least recently read pull requests come first. Notes what reviewers rejected. A pull request that cannot
 * be read keeps its state. Also removes branches that never got a pull request. May run on several nodes at the same
 * time.
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
        // A turn that has started since may have opened a different pull request.
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
  const before = (ms: number) => new Date(now.getTime() - ms);
  const ids = database.kysely
    .selectFrom("agent_jobs")
    .select("id")
    .where("pull_request_state", "=", state)
    .where("status", "<>", "active")
    .$if(state === "closed", (closed) =>
      closed
        .where("ended_at", ">", before(closedAgeMs))
        .where("pull_request_seen_at", "<", before(closedRestMs)),
    )
    .orderBy("pull_request_seen_at", (order) => order.asc().nullsFirst())
    .limit(state === "open" ? openBatch : closedBatch);
  const rows = await takeJobs(database, { ids, now });
  return rows.flatMap(({ number, ...row }) => (number === null ? [] : [{ ...row, number }]));
}

/** Marks jobs as read before they are read, so that a job that cannot be read does not block the others. */
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
interface Refusal {
  /**
   * Distinguishes this rejection from earlier ones: `closed`, or the time of the newest review that requests changes.
   */
  readonly key: string;
  /** A sentence that describes what reviewers did. */
  readonly sentence: string;
  readonly reviews: readonly Review[];
}

/**
 * Stores a note if reviewers closed a pull request without merging it, or requested changes to it, once per rejection.
 * A comment alone does not count, because it may not be a rejection. A later rejection replaces the note of an earlier
 * one. If the pull request is reopened, or merged without a review that requested changes, its note is removed. A note
 * that a person has edited stays.
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
  const refusal = await findRefusal(job);
  if (isNoted ? row.key === refusal?.key : refusal === undefined) return;
  const text = refusal && (await describeRefusal(kysely, job, refusal));
  await transact(kysely, async (transaction) => {
    const changed = await transaction
      .updateTable("agent_jobs")
      .set({ noted_pull_request: refusal ? number : null, noted_refusal: refusal?.key ?? null })
      .where("id", "=", id)
      .where("noted_pull_request", "is not distinct from", row.noted)
      .where("noted_refusal", "is not distinct from", row.key)
      .executeTakeFirst();
    // Another node was faster.
    if (changed.numUpdatedRows === 0n) return;
    const notes = await transaction
      .selectFrom("review_notes")
      .select(["id", "edited_at"])
      .where("job_id", "=", id)
      .where("pull_request_url", "=", url)
      .execute();
    const replaced = notes.flatMap((note) => (note.edited_at === null ? [note.id] : []));
    if (replaced.length > 0)
      await transaction.deleteFrom("review_notes").where("id", "in", replaced).execute();
    if (text !== undefined && notes.length === replaced.length)
      await addReviewNote(transaction, { projectId, jobId: id, pullRequestUrl: url, text });
  });
}

async function findRefusal({
  host,
  project,
  pullRequest: { number, state, title },
}: ReviewedJob): Promise<Refusal | undefined> {
  const name = `the pull request "${formatLine(title)}"`;
  if (state === "closed") {
    return { key: "closed", sentence: `Reviewers closed ${name} without merging it.`, reviews: [] };
  }
  if (!host.capabilities.supportsReviews) return undefined;
  const reviews = (await host.listReviews(project, number)).filter(({ isByMember }) => isByMember);
  const refused = reviews.findLast(({ requestsChanges }) => requestsChanges);
  if (!refused) return undefined;
  const sentence = `Reviewers requested changes in ${name}.`;
  return { key: refused.createdAt.toISOString(), sentence, reviews };
}

async function describeRefusal(
  kysely: Kysely<Tables>,
  job: ReviewedJob,
  { sentence, reviews }: Refusal,
): Promise<string> {
  const prompts = await readPrompts(kysely, job.projectId, [job.id]);
  const comments = await readComments(job, reviews);
  const shown = comments
    .filter(
      ({ isByMember, body }) => isByMember && formatLine(body) !== "" && !isMarkedAnswer(body),
    )
    .toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime())
    .slice(-maxComments)
    .map(({ author, body }) => `- ${formatLine(author)}: ${formatLine(body)}`);
  return [
    sentence,
    `The instruction was: ${formatLine(prompts.get(job.id) ?? "")}`,
    ...(shown.length === 0 ? ["They left no comment."] : ["They commented:", ...shown]),
  ].join("\n");
}

/** Reads the reviews and comments on a pull request. Reuses the reviews that are already known. */
async function readComments(
  { host, project, pullRequest: { number } }: ReviewedJob,
  known: readonly Review[],
): Promise<readonly Remark[]> {
  const { supportsComments, supportsLineComments, supportsReviews } = host.capabilities;
  try {
    return [
      ...(supportsReviews && known.length === 0 ? await host.listReviews(project, number) : known),
      ...(supportsComments ? await host.listComments(project, number) : []),
      ...(supportsLineComments ? await host.listLineComments(project, number) : []),
    ];
  } catch (error) {
    // A rejection is worth a note even without the comments.
    if (isOctavoError(error) && error.code !== "cancelled") return known;
    throw error;
  }
}

function formatLine(text: string): string {
  const line = text.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, " ").trim();
  const isLong = line.length > maxCommentLength;
  return isLong ? `${line.slice(0, maxCommentLength - 1).toWellFormed()}…` : line;
}

/** The number of branches checked per run. Each check costs one request to a code host. */
const orphanBatch = 20;
/** The time after a job's end by which a worker that still had the job has stopped. */
const gracePeriodMs = 2 * 60 * 1000;
/** The time after which a branch that could not be checked is retried. */
const orphanRetryMs = 60 * 60 * 1000;
/** The time after which a branch is no longer checked. This limits the number of candidates. */
const maxOrphanAgeMs = 3 * 24 * 60 * 60 * 1000;

/**
 * Checks jobs that ended between their push and their pull request. Records a pull request that exists, and removes a
 * branch without one. May run on several nodes at the same time.
 */
async function cleanUpOrphanBranches(options: PullRequestSyncOptions): Promise<void> {
  const { database, gitWork, log } = options;
  for (const row of await takeOrphans(options)) {
    const { id, project_id, branch, head_commit: commit, code_host, repository } = row;
    if (commit === null) continue;
    try {
      const credentials = await options.readCredentials(project_id);
      const project = { id: project_id, repository, ...(credentials && { credentials }) };
      const place = { gitWork, host: options.codeHosts[code_host], project };
      const found = await findPullRequestOrRemove(place, { branch, commit });
      await database.kysely
        .updateTable("agent_jobs")
        .set(found ? pullRequestColumns(found) : buildNextBranchColumns(row))
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
function buildNextBranchColumns(
  job: Pick<Selectable<AgentJobsTable>, "branch" | "turn" | "branch_number">,
) {
  const branch_number = job.branch_number + 1;
  const branch = renumberAgentBranch(job.branch, branch_number);
  return { branch, branch_number, branch_turn: job.turn + 1, head_commit: null };
}

async function takeOrphans({ database, now = new Date() }: PullRequestSyncOptions) {
  const before = (ms: number) => new Date(now.getTime() - ms);
  const ids = database.kysely
    .selectFrom("agent_jobs")
    .select("id")
    .where("head_commit", "is not", null)
    .where("pull_request_number", "is", null)
    .where("status", "<>", "active")
    .where("ended_at", "<", before(gracePeriodMs))
    .where("ended_at", ">", before(maxOrphanAgeMs))
    .where((or) =>
      or.or([
        or("pull_request_seen_at", "is", null),
        or("pull_request_seen_at", "<", before(orphanRetryMs)),
      ]),
    )
    .limit(orphanBatch);
  return await takeJobs(database, { ids, now });
}
