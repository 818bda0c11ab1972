import { cleanUpOrphanBranches, takeJobs } from "./orphan-branches.ts";
import type { PullRequestSyncOptions } from "./orphan-branches.ts";

/** Numbers that a code host's rate limits allow each minute, however many jobs there are. */
const [openBatch, closedBatch] = [20, 5];
/** People reopen what they closed soon, or not at all. */
const closedAgeMs = 30 * 24 * 60 * 60 * 1_000;
const closedRestMs = 10 * 60 * 1_000;

/**
 * Reads the state of open pull requests from the code hosts, and of those that were closed in the last month and may
 * be reopened, the least recently read first; removes branches that never got a pull request. One that cannot be read
 * keeps its state. May run on several nodes at once.
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
      const { state, isDraft } = await options.codeHosts[code_host].get(project, number);
      await database.kysely
        .updateTable("agent_jobs")
        .set({ pull_request_state: state, pull_request_draft: isDraft })
        .where("id", "=", id)
        // A turn that started meanwhile may have opened another one.
        .where("pull_request_number", "=", number)
        .where("status", "<>", "active")
        .execute();
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
