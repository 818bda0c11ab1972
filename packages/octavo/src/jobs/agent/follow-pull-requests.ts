import { cleanUpOrphanBranches, takeJobs } from "./orphan-branches.ts";
import { updateReviewNotes } from "./refused-pull-requests.ts";
import type { PullRequestSyncOptions } from "./orphan-branches.ts";

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
 * be reopened. Least recently read pull requests come first. Notes what reviewers refused. A pull request that cannot be read keeps its state. Also
 * removes branches that never got a pull request. May run on several nodes at the same time.
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
