import type { Kysely } from "kysely";
import type { Tables } from "../../packages/octavo/src/db/index.ts";
import { addReviewNote } from "../../packages/octavo/src/projects/index.ts";

/** Adds a note about a refused pull request, as the service does. Returns its ID. */
export async function addTestNote(
  db: Kysely<Tables>,
  projectId: string,
  jobId: string | null,
): Promise<string> {
  const pullRequestUrl = "https://git.example/acme/docs/pull/1";
  await addReviewNote(db, { projectId, jobId, pullRequestUrl, text: "Not like this." });
  const notes = db.selectFrom("review_notes").select("id").where("project_id", "=", projectId);
  return (await notes.orderBy("id", "desc").executeTakeFirstOrThrow()).id;
}
