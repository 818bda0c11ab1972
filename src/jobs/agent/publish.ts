import { changeTitle, pullRequestText } from "../../agent/index.ts";
import type {
  ChangedFile,
  NoteEntry,
  PullRequestText,
  TaskResult,
  Transcript,
} from "../../agent/index.ts";
import type { PullRequest } from "../../codehost/index.ts";
import { isOctavoError } from "../../core/index.ts";
import type { ChangeKind, Person } from "../../git/index.ts";
import { canExport } from "../static-export/exports.ts";
import type { TurnResult, TurnStart } from "./claim.ts";
import type { PreviewUrl } from "./preview.ts";
import { nextBranch } from "./turn-work.ts";
import type { TurnWork } from "./turn-work.ts";

export interface PublishOptions {
  /** Who commits. */
  readonly author: Person;
  /** A longer diff is kept as a list of the files that differ. */
  readonly diffBytes: number;
  readonly result: TaskResult;
  /** Where one of a job's branches can be looked at as a site. */
  readonly previewUrl: PreviewUrl;
}

/** What came of a turn, and where its branch stands now, if it was moved. */
export interface Published extends TurnResult {
  readonly head?: { readonly branch: string; readonly commit: string };
}

/**
 * Brings what a turn changed to the code host. Each step looks first, or gives the same when it is done
 * again: whatever dies in between, there is one branch and one open pull request.
 */
export async function publish(work: TurnWork, options: PublishOptions): Promise<Published> {
  const { claim } = work;
  const commit = await commitChanges(work, options);
  const summary = options.result.summary ?? "";
  if (commit === undefined) return { summary };
  const {
    pullRequest,
    isNew,
    start: at,
  } = await propose(work, {
    commit,
    describe: (branch) => describe(work, options, { start: branch, commit }),
  });
  const range = { from: at.forkCommit, to: commit };
  await noteOnce(claim.transcript, {
    type: "pull_request",
    at: new Date().toISOString(),
    text: `${isNew ? "Opened" : "Updated"} the pull request ${pullRequest.url}.`,
    details: { url: pullRequest.url, number: pullRequest.number },
  });
  const { number, url, state } = pullRequest;
  return {
    summary,
    diff: await diffText(work, range, options.diffBytes),
    pullRequest: { number, url, state },
    ...(state === "open" && { head: { branch: at.branch, commit } }),
  };
}

/** Undefined where the files are as they were, whatever the model says. */
async function commitChanges(
  { claim, gitWork, repository, directory, dir, start, signal }: TurnWork,
  { result, author }: PublishOptions,
): Promise<string | undefined> {
  const paths = result.changes.flatMap(({ path, from }) =>
    from === undefined ? [path] : [path, from],
  );
  if (paths.length === 0) return undefined;
  const message = commitMessage(claim.message.text, claim.job.model);
  const commit = await gitWork.commit(
    repository,
    {
      parent: start.turnBase,
      dir,
      directory,
      paths,
      author,
      committer: author,
      message,
      // Not the present time: the commit must be the same when a later attempt makes it again.
      at: claim.message.at,
    },
    signal,
  );
  if (commit === undefined) return undefined;
  await noteOnce(claim.transcript, {
    type: "commit",
    at: new Date().toISOString(),
    text: `Committed ${result.changes.length} changed ${result.changes.length === 1 ? "file" : "files"}.`,
    details: { commit, branch: start.branch },
  });
  return commit;
}

function commitMessage(prompt: string, model: string): string {
  return `${changeTitle(prompt)}\n\nMade by Octavo with the model ${model}.`;
}

const none = { errors: 0, warnings: 0 };

/** Of the whole branch as it then stands. */
async function describe(
  { claim, gitWork, repository, directory }: TurnWork,
  { result, previewUrl }: PublishOptions,
  { start, commit }: { readonly start: TurnStart; readonly commit: string },
): Promise<PullRequestText> {
  const { problems, pages, summary } = result;
  const { id, project_id, model, project } = claim.job;
  const range = { from: start.forkCommit, to: commit };
  const changes = (await gitWork.changedFiles(repository, range)).map(changedFileOf);
  const branch = { projectId: project_id, jobId: id, branchNumber: start.branchNumber };
  return pullRequestText({
    instructions: await claim.instructions(),
    summary: summary ?? "",
    model,
    changes,
    directory,
    pages,
    problems: problems ?? { before: none, after: none, resolved: [], added: [] },
    ...(canExport(project.plan) && { previewUrl: (page) => previewUrl(branch, page) }),
  });
}

interface Proposed {
  readonly pullRequest: PullRequest;
  readonly isNew: boolean;
  /** The branch that it is for. */
  readonly start: TurnStart;
}

interface Proposal {
  readonly commit: string;
  /** The text of a pull request for this branch. */
  readonly describe: (start: TurnStart) => Promise<PullRequestText>;
}

async function propose(work: TurnWork, proposal: Proposal): Promise<Proposed> {
  const { host, project, claim, start, signal } = work;
  // Whatever has this branch for its head is this job's: the branch carries its name.
  const found = await host.find(project, { head: start.branch, state: "any" }, signal);
  if (!found) return { pullRequest: await openNew(work, start, proposal), isNew: true, start };
  if (found.state === "open") {
    await push(work, start, proposal.commit);
    const { body } = await proposal.describe(start);
    const pullRequest = await host.update(project, found.number, { changes: { body }, signal });
    return { pullRequest, isNew: isFirst(start), start };
  }
  // An earlier attempt at this turn made it, and somebody was quick to end it.
  if (isFirst(start)) return { pullRequest: found, isNew: true, start };
  // It was ended while the agent worked: what it did goes to a new one.
  const moved = { ...start, ...nextBranch(claim), forkCommit: start.turnBase };
  await claim.fixStart(moved);
  const pullRequest = await openNew({ ...work, start: moved }, moved, proposal);
  return { pullRequest, isNew: true, start: moved };
}

async function openNew(
  work: TurnWork,
  start: TurnStart,
  { commit, describe: describeBranch }: Proposal,
): Promise<PullRequest> {
  await push(work, start, commit);
  const { title, body } = await describeBranch(start);
  const wanted = { title, body, head: start.branch, base: start.baseRef };
  return await work.host.create(work.project, wanted, work.signal);
}

/** Whether the branch begins with this turn, and so is not on the code host before it is pushed. */
function isFirst({ forkCommit, turnBase }: TurnStart): boolean {
  return forkCommit === turnBase;
}

async function push(work: TurnWork, start: TurnStart, commit: string): Promise<void> {
  const { claim, gitWork, host, project, repository, signal } = work;
  // Where this turn is cancelled between here and its end, the next knows that the branch is taken.
  await claim.fixHead(commit);
  const target = await host.pushTarget(project, signal);
  const expected = isFirst(start) ? null : start.turnBase;
  await gitWork.push(repository, { target, branch: start.branch, commit, expected }, signal);
}

const kinds: Readonly<Record<ChangeKind, ChangedFile["kind"]>> = {
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
  return { kind: kinds[kind], path, ...(from !== undefined && { from }) };
}

async function diffText(
  { gitWork, repository, signal }: TurnWork,
  range: { readonly from: string; readonly to: string },
  maxBytes: number,
): Promise<string> {
  try {
    return await gitWork.diff(repository, { ...range, maxBytes, signal });
  } catch (error) {
    if (!isOctavoError(error, "too_large")) throw error;
    const files = await gitWork.changedFiles(repository, range);
    const lines = files.map(({ kind, path }) => `# ${kind} ${JSON.stringify(path)}`);
    return `# ${error.message} These files differ:\n${lines.join("\n")}\n`;
  }
}

/** An attempt that does the same again does not tell it again. */
async function noteOnce(transcript: Transcript, note: NoteEntry): Promise<void> {
  const entries = transcript.entries();
  const begin = entries.findLastIndex(
    (entry) => entry.type === "message" && entry.from === "person",
  );
  const isKnown = entries
    .slice(begin + 1)
    .some((entry) => entry.type === note.type && entry.text === note.text);
  if (!isKnown) await transcript.append(note);
}
