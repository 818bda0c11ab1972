import { sql } from "kysely";
import type { Kysely } from "kysely";
import type { Tables } from "../../db/index.ts";

/**
 * Has the code host of a project asked for its open pull requests at the next turn, if the site previews them. Call it
 * when they may have changed.
 */
export async function askForReviews(
  handle: Kysely<Tables>,
  projectId: string,
  trigger: "hook" | "push" | null,
): Promise<void> {
  await sql`
    insert into review_polls as polls (project_id, next_at, trigger)
      select project_id, now(), ${trigger} from sites where project_id = ${projectId}
    on conflict (project_id) do update
      set next_at = least(polls.next_at, now()), trigger = excluded.trigger`.execute(handle);
}
