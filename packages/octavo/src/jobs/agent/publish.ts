import {
  formatInertCode,
  sanitizeTitle,
  formatPullRequest,
  collectCitations,
  formatTitle,
} from "../../agent/index.ts";
import type {
  ChangedFile,
  NoteEntry,
  PullRequestForm,
  PullRequestText,
  TurnOutcome,
  Transcript,
  TranscriptEntry,
} from "../../agent/index.ts";
import { isOctavoError } from "@octavo/site/core";
import type { ChangeKind, CommitRange } from "../../git/index.ts";
import { canExport } from "../../projects/index.ts";
import type { TurnResult } from "./claim.ts";
import type { PullRequest, PullRequestExtras } from "../../codehost/index.ts";
import { propose } from "./propose.ts";
import type { BranchState, Proposal, ProposalResult } from "./propose.ts";
import { addNote, readTip } from "./turn-work.ts";
import type { BuildPreviewUrl, TurnOptions, TurnWork } from "./turn-work.ts";

export interface PublishTurnOptions {
  /** The maximum size of a diff. Instead of a larger diff, a list of the changed files is stored. */
  readonly maxDiffBytes: number;
  readonly result: TurnOutcome;
  readonly form: PullRequestForm;
  readonly findActiveContent: TurnOptions["findActiveContent"];
  /** Returns the URL of a branch's preview. */
  readonly buildPreviewUrl: BuildPreviewUrl;
}

/**
 * Publishes a turn's changes to the code host. Each step is idempotent, so that after any crash there is still only one
 * branch and one open pull request.
 */
export async function publishTurn(
  work: TurnWork,
  options: PublishTurnOptions,
): Promise<TurnResult> {
  const { claim } = work;
  const { result } = options;
  const { author, committer, signingKey, start: turnStart } = work;
  const summary = result.summary ?? "";
  const message = buildCommitMessage(work, options);
  // The time of the message, because a later attempt must create the same commit again.
  const { mergedBase: merged } = turnStart;
  const { at } = claim.message;
  const record = { author, committer, message, at, signingKey, merged };
  const commit = await commitChanges(work, record, result);
  if (commit === undefined) return { summary: await summarizeUnchangedTurn(work, summary) };
  const proposed = await propose(work, {
    commit,
    canReplaceTitle: (title) =>
      result.description !== null && title === findLastPullRequest(claim.transcript)?.["title"],
    record,
    isDraft: claim.job.project.pull_requests.draft === true || result.limit !== null,
    describe: (pushed) => describePullRequest(work, options, pushed),
  });
  const { pullRequest, start, range, isRebased } = proposed;
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
  await notePullRequest(work, proposed, pullRequest);
  return {
    summary,
    diff,
    pullRequest: { number, url, state, isDraft },
    ...(state === "open" && { head: { branch: start.branch, commit: range.to } }),
  };
}

/** Returns the summary of a turn that changed nothing, with a note if the branch still conflicts with its base. */
async function summarizeUnchangedTurn(work: TurnWork, summary: string): Promise<string> {
  const { claim, start } = work;
  const files = await findBaseConflicts(work, start.turnBase);
  if (files.length === 0) return summary;
  const text = `The pull request still conflicts with ${start.baseRef}, in ${formatFiles(files)}.`;
  const details = findLastPullRequest(claim.transcript) ?? {};
  await addNote(claim.transcript, "pull_request", { text, details });
  return `${text} ${summary}`;
}

function formatFiles([first = "", ...others]: readonly string[]): string {
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}

/**
 * Records in the transcript, which users see, what happened to the change, and which features the code host does not
 * support.
 */
async function notePullRequest(
  work: TurnWork,
  { isNew, isDraftUnsupported }: ProposalResult,
  pullRequest: PullRequest,
): Promise<void> {
  const { number, url, title, isDraft, state } = pullRequest;
  const { transcript, job } = work.claim;
  const kind = isDraft && isNew ? "draft pull request" : "pull request";
  await addNote(transcript, "pull_request", {
    text: `${isNew ? "Opened" : "Updated"} the ${kind} ${url}.`,
    details: { url, number, title },
  });
  const refusals = isDraftUnsupported
    ? ["This repository does not support drafts, so the pull request is not a draft."]
    : [];
  const { labels = [], reviewers = [] } = job.project.pull_requests;
  if (isNew && state === "open" && labels.length + reviewers.length > 0) {
    refusals.push(...(await addExtras(work, number, { labels, reviewers })));
  }
  for (const text of refusals) {
    await addNote(transcript, "pull_request", { text, details: { url, number, title } });
  }
}

async function addExtras(
  { host, project, signal }: TurnWork,
  number: number,
  requested: PullRequestExtras,
): Promise<readonly string[]> {
  const { supportsLabels, supportsReviewers } = host.capabilities;
  const extras = {
    labels: supportsLabels ? requested.labels : [],
    reviewers: supportsReviewers ? requested.reviewers : [],
  };
  const unsupported = [
    extras.labels.length < requested.labels.length && "labels",
    extras.reviewers.length < requested.reviewers.length && "reviewers",
  ].filter((name) => name !== false);
  const refusals = await host.addExtras(project, number, { extras, signal });
  return [
    ...unsupported.map((name) => `The code host ${host.name} does not support ${name}.`),
    ...refusals,
  ];
}

/** Commits the changes. Returns undefined if no file differs, whatever the model claims. */
async function commitChanges(
  { claim, gitWork, repository, directory, dir, start, startingPoint, signal }: TurnWork,
  record: Proposal["record"],
  { changes }: TurnOutcome,
): Promise<string | undefined> {
  const paths = changes.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]));
  if (paths.length === 0) return undefined;
  const { commit: parent, parents } = startingPoint;
  const plan = { ...record, parent, parents, dir, directory, paths };
  const commit = await gitWork.commit(repository, plan, signal);
  if (commit === undefined) return undefined;
  if (start.mergedBase !== undefined) {
    const text = `Merged ${start.baseRef} into the branch.`;
    await addNote(claim.transcript, "commit", { text, details: { commit: start.mergedBase } });
  }
  await addNote(claim.transcript, "commit", {
    text: `Committed ${changes.length} changed ${changes.length === 1 ? "file" : "files"}.`,
    details: { commit, branch: start.branch },
  });
  return commit;
}

function buildCommitMessage({ claim }: TurnWork, { result, form }: PublishTurnOptions): string {
  const { description } = result;
  const subject = description
    ? sanitizeTitle(description.commit ?? description.title)
    : formatTitle(result.title, form.convention);
  return `${subject}\n\nMade by Octavo with the model ${claim.job.model}.`;
}

/** Returns the pull request's URL, number and title as this service last wrote them. */
function findLastPullRequest(transcript: Transcript): NoteEntry["details"] {
  const note = transcript.entries().findLast(({ type }) => type === "pull_request");
  return note?.type === "pull_request" ? note.details : undefined;
}

const noProblems = { errors: 0, warnings: 0 };

/** Writes the pull request's text for the whole branch as it was pushed. */
async function describePullRequest(
  work: TurnWork,
  { result, form, maxDiffBytes, findActiveContent, buildPreviewUrl }: PublishTurnOptions,
  { start, range, isRebased }: BranchState,
): Promise<PullRequestText> {
  const { claim, gitWork, repository, directory } = work;
  const { problems, pages, summary, limit, description, title: changeTitle, notes } = result;
  const { id, project_id, model, project } = claim.job;
  const changes = await gitWork.listChangedFiles(repository, range);
  const diff = await readDiff(work, range, maxDiffBytes);
  const branch = { projectId: project_id, jobId: id, branchNumber: start.branchNumber };
  const { title, body } = formatPullRequest({
    instructions: await claim.readInstructions(),
    description: description ?? undefined,
    summary: summary ?? "",
    title: changeTitle,
    notes,
    form,
    limit: limit ?? undefined,
    model,
    changes: changes.map(toChangedFile),
    activeContent: diff === undefined ? undefined : await findActiveContent(diff),
    directory,
    pages,
    sources: collectCitations(listBranchEntries(claim.transcript, start.branchTurn)),
    problems: problems ?? { before: noProblems, after: noProblems, resolved: [], added: [] },
    ...(canExport(project.plan) && { previewUrl: (page) => buildPreviewUrl(branch, page) }),
  });
  const conflict = await formatConflictNote(work, range.to);
  return { title, body: [body, isRebased && rebasedNote, conflict].filter(Boolean).join("\n\n") };
}

/** Returns a note if the base has new commits that no longer merge cleanly, or undefined if they do. */
async function formatConflictNote(work: TurnWork, head: string): Promise<string | undefined> {
  const [first, ...others] = await findBaseConflicts(work, head);
  if (first === undefined) return undefined;
  const files = formatFiles([formatInertCode(first, 250), ...others]);
  return `**${formatInertCode(work.start.baseRef, 200)} has new commits that conflict with this branch** in ${files}. Send a follow-up message to merge them: the model resolves the conflicts in files that it can write.`;
}

/** Returns the files that conflict between a branch and its base, as paths from the repository's root. */
async function findBaseConflicts(work: TurnWork, head: string): Promise<readonly string[]> {
  const { gitWork, repository, start, author, committer, claim } = work;
  const tip = await readTip(work, start.baseRef);
  if (tip === undefined) return [];
  const record = { author, committer, message: "Try", at: claim.message.at };
  const merged = await gitWork.merge(repository, { ...record, ours: head, theirs: tip });
  return merged?.conflicts ?? [];
}

/** Returns the transcript's entries, from the message of the turn that started the branch. */
function listBranchEntries(transcript: Transcript, firstTurn: number): readonly TranscriptEntry[] {
  const all = transcript.entries();
  const id = String(firstTurn);
  const begin = all.findIndex((entry) => entry.type === "message" && entry.id === id);
  return all.slice(Math.max(begin, 0));
}

const rebasedNote =
  "Others pushed to this branch while the agent was working. Their commits were kept, but not checked.";

const fileChangeKinds: Readonly<Record<ChangeKind, ChangedFile["kind"]>> = {
  added: "added",
  modified: "modified",
  deleted: "deleted",
  renamed: "moved",
  type_changed: "modified",
};

function toChangedFile(change: {
  readonly kind: ChangeKind;
  readonly path: string;
  readonly from?: string;
}): ChangedFile {
  const { kind, path, from } = change;
  return { kind: fileChangeKinds[kind], path, ...(from !== undefined && { from }) };
}

/** Reads the diff. Returns undefined if it is larger than `maxBytes`. */
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

/** Lists the changed files, in place of a diff that is too large. */
async function listFiles(
  { gitWork, repository }: TurnWork,
  range: CommitRange,
  maxBytes: number,
): Promise<string> {
  const files = await gitWork.listChangedFiles(repository, range);
  const lines = files.map(({ kind, path }) => `# ${kind} ${JSON.stringify(path)}`);
  const size = Math.ceil(maxBytes / 1024).toLocaleString("en");
  return `# The diff is larger than ${size} KB and is not shown. These files differ:\n${lines.join("\n")}\n`;
}
