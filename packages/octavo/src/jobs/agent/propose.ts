import type { PullRequestText } from "../../agent/index.ts";
import type { NewPullRequest, PullRequest } from "../../codehost/index.ts";
import { isOctavoError, OctavoError } from "@octavo/site/core";
import type { CommitRange, Person } from "../../git/index.ts";
import type { TurnStart } from "./claim.ts";
import { createNextBranch, readTip } from "./turn-work.ts";
import type { TurnWork } from "./turn-work.ts";

export interface Proposal {
  /** The commit with the turn's change, on top of the commit that the turn started from. */
  readonly commit: string;
  /** The commit's metadata, for rebasing it onto other commits. */
  readonly record: {
    readonly author: Person;
    readonly committer: Person;
    readonly message: string;
    readonly at: Date;
    readonly signingKey?: string | undefined;
    /** The base's commit that the turn merged. */
    readonly merged?: string | undefined;
  };
  /**
   * Whether the work is unfinished. A new pull request is then a draft, if the host and the repository support drafts.
   */
  readonly isDraft: boolean;
  /**
   * Reports whether a title may be replaced, which requires that the model wrote a new title and that no one has
   * changed the old title.
   */
  readonly canReplaceTitle: (title: string) => boolean;
  /** Writes the pull request's text for the branch as it was pushed. */
  readonly describe: (pushed: BranchState) => Promise<PullRequestText>;
}

/** A branch as it was pushed. */
export interface BranchState {
  /**
   * The start of the pushed branch. If the turn's first branch had to be replaced, this is the start of the new branch.
   */
  readonly start: TurnStart;
  /** The range from the fork commit to the tip. */
  readonly range: CommitRange;
  /** Whether someone else pushed to the branch in the meantime and the change was rebased onto those commits. */
  readonly isRebased: boolean;
}

export interface ProposalResult extends BranchState {
  /**
   * The pull request; undefined if the base already contains the change but did not receive it through a pull request.
   */
  readonly pullRequest?: PullRequest;
  readonly isNew: boolean;
  /** Whether a draft was requested but the host or the repository does not support drafts. */
  readonly isDraftUnsupported?: boolean;
}

/**
 * The maximum number of attempts to push, after which the turn fails. Someone else may push again between the fetch and
 * the push.
 */
const maxPushAttempts = 4;

/**
 * Pushes a turn's commit to the job's branch and opens or updates its pull request. Each step checks the code host
 * first. It reuses the work of an earlier attempt, keeps other people's commits, and does not repropose a change that
 * has been merged or closed since.
 */
export async function propose(work: TurnWork, proposal: Proposal): Promise<ProposalResult> {
  const { host, project, start, signal } = work;
  // A pull request with this head belongs to this job, because the branch's name contains the job's ID.
  const existing = await host.find(project, { head: start.branch, state: "any" }, signal);
  if (existing && existing.state !== "open")
    return await handleEndedPullRequest(work, existing, proposal);
  if (!existing) return await openPullRequest(work, proposal);
  const head = await pushToBranch(work, proposal);
  // The branch was deleted, and its pull request was closed with it.
  if (head === undefined) return await proposeOnNewBranch(work, proposal);
  const pushed = await readBranchState(work, proposal, head);
  const { title, body } = await proposal.describe(pushed);
  const changes = { body, ...(proposal.canReplaceTitle(existing.title) && { title }) };
  const pullRequest = await host.update(project, existing.number, { changes, signal });
  return { ...pushed, pullRequest, isNew: isNewBranch(start) };
}

/** Handles a pull request that was merged or closed while the agent was working or its worker was down. */
async function handleEndedPullRequest(
  work: TurnWork,
  ended: PullRequest,
  proposal: Proposal,
): Promise<ProposalResult> {
  const { start } = work;
  // A merged change is in the base, even if its commits were squashed. A change that was closed without a merge is
  // still on the branch.
  const branch = ended.state === "merged" ? start.baseRef : start.branch;
  if (!isNewBranch(start) && !(await hasChange(work, branch, proposal))) {
    return await proposeOnNewBranch(work, proposal);
  }
  const range = { from: start.forkCommit, to: proposal.commit };
  return { pullRequest: ended, isNew: isNewBranch(start), start, range, isRebased: false };
}

/** Proposes the change on a new branch with its own pull request. */
async function proposeOnNewBranch(work: TurnWork, proposal: Proposal): Promise<ProposalResult> {
  const { claim } = work;
  const start = { ...work.start, ...createNextBranch(claim), forkCommit: work.start.turnBase };
  await claim.recordStart(start);
  return await openPullRequest({ ...work, start }, proposal);
}

async function openPullRequest(work: TurnWork, proposal: Proposal): Promise<ProposalResult> {
  const { claim, start, signal } = work;
  const { branch: head, baseRef: base } = start;
  // The job's previous pull request was merged or closed, and the new branch does not have one yet.
  if (claim.job.pull_request_number !== null) await claim.recordPullRequest(null);
  const commit = await pushToBranch(work, proposal);
  if (commit === undefined) throw new Error("A new branch cannot be missing.");
  const pushed = await readBranchState(work, proposal, commit);
  const { title, body } = await proposal.describe(pushed);
  // Not every code host checks the signal before it writes.
  signal.throwIfAborted();
  try {
    const newPullRequest = { title, body, head, base, isDraft: proposal.isDraft };
    const pullRequest = await createPullRequest(work, newPullRequest);
    const isDraftUnsupported = proposal.isDraft && !pullRequest.isDraft;
    return { ...pushed, pullRequest, isNew: true, isDraftUnsupported };
  } catch (error) {
    const isInBase = isOctavoError(error, "conflict") && (await hasChange(work, base, proposal));
    if (isInBase) return { ...pushed, isNew: false };
    throw error;
  }
}

/**
 * Creates the pull request. If the repository does not support drafts, the text still says that the work is unfinished.
 */
async function createPullRequest(
  { host, project, signal }: TurnWork,
  { isDraft, ...newPullRequest }: NewPullRequest,
): Promise<PullRequest> {
  if (!isDraft || !host.capabilities.supportsDrafts) {
    return await host.create(project, newPullRequest, signal);
  }
  try {
    return await host.create(project, { ...newPullRequest, isDraft }, signal);
  } catch (error) {
    if (!isOctavoError(error, "invalid_input")) throw error;
    return await host.create(project, newPullRequest, signal);
  }
}

async function readBranchState(
  work: TurnWork,
  { commit }: Proposal,
  head: string,
): Promise<BranchState> {
  const range = { from: await findForkCommit(work, head), to: head };
  return { start: work.start, range, isRebased: head !== commit };
}

/**
 * Finds the commit at which the branch now forks from its base. The branch may have started elsewhere, because someone
 * may have merged the base into the branch since.
 */
async function findForkCommit(work: TurnWork, head: string): Promise<string> {
  const { gitWork, repository, start } = work;
  const base = await readTip(work, start.baseRef);
  if (base === undefined) return start.forkCommit;
  const forkCommit = await gitWork.findMergeBase(repository, { from: base, to: head });
  // If the base contains the whole branch, the range from the common commit would be empty.
  return forkCommit === undefined || forkCommit === head ? start.forkCommit : forkCommit;
}

/** Reports whether a branch contains every change of the turn's commit. */
async function hasChange(
  work: TurnWork,
  branch: string,
  { commit, record }: Proposal,
): Promise<boolean> {
  const tip = await readTip(work, branch);
  if (tip === undefined) return false;
  try {
    return (await work.gitWork.rebase(work.repository, { ...record, commit, onto: tip })) === tip;
  } catch (error) {
    if (isOctavoError(error, "conflict")) return false;
    throw error;
  }
}

/**
 * Pushes the commit to the branch. If someone else has pushed to the branch, first rebases the commit onto their
 * commits. Returns the branch's new tip, or undefined if the branch existed before and was deleted.
 */
async function pushToBranch(
  work: TurnWork,
  { commit, record }: Proposal,
): Promise<string | undefined> {
  const { gitWork, repository, start } = work;
  let head = commit;
  let expected = isNewBranch(start) ? null : start.turnBase;
  for (let attempt = 1; ; attempt++) {
    const error = await push(work, { commit: head, expected });
    if (!error) return head;
    if (attempt === maxPushAttempts) throw error;
    const tip = await readTip(work, start.branch);
    if (tip === undefined && !isNewBranch(start)) return undefined;
    expected = tip ?? null;
    const plan = { ...record, commit, onto: tip ?? start.turnBase };
    head = await gitWork.rebase(repository, plan).catch((cause: unknown) => {
      throw isOctavoError(cause, "conflict") ? createPushConflictError(start, cause) : cause;
    });
    if (head === tip) return head;
  }
}

/** Pushes the commit. Returns the error if someone else moved the branch. */
async function push(
  work: TurnWork,
  { commit, expected }: { readonly commit: string; readonly expected: string | null },
): Promise<OctavoError | undefined> {
  const { claim, gitWork, host, project, repository, start, signal } = work;
  // If this turn is cancelled before it ends, the next turn must know that the branch is in use.
  await claim.recordHead(commit);
  const target = await host.preparePushTarget(project, signal);
  try {
    await gitWork.push(repository, { target, branch: start.branch, commit, expected }, signal);
  } catch (error) {
    if (isOctavoError(error, "conflict")) return error;
    throw error;
  }
  return undefined;
}

function createPushConflictError({ branch }: TurnStart, cause: OctavoError): OctavoError {
  return new OctavoError(
    "conflict",
    `Someone pushed to ${branch} while the agent was working. ${cause.message} Their commits were kept, and ` +
      "none of this turn's changes were pushed. Send the message again: the agent will then start from their commits.",
    { cause },
  );
}

/** Reports whether the branch starts with this turn, so that it is not on the code host before the first push. */
function isNewBranch({ forkCommit, turnBase }: TurnStart): boolean {
  return forkCommit === turnBase;
}
