import { createHmac } from "node:crypto";
import { isOctavoError } from "@octavo/site/core";
import { collectAnswers, type ReviewComment } from "../../agent/index.ts";
import type { ThreadComment } from "../../codehost/index.ts";
import { addNote, findPathInSite } from "./turn-work.ts";
import type { TurnWork } from "./turn-work.ts";

/** The maximum number of threads that a turn reads, and the maximum lengths of one text and of a diff. */
const [maxThreads, maxTextLength, maxDiffLength] = [100, 4_000, 2_000];

/** Matches the mark at the end of an answer, which is invisible to readers. */
const markForm = /<!-- octavo:(\d{1,9}):[\w-]{43} -->\s*$/;

/**
 * Creates the mark that ends each of the service's answers in a thread and identifies them regardless of the account's
 * name. Only the service can create it. A turn answers a thread once, so a second mark of the same turn is a copy.
 */
function createMark({ answerKey, project }: TurnWork, threadId: number, turn: string): string {
  const signed = JSON.stringify([project.id, project.repository, threadId, turn]);
  const signature = createHmac("sha256", answerKey).update(signed).digest("base64url");
  return `<!-- octavo:${turn}:${signature} -->`;
}

/** Reports whether a comment ends with a mark like that of the service's answers. Anyone can copy a mark. */
export function isMarkedAnswer(body: string): boolean {
  return markForm.test(body);
}

/** Returns the answers in a thread that the service itself wrote. */
function findOwnAnswers(
  work: TurnWork,
  thread: readonly ThreadComment[],
): ReadonlySet<ThreadComment> {
  const own = new Map<string, ThreadComment>();
  for (const comment of thread) {
    const [mark, turn] = markForm.exec(comment.body) ?? [];
    if (mark === undefined || turn === undefined || comment.threadId === undefined) continue;
    const isSigned = mark.trimEnd() === createMark(work, comment.threadId, turn);
    if (isSigned && !own.has(turn)) own.set(turn, comment);
  }
  return new Set(own.values());
}

/**
 * Reads the threads on lines of the turn's pull request that were started by people who may write to the repository and
 * whose last comment is a person's. Ignores comments by others, because anyone may comment on a public repository. If
 * the host cannot be read, returns no comments, and the transcript says so.
 */
export async function readOpenComments(work: TurnWork): Promise<readonly ReviewComment[]> {
  try {
    const threads = await listOpenThreads(work);
    return threads.slice(-maxThreads).map((thread) => toReviewComment(thread, work.directory));
  } catch (error) {
    if (!isOctavoError(error) || error.code === "cancelled") throw error;
    await addNote(work.claim.transcript, "pull_request", {
      text: `The comments on lines could not be read: ${error.message}`,
      details: {},
    });
    return [];
  }
}

/**
 * Sends the model's answers to the comments. Threads that an earlier attempt answered are no longer open, so none is
 * answered twice. If the host rejects an answer, the turn does not fail; the transcript says so.
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
  let sent = 0;
  for (const { id: threadId, text } of answers) {
    try {
      const body = `${text}\n\n${createMark(work, threadId, String(claim.message.turn))}`;
      await host.answerLineComment(project, number, { threadId, body, signal });
      sent += 1;
    } catch (error) {
      if (!isOctavoError(error) || error.code === "cancelled") throw error;
      refusals.push(error.message);
    }
  }
  const told = `Answered ${sent} of ${answers.length} ${answers.length === 1 ? "comment" : "comments"}.`;
  const reasons = [...new Set(refusals)].slice(0, 3).join(" ");
  await addNote(claim.transcript, "pull_request", {
    text: reasons === "" ? told : `${told} ${reasons}`,
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
    const own = findOwnAnswers(work, thread);
    const [first, ...others] = thread.filter((comment) => comment.isByMember || own.has(comment));
    if (first === undefined || first.threadId !== undefined || own.has(others.at(-1) ?? first))
      return [];
    return [[first, ...others]];
  });
}

function toReviewComment([first, ...others]: Thread, directory: string): ReviewComment {
  const texts = [first, ...others].map(({ author, body }) => `${author}: ${body.replace(markForm, "").trimEnd().slice(0, maxTextLength).toWellFormed()}`); // prettier-ignore
  return {
    id: first.id,
    author: first.author,
    path: findPathInSite(first.path, directory),
    line: first.line,
    diff: first.diff.slice(-maxDiffLength).toWellFormed(),
    texts: texts.slice(-20),
  };
}
