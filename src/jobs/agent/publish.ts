import { pullRequestText, pullRequestTitle } from "../../agent/index.ts";
import type {
  ChangedFile,
  NoteEntry,
  PullRequestInput,
  PullRequestText,
  TaskResult,
  Transcript,
} from "../../agent/index.ts";
import type { PullRequest } from "../../codehost/index.ts";
import { isOctavoError } from "../../core/index.ts";
import type { ChangeKind, CommitRange, Person } from "../../git/index.ts";
import type { TurnResult, TurnStart } from "./claim.ts";
import { nextBranch } from "./turn-work.ts";
import type { TurnWork } from "./turn-work.ts";

export interface PublishOptions {
  /** Who commits. */
  readonly author: Person;
  /** A longer diff is kept as a list of the files that differ. */
  readonly diffBytes: number;
  readonly result: TaskResult;
}

/**
 * Brings what a turn changed to the code host. Each step looks first, or gives the same when it is done
 * again: whatever dies in between, there is one branch and one open pull request.
 */
export async function publish(work: TurnWork, options: PublishOptions): Promise<TurnResult> {
  const { claim, gitWork, repository, start } = work;
  const commit = await commitChanges(work, options);
  const summary = options.result.summary ?? "";
  if (commit === undefined) return { summary };
  const range = { from: start.forkCommit, to: commit };
  const changes = (await gitWork.changedFiles(repository, range)).map(changedFileOf);
  const diff = await readDiff(work, range, options.diffBytes);
  const text = await describe(work, options.result, { changes, diff });
  const { pullRequest, isNew, range: proposed } = await propose(work, { commit, text });
  await noteOnce(claim.transcript, {
    type: "pull_request",
    at: new Date().toISOString(),
    text: `${isNew ? "Opened" : "Updated"} the pull request ${pullRequest.url}.`,
    details: { url: pullRequest.url, number: pullRequest.number },
  });
  const { number, url, state } = pullRequest;
  const isAll = proposed.from === range.from;
  const shown = isAll ? diff : await readDiff(work, proposed, options.diffBytes);
  return {
    summary,
    diff: shown ?? (await listFiles(work, proposed, options.diffBytes)),
    pullRequest: { number, url, state },
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
    text: `Committed ${result.changes.length} changed files.`,
    details: { commit, branch: start.branch },
  });
  return commit;
}

function commitMessage(prompt: string, model: string): string {
  return `${pullRequestTitle(prompt)}\n\nMade by Octavo with the model ${model}.`;
}

const none = { errors: 0, warnings: 0 };

async function describe(
  { claim }: TurnWork,
  { problems, summary }: TaskResult,
  change: Pick<PullRequestInput, "changes" | "diff">,
): Promise<PullRequestText> {
  return pullRequestText({
    instructions: await claim.instructions(),
    summary: summary ?? "",
    model: claim.job.model,
    ...change,
    problems: problems ?? { before: none, after: none, resolved: [], added: [] },
  });
}

interface Proposed {
  readonly pullRequest: PullRequest;
  readonly isNew: boolean;
  /** What the pull request changes. */
  readonly range: CommitRange;
}

async function propose(
  work: TurnWork,
  { commit, text }: { readonly commit: string; readonly text: PullRequestText },
): Promise<Proposed> {
  const { host, project, claim, signal } = work;
  const { start } = work;
  const range = { from: start.forkCommit, to: commit };
  // Whatever has this branch for its head is this job's: the branch carries its name.
  const found = await host.find(project, { head: start.branch, state: "any" }, signal);
  if (!found)
    return { pullRequest: await openNew(work, start, { commit, text }), isNew: true, range };
  if (found.state === "open") {
    await push(work, start, commit);
    const changes = { body: text.body };
    const pullRequest = await host.update(project, found.number, { changes, signal });
    return { pullRequest, isNew: isFirst(start), range };
  }
  // An earlier attempt at this turn made it, and somebody was quick to end it.
  if (isFirst(start)) return { pullRequest: found, isNew: true, range };
  // It was ended while the agent worked: what it did goes to a new one.
  const moved = { ...start, ...nextBranch(claim), forkCommit: start.turnBase };
  await claim.fixStart(moved);
  const pullRequest = await openNew({ ...work, start: moved }, moved, { commit, text });
  return { pullRequest, isNew: true, range: { from: moved.forkCommit, to: commit } };
}

async function openNew(
  work: TurnWork,
  start: TurnStart,
  { commit, text }: { readonly commit: string; readonly text: PullRequestText },
): Promise<PullRequest> {
  await push(work, start, commit);
  const { title, body } = text;
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

/** Undefined where the change is larger than `maxBytes`. */
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

/** In the place of a diff that is too large. */
async function listFiles(
  { gitWork, repository }: TurnWork,
  range: CommitRange,
  maxBytes: number,
): Promise<string> {
  const files = await gitWork.changedFiles(repository, range);
  const lines = files.map(({ kind, path }) => `# ${kind} ${JSON.stringify(path)}`);
  const size = Math.ceil(maxBytes / 1024).toLocaleString("en");
  return `# The difference is larger than ${size} KB and is not shown as text. These files differ:\n${lines.join("\n")}\n`;
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
