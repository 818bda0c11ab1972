import { sql } from "kysely";
import type { Kysely } from "kysely";
import type { Tables } from "../../db/index.ts";

/** The channel on which nodes learn that a project's open pull requests need to be queried. */
export const reviewsChannel = "octavo_reviews";

/**
 * Makes the next poll of a project's open pull requests due immediately, if the project has a site. Call it when they
 * may have changed.
 */
export async function scheduleReviewSync(
  handle: Kysely<Tables>,
  projectId: string,
  trigger: "hook" | "push" | null,
): Promise<void> {
  await sql`
    insert into review_polls as polls (project_id, next_at, trigger)
      select project_id, now(), ${trigger} from sites where project_id = ${projectId}
    on conflict (project_id) do update
      set next_at = least(polls.next_at, now()), trigger = excluded.trigger`.execute(handle);
  await sql`select pg_notify(${reviewsChannel}, ${projectId})`.execute(handle);
}

/**
 * A failure of the last attempt to read the open pull requests of a project, or to report a preview to the code host.
 */
export interface ReviewProblem {
  /** The number of the pull request; null if their list could not be read. */
  readonly number: number | null;
  readonly reason: string;
}

const maxProblems = 5;

/**
 * Lists the latest failures: the failure to list pull requests first, then the failures of the newest pull requests.
 */
export async function listReviewProblems(
  handle: Kysely<Tables>,
  projectId: string,
): Promise<readonly ReviewProblem[]> {
  const { rows } = await sql<ReviewProblem>`
    select null::integer as number, error as reason from review_polls
      where project_id = ${projectId} and error is not null
    union all
    select number, error from reviews
      where project_id = ${projectId} and error is not null and ended_at is null
    order by number desc nulls first limit ${maxProblems}`.execute(handle);
  return rows;
}
