import { pullRequestText, pullRequestTitle, recordedCitations } from "../../agent/index.ts";
import type {
  ChangedFile,
  NoteEntry,
  PullRequestText,
  TurnOutcome,
  Transcript,
  TranscriptEntry,
} from "../../agent/index.ts";
import { isOctavoError } from "@octavo/site/core";
import type { ChangeKind, CommitRange, Person } from "../../git/index.ts";
import { canExport } from "../static-export/exports.ts";
import type { TurnResult } from "./claim.ts";
import type { PreviewUrl } from "./preview.ts";
import { propose } from "./propose.ts";
import type { BranchState, Proposal } from "./propose.ts";
import type { TurnWork } from "./turn-work.ts";

export interface PublishOptions {
  /** The author of commits. */
  readonly author: Person;
  /** A larger diff is stored as a list of the changed files. */
  readonly maxDiffBytes: number;
  readonly result: TurnOutcome;
  /** The address of a branch's preview. */
  readonly previewUrl: PreviewUrl;
}

/**
 * Brings a turn's changes to the code host. Each step is idempotent: after any crash there is still one branch
 * and one open pull request.
 */
export async function publish(work: TurnWork, options: PublishOptions): Promise<TurnResult> {
  const { claim } = work;
  const { author, result } = options;
  const summary = result.summary ?? "";
  const message = commitMessage(claim.message.text, claim.job.model);
  // Not the current time: a later attempt must create the same commit again.
  const record = { author, committer: author, message, at: claim.message.at };
  const commit = await commitChanges(work, record, result);
  if (commit === undefined) return { summary };
  const proposed = await propose(work, {
    commit,
    record,
    isDraft: result.limit !== null,
    describe: (brought) => describePullRequest(work, options, brought),
  });
  const { pullRequest, start, range, isNew, isRebased } = proposed;
  const diff =
    (await readDiff(work, range, options.maxDiffBytes)) ??
    (await listFiles(work, range, options.maxDiffBytes));
  if (isRebased) {
    await addNote(claim.transcript, "commit", {
      text: rebasedNote,
      details: { commit: range.to },
    });
  }
  if (!pullRequest) {
    const text = `No pull request was opened: ${start.baseRef} already contains the change.`;
    return { summary: `${text} ${summary}`, diff };
  }
  const { number, url, state, isDraft } = pullRequest;
  const kind = isDraft && isNew ? "draft pull request" : "pull request";
  await addNote(claim.transcript, "pull_request", {
    text: `${isNew ? "Opened" : "Updated"} the ${kind} ${url}.`,
    details: { url, number },
  });
  return {
    summary,
    diff,
    pullRequest: { number, url, state, isDraft },
    ...(state === "open" && { head: { branch: start.branch, commit: range.to } }),
  };
}

/** Undefined if no file differs, whatever the model says. */
async function commitChanges(
  { claim, gitWork, repository, directory, dir, start, signal }: TurnWork,
  record: Proposal["record"],
  { changes }: TurnOutcome,
): Promise<string | undefined> {
  const paths = changes.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]));
  if (paths.length === 0) return undefined;
  const plan = { ...record, parent: start.turnBase, dir, directory, paths };
  const commit = await gitWork.commit(repository, plan, signal);
  if (commit === undefined) return undefined;
  await addNote(claim.transcript, "commit", {
    text: `Committed ${changes.length} changed ${changes.length === 1 ? "file" : "files"}.`,
    details: { commit, branch: start.branch },
  });
  return commit;
}

function commitMessage(prompt: string, model: string): string {
  return `${pullRequestTitle(prompt)}\n\nMade by Octavo with the model ${model}.`;
}

const noProblems = { errors: 0, warnings: 0 };

/** The text for the whole branch as pushed. */
async function describePullRequest(
  work: TurnWork,
  { result, maxDiffBytes, previewUrl }: PublishOptions,
  { start, range, isRebased }: BranchState,
): Promise<PullRequestText> {
  const { claim, gitWork, repository, directory } = work;
  const { problems, pages, summary, limit } = result;
  const { id, project_id, model, project } = claim.job;
  const changes = await gitWork.changedFiles(repository, range);
  const branch = { projectId: project_id, jobId: id, branchNumber: start.branchNumber };
  const { title, body } = pullRequestText({
    instructions: await claim.instructions(),
    summary: summary ?? "",
    limit: limit ?? undefined,
    model,
    changes: changes.map(changedFileOf),
    diff: await readDiff(work, range, maxDiffBytes),
    directory,
    pages,
    sources: recordedCitations(entriesOfBranch(claim.transcript, start.branchTurn)),
    problems: problems ?? { before: noProblems, after: noProblems, resolved: [], added: [] },
    ...(canExport(project.plan) && { previewUrl: (page) => previewUrl(branch, page) }),
  });
  return { title, body: isRebased ? `${body}\n\n${rebasedNote}` : body };
}

/** From the message of the turn that started the branch. */
function entriesOfBranch(transcript: Transcript, firstTurn: number): readonly TranscriptEntry[] {
  const all = transcript.entries();
  const id = String(firstTurn);
  const begin = all.findIndex((entry) => entry.type === "message" && entry.id === id);
  return all.slice(Math.max(begin, 0));
}

const rebasedNote =
  "Others pushed to this branch while the agent was working. Their commits were kept and were not part of the check.";

const fileChangeKinds: Readonly<Record<ChangeKind, ChangedFile["kind"]>> = {
  added: "added",
  modified: "modified",
  deleted: "deleted",
  renamed: "moved",
  type_changed: "modified",
};

function changedFileOf(change: {
  readonly kind: ChangeKind;
  readonly path: string;
  readonly from?: string;
}): ChangedFile {
  const { kind, path, from } = change;
  return { kind: fileChangeKinds[kind], path, ...(from !== undefined && { from }) };
}

/** Undefined if the diff is larger than `maxBytes`. */
async function readDiff(
  { gitWork, repository, signal }: TurnWork,
  range: CommitRange,
  maxBytes: number,
): Promise<string | undefined> {
  try {
    return await gitWork.diff(repository, { ...range, maxBytes, signal });
  } catch (error) {
    if (isOctavoError(error, "too_large")) return undefined;
    throw error;
  }
}

/** Replaces a diff that is too large. */
async function listFiles(
  { gitWork, repository }: TurnWork,
  range: CommitRange,
  maxBytes: number,
): Promise<string> {
  const files = await gitWork.changedFiles(repository, range);
  const lines = files.map(({ kind, path }) => `# ${kind} ${JSON.stringify(path)}`);
  const size = Math.ceil(maxBytes / 1024).toLocaleString("en");
  return `# The diff is larger than ${size} KB and is not shown. These files differ:\n${lines.join("\n")}\n`;
}

/** Appends the entry unless an earlier attempt at this turn has appended it. */
async function addNote(
  transcript: Transcript,
  type: NoteEntry["type"],
  { text, details }: Required<Pick<NoteEntry, "text" | "details">>,
): Promise<void> {
  const entries = transcript.entries();
  const begin = entries.findLastIndex(
    (entry) => entry.type === "message" && entry.from === "person",
  );
  const isKnown = entries
    .slice(begin + 1)
    .some((entry) => entry.type === type && entry.text === text);
  if (!isKnown) await transcript.append({ type, at: new Date().toISOString(), text, details });
}
