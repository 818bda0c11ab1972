import { createHmac } from "node:crypto";
import { isOctavoError } from "@octavo/site/core";
import { collectAnswers, type ReviewComment } from "../../agent/index.ts";
import type { ThreadComment } from "../../codehost/index.ts";
import { addNote, findPathInSite } from "./turn-work.ts";
import type { TurnWork } from "./turn-work.ts";

/** The maximum number of threads that a turn reads, and the maximum lengths of one comment and of a diff. */
const [maxThreads, maxTextLength, maxDiffLength] = [100, 4_000, 2_000];

/** Matches the mark at the end of an answer, which is invisible to readers. */
const markPattern = /<!-- octavo:(\d{1,9}):[\w-]{43} -->\s*$/;

/**
 * Creates the mark that ends each of the service's answers in a thread and identifies the answers regardless of the
 * account's name. Only the service can create such a mark. A turn answers a thread once, so a second mark of the same
 * turn is a copy.
 */
function createMark({ answerKey, project }: TurnWork, threadId: number, turn: string): string {
  const signed = JSON.stringify([project.id, project.repository, threadId, turn]);
  const signature = createHmac("sha256", answerKey).update(signed).digest("base64url");
  return `<!-- octavo:${turn}:${signature} -->`;
}

/**
 * Reports whether a comment ends with a mark like the mark of the service's answers. Does not verify the mark, which
 * anyone can copy.
 */
export function isMarkedAnswer(body: string): boolean {
  return markPattern.test(body);
}

/** Returns the answers in a thread that the service itself wrote. */
function findOwnAnswers(
  work: TurnWork,
  thread: readonly ThreadComment[],
): ReadonlySet<ThreadComment> {
  const ownAnswers = new Map<string, ThreadComment>();
  for (const comment of thread) {
    const [mark, turn] = markPattern.exec(comment.body) ?? [];
    if (mark === undefined || turn === undefined || comment.threadId === undefined) continue;
    const isSigned = mark.trimEnd() === createMark(work, comment.threadId, turn);
    if (isSigned && !ownAnswers.has(turn)) ownAnswers.set(turn, comment);
  }
  return new Set(ownAnswers.values());
}

/**
 * Reads the threads on lines of the turn's pull request that were started by people who may write to the repository and
 * whose last comment is a person's. Ignores comments by others, because anyone may comment on a public repository. If
 * the host does not return the comments, records that in the transcript and returns an empty list.
 */
export async function readOpenComments(work: TurnWork): Promise<readonly ReviewComment[]> {
  try {
    const threads = await listOpenThreads(work);
    return threads.slice(-maxThreads).map((thread) => toReviewComment(thread, work.directory));
  } catch (error) {
    if (!isOctavoError(error) || error.code === "cancelled") throw error;
    await addNote(work.claim.transcript, "pull_request", {
      text: `The line comments could not be read: ${error.message}`,
      details: {},
    });
    return [];
  }
}

/**
 * Sends the model's answers to the comments. Threads that an earlier attempt answered are no longer open, so none is
 * answered twice. If the host rejects an answer, the turn does not fail, and the transcript records the error.
 */
export async function sendAnswers(
  work: TurnWork,
  comments: readonly ReviewComment[],
): Promise<void> {
  const { claim, host, project, signal } = work;
  const { pull_request_number: number } = claim.job;
  const answers = collectAnswers(claim.transcript.entries()).filter(({ id }) =>
    comments.some((comment) => comment.id === id),
  );
  if (answers.length === 0 || number === null) return;
  const refusals: string[] = [];
  let sentCount = 0;
  for (const { id: threadId, text } of answers) {
    try {
      const body = `${text}\n\n${createMark(work, threadId, String(claim.message.turn))}`;
      await host.replyToLineComment(project, number, { threadId, body, signal });
      sentCount += 1;
    } catch (error) {
      if (!isOctavoError(error) || error.code === "cancelled") throw error;
      refusals.push(error.message);
    }
  }
  const sentence = `Answered ${sentCount} of ${answers.length} ${answers.length === 1 ? "comment" : "comments"}.`;
  const reasons = [...new Set(refusals)].slice(0, 3).join(" ");
  await addNote(claim.transcript, "pull_request", {
    text: reasons === "" ? sentence : `${sentence} ${reasons}`,
    details: {},
  });
}

type Thread = readonly [first: ThreadComment, ...others: ThreadComment[]];

async function listOpenThreads(work: TurnWork): Promise<Thread[]> {
  const { claim, host, project, signal } = work;
  const { pull_request_number: number, pull_request_state: state } = claim.job;
  if (number === null || state !== "open" || !host.capabilities.supportsLineComments) return [];
  const all = await host.listLineComments(project, number, signal);
  const threads = Map.groupBy(all, ({ id, threadId }) => threadId ?? id);
  return [...threads.values()].flatMap((thread): Thread[] => {
    const ownAnswers = findOwnAnswers(work, thread);
    const [first, ...others] = thread.filter(
      (comment) => comment.isByMember || ownAnswers.has(comment),
    );
    if (
      first === undefined ||
      first.threadId !== undefined ||
      ownAnswers.has(others.at(-1) ?? first)
    )
      return [];
    return [[first, ...others]];
  });
}

function toReviewComment([first, ...others]: Thread, directory: string): ReviewComment {
  const texts = [first, ...others].map(({ author, body }) => `${author}: ${body.replace(markPattern, "").trimEnd().slice(0, maxTextLength).toWellFormed()}`); // prettier-ignore
  return {
    id: first.id,
    author: first.author,
    path: findPathInSite(first.path, directory),
    line: first.line,
    diff: first.diff.slice(-maxDiffLength).toWellFormed(),
    texts: texts.slice(-20),
  };
}
