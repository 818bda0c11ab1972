import type { Database } from "../../db/index.ts";
import type { FollowOptions } from "./follow-options.ts";
import { settleLeftBranches } from "./left-branches.ts";

/** As many as a code host's limits bear each minute, whatever the number of jobs. */
const batch = 20;

/**
 * Asks the code hosts what became of open pull requests, those that were asked for longest ago first, and
 * takes branches away that never got one. One that cannot be read stays as it was. May run on several
 * nodes at once.
 */
export async function refreshPullRequests(options: FollowOptions): Promise<void> {
  await refreshOpen(options);
  await settleLeftBranches(options);
}

async function refreshOpen(options: FollowOptions): Promise<void> {
  const { database, log } = options;
  for (const row of await nextRows(database)) {
    const { id, project_id, number, code_host, repository } = row;
    try {
      const credentials = await options.readCredentials(project_id);
      const project = { id: project_id, repository, ...(credentials && { credentials }) };
      const { state } = await options.codeHosts[code_host].get(project, number);
      await database.kysely
        .updateTable("agent_jobs")
        .set({ pull_request_state: state })
        .where("id", "=", id)
        // A turn that began meanwhile may have opened another one.
        .where("pull_request_number", "=", number)
        .where("status", "<>", "active")
        .execute();
    } catch (err) {
      log.info({ jobId: id, err }, "A pull request could not be looked at.");
    }
  }
}

/** Marked as seen at once, so that one which cannot be read does not stand in the others' way. */
async function nextRows({ kysely }: Database) {
  const rows = await kysely
    .updateTable("agent_jobs")
    .from("projects")
    .set({ pull_request_seen_at: new Date() })
    .whereRef("projects.id", "=", "agent_jobs.project_id")
    .whereRef("projects.repository", "=", "agent_jobs.repository")
    .where("agent_jobs.id", "in", (eb) =>
      eb
        .selectFrom("agent_jobs")
        .select("id")
        .where("pull_request_state", "=", "open")
        .where("status", "<>", "active")
        .orderBy("pull_request_seen_at", (order) => order.asc().nullsFirst())
        .limit(batch),
    )
    .returning([
      "agent_jobs.id",
      "agent_jobs.project_id",
      "agent_jobs.pull_request_number as number",
      "projects.code_host",
      "projects.repository",
    ])
    .execute();
  return rows.flatMap(({ number, ...row }) => (number === null ? [] : [{ ...row, number }]));
}
