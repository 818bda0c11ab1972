import { isOctavoError } from "@octavo/site/core";
import { collectAnswers, type ReviewComment } from "../../agent/index.ts";
import type { ThreadComment } from "../../codehost/index.ts";
import { addNote } from "./publish.ts";
import { findPathInSite } from "./starting-point.ts";
import type { TurnWork } from "./turn-work.ts";

/** The maximum number of threads that a turn reads, and the maximum lengths of one text and of a diff. */
const [maxThreads, maxTextLength, maxDiffLength] = [100, 4_000, 2_000];

/** Ends each answer of the service, whatever the name of its account is. Readers do not see it. */
const mark = "<!-- octavo -->";

/**
 * Reads the threads that people who may write to the repository began on lines of the turn's pull request, and whose
 * last word is a person's. Comments of others are not read, because anyone may comment on a public repository. A host
 * that cannot be read has no comments for the turn, and the transcript says so.
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
 * Sends the model's answers to the comments. Threads that an earlier attempt answered are not open anymore, so none is
 * answered twice. An answer that the host refuses does not fail the turn; the transcript says so.
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
      const body = `${text}\n\n${mark}`;
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

async function listOpenThreads({ claim, host, project, signal }: TurnWork): Promise<Thread[]> {
  const { pull_request_number: number, pull_request_state: state } = claim.job;
  if (number === null || state !== "open" || !host.capabilities.supportsLineComments) return [];
  const all = await host.listLineComments(project, number, signal);
  const threads = Map.groupBy(all, ({ id, threadId }) => threadId ?? id);
  return [...threads.values()].flatMap((thread): Thread[] => {
    const [first, ...others] = thread.filter(({ isByMember, body }) => isByMember || isOwn(body));
    const isOpen = first !== undefined && first.threadId === undefined && !isOwn(first.body) && !isOwn((others.at(-1) ?? first).body); // prettier-ignore
    return isOpen ? [[first, ...others]] : [];
  });
}

function isOwn(body: string): boolean {
  return body.trimEnd().endsWith(mark);
}

function toReviewComment([first, ...others]: Thread, directory: string): ReviewComment {
  // Anyone can write the mark, so it proves nothing about the text above it.
  const said = [first, ...others.filter(({ isByMember }) => isByMember)];
  const texts = said.map(({ author, body }) => `${author}: ${body.replace(mark, "").slice(0, maxTextLength).toWellFormed()}`); // prettier-ignore
  return {
    id: first.id,
    author: first.author,
    path: findPathInSite(first.path, directory),
    line: first.line,
    diff: first.diff.slice(-maxDiffLength).toWellFormed(),
    texts: texts.slice(-20),
  };
}
