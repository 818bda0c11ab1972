import type { Kysely } from "kysely";
import { isOctavoError } from "@octavo/site/core";
import type { CodeHost, CodeHostProject, PullRequest } from "../../codehost/index.ts";
import { transact, type Tables } from "../../db/index.ts";
import { addReviewNote } from "../../projects/index.ts";
import { readPrompts } from "./history.ts";
import { isMarkedAnswer } from "./line-comments.ts";

/** The maximum number of comments in a note, and the maximum length of each. The newest comments are used. */
const [maxComments, maxCommentLength] = [8, 200];

/** A job and its pull request, as the code host last reported it. */
export interface ReviewedJob {
  readonly id: string;
  readonly projectId: string;
  readonly host: CodeHost;
  readonly project: CodeHostProject;
  readonly pullRequest: PullRequest;
}

/**
 * Stores a note if reviewers closed a pull request without a merge, once for each pull request. Such an end is a fact on
 * every code host; whether a comment on a merged change refuses something is not. If the pull request is opened again or
 * merged, removes its note unless a person has edited it.
 */
export async function updateReviewNotes(kysely: Kysely<Tables>, job: ReviewedJob): Promise<void> {
  const { id, projectId, pullRequest } = job;
  const { number, state, url } = pullRequest;
  const row = await kysely
    .selectFrom("agent_jobs")
    .select("noted_pull_request as noted")
    .where("id", "=", id)
    .executeTakeFirst();
  if (!row || (row.noted === number) === (state === "closed")) return;
  const text = state === "closed" ? await describeRefusal(kysely, job) : undefined;
  if (text === undefined && row.noted !== number) return;
  await transact(kysely, async (transaction) => {
    const changed = await transaction
      .updateTable("agent_jobs")
      .set({ noted_pull_request: text === undefined ? null : number })
      .where("id", "=", id)
      .where("noted_pull_request", "is not distinct from", row.noted)
      .executeTakeFirst();
    // Another node was faster.
    if (changed.numUpdatedRows === 0n) return;
    if (text !== undefined) {
      await addReviewNote(transaction, { projectId, jobId: id, pullRequestUrl: url, text });
      return;
    }
    await transaction
      .deleteFrom("review_notes")
      .where("job_id", "=", id)
      .where("pull_request_url", "=", url)
      .where("edited_at", "is", null)
      .execute();
  });
}

async function describeRefusal(kysely: Kysely<Tables>, job: ReviewedJob): Promise<string> {
  const prompts = await readPrompts(kysely, job.projectId, [job.id]);
  const comments = await readReviewerComments(kysely, job);
  const shown = comments
    .slice(-maxComments)
    .map(({ author, body }) => `- ${formatLine(author)}: ${formatLine(body)}`);
  return [
    `Reviewers closed the pull request "${formatLine(job.pullRequest.title)}" without merging it.`,
    `It was asked for with: ${formatLine(prompts.get(job.id) ?? "")}`,
    ...(shown.length === 0 ? ["They left no comment."] : ["They commented:", ...shown]),
  ].join("\n");
}

interface ReviewerComment {
  readonly author: string;
  readonly body: string;
}

/** Reads the comments of people who may write to the repository, oldest first. */
async function readReviewerComments(
  kysely: Kysely<Tables>,
  { projectId, host, project, pullRequest: { number } }: ReviewedJob,
): Promise<readonly ReviewerComment[]> {
  // On the service's own code host, only people with a right to the project comment. Other hosts have no such rows.
  const own = await kysely
    .selectFrom("pull_request_comments")
    .select(["author", "body"])
    .where("project_id", "=", projectId)
    .where("number", "=", number)
    .orderBy("id", "desc")
    .limit(maxComments)
    .execute();
  if (own.length > 0 || !host.capabilities.supportsLineComments) return own.toReversed();
  try {
    const comments = await host.listLineComments(project, number);
    return comments.filter(({ isByMember, body }) => isByMember && !isMarkedAnswer(body));
  } catch (error) {
    // The end of the pull request is worth a note without its comments.
    if (isOctavoError(error) && error.code !== "cancelled") return [];
    throw error;
  }
}

function formatLine(text: string): string {
  const line = text.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, " ").trim();
  const isLong = line.length > maxCommentLength;
  return isLong ? `${line.slice(0, maxCommentLength - 1).toWellFormed()}…` : line;
}
