import { pullRequestText, pullRequestTitle } from "../../agent/index.ts";
import type {
  ChangedFile,
  NoteEntry,
  PullRequestText,
  TaskResult,
  Transcript,
} from "../../agent/index.ts";
import { isOctavoError } from "@octavo/site/core";
import type { ChangeKind, CommitRange, Person } from "../../git/index.ts";
import { canExport } from "../static-export/exports.ts";
import type { TurnResult } from "./claim.ts";
import type { PreviewUrl } from "./preview.ts";
import { propose } from "./propose.ts";
import type { Brought, Proposal } from "./propose.ts";
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

/**
 * Brings what a turn changed to the code host. Each step looks first, or gives the same when it is done
 * again: whatever dies in between, there is one branch and one open pull request.
 */
export async function publish(work: TurnWork, options: PublishOptions): Promise<TurnResult> {
  const { claim } = work;
  const { author, result } = options;
  const summary = result.summary ?? "";
  const message = commitMessage(claim.message.text, claim.job.model);
  // Not the present time: the commit must be the same when a later attempt makes it again.
  const record = { author, committer: author, message, at: claim.message.at };
  const commit = await commitChanges(work, record, result);
  if (commit === undefined) return { summary };
  const proposed = await propose(work, {
    commit,
    record,
    describe: (brought) => describe(work, options, brought),
  });
  const { pullRequest, start, range, isNew, isCarriedOver } = proposed;
  const diff =
    (await readDiff(work, range, options.diffBytes)) ??
    (await listFiles(work, range, options.diffBytes));
  if (isCarriedOver) {
    await note(claim.transcript, "commit", {
      text: carriedOver,
      details: { commit: range.to },
    });
  }
  if (!pullRequest) {
    const text = `No pull request was opened: ${start.baseRef} has the change already.`;
    return { summary: `${text} ${summary}`, diff };
  }
  const { number, url, state } = pullRequest;
  await note(claim.transcript, "pull_request", {
    text: `${isNew ? "Opened" : "Updated"} the pull request ${url}.`,
    details: { url, number },
  });
  return {
    summary,
    diff,
    pullRequest: { number, url, state },
    ...(state === "open" && { head: { branch: start.branch, commit: range.to } }),
  };
}

/** Undefined where the files are as they were, whatever the model says. */
async function commitChanges(
  { claim, gitWork, repository, directory, dir, start, signal }: TurnWork,
  record: Proposal["record"],
  { changes }: TaskResult,
): Promise<string | undefined> {
  const paths = changes.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]));
  if (paths.length === 0) return undefined;
  const plan = { ...record, parent: start.turnBase, dir, directory, paths };
  const commit = await gitWork.commit(repository, plan, signal);
  if (commit === undefined) return undefined;
  await note(claim.transcript, "commit", {
    text: `Committed ${changes.length} changed ${changes.length === 1 ? "file" : "files"}.`,
    details: { commit, branch: start.branch },
  });
  return commit;
}

function commitMessage(prompt: string, model: string): string {
  return `${pullRequestTitle(prompt)}\n\nMade by Octavo with the model ${model}.`;
}

const none = { errors: 0, warnings: 0 };

/** Of the whole branch as it then stands. */
async function describe(
  work: TurnWork,
  { result, diffBytes, previewUrl }: PublishOptions,
  { start, range, isCarriedOver }: Brought,
): Promise<PullRequestText> {
  const { claim, gitWork, repository, directory } = work;
  const { problems, pages, summary } = result;
  const { id, project_id, model, project } = claim.job;
  const changes = await gitWork.changedFiles(repository, range);
  const branch = { projectId: project_id, jobId: id, branchNumber: start.branchNumber };
  const { title, body } = pullRequestText({
    instructions: await claim.instructions(),
    summary: summary ?? "",
    model,
    changes: changes.map(changedFileOf),
    diff: await readDiff(work, range, diffBytes),
    directory,
    pages,
    problems: problems ?? { before: none, after: none, resolved: [], added: [] },
    ...(canExport(project.plan) && { previewUrl: (page) => previewUrl(branch, page) }),
  });
  return { title, body: isCarriedOver ? `${body}\n\n${carriedOver}` : body };
}

const carriedOver =
  "Others pushed to this branch while the agent worked. Their commits were kept, and were not part of the check.";

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
async function note(
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
