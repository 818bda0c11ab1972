import type { PullRequestText } from "../../agent/index.ts";
import type { PullRequest } from "../../codehost/index.ts";
import { isOctavoError, OctavoError } from "@octavo/site/core";
import type { CommitRange, Person } from "../../git/index.ts";
import type { TurnStart } from "./claim.ts";
import { nextBranch, readTip } from "./turn-work.ts";
import type { TurnWork } from "./turn-work.ts";

export interface Proposal {
  /** What the turn changed, on top of the commit that it began at. */
  readonly commit: string;
  /** How that commit was made, for one that has to be made again on top of others. */
  readonly record: {
    readonly author: Person;
    readonly committer: Person;
    readonly message: string;
    readonly at: Date;
  };
  /** The text for what the branch then brings. */
  readonly describe: (brought: Brought) => Promise<PullRequestText>;
}

/** What a branch brings. */
export interface Brought {
  /** Of the branch that it is: another than the turn began with where the job had to move on. */
  readonly start: TurnStart;
  /** From where it leaves the base to where it stands. */
  readonly range: CommitRange;
  /** Whether others pushed to the branch meanwhile, and the change was put on top of theirs. */
  readonly isCarriedOver: boolean;
}

export interface Proposed extends Brought {
  /** Undefined where the base has the change already, and no pull request brought it there. */
  readonly pullRequest?: PullRequest;
  readonly isNew: boolean;
}

/** Others may push while this looks where they pushed to; a branch that never rests is left alone. */
const mostPushes = 4;

/**
 * Brings a turn's commit to the branch of the job, and to its pull request. It looks before each step:
 * what an earlier attempt did is found, commits of others stay, and what was merged or closed meanwhile
 * is not proposed a second time.
 */
export async function propose(work: TurnWork, proposal: Proposal): Promise<Proposed> {
  const { host, project, start, signal } = work;
  // Whatever has this branch for its head is this job's: the branch carries its name.
  const found = await host.find(project, { head: start.branch, state: "any" }, signal);
  if (found && found.state !== "open") return await proposeAfter(work, found, proposal);
  if (!found) return await openNew(work, proposal);
  const head = await bring(work, proposal);
  // Its pull request ends with the branch.
  if (head === undefined) return await moveOn(work, proposal);
  const brought = await lookAtBrought(work, proposal, head);
  const { body } = await proposal.describe(brought);
  const pullRequest = await host.update(project, found.number, { changes: { body }, signal });
  return { ...brought, pullRequest, isNew: isFirst(start) };
}

/** Somebody ended the pull request while the agent worked, or its worker was dead. */
async function proposeAfter(
  work: TurnWork,
  ended: PullRequest,
  proposal: Proposal,
): Promise<Proposed> {
  const { start } = work;
  // A merged change is in the base, also where its commits were squashed; a closed one is on the branch.
  const place = ended.state === "merged" ? start.baseRef : start.branch;
  if (!isFirst(start) && !(await holds(work, place, proposal))) {
    return await moveOn(work, proposal);
  }
  const range = { from: start.forkCommit, to: proposal.commit };
  return { pullRequest: ended, isNew: isFirst(start), start, range, isCarriedOver: false };
}

/** What the agent did goes to a new branch, with a pull request of its own. */
async function moveOn(work: TurnWork, proposal: Proposal): Promise<Proposed> {
  const { claim } = work;
  const start = { ...work.start, ...nextBranch(claim), forkCommit: work.start.turnBase };
  await claim.fixStart(start);
  return await openNew({ ...work, start }, proposal);
}

async function openNew(work: TurnWork, proposal: Proposal): Promise<Proposed> {
  const { claim, host, project, start, signal } = work;
  const { branch: head, baseRef: base } = start;
  // From here on the job's branch has none: what the job had before was ended.
  if (claim.job.pull_request_number !== null) await claim.recordPullRequest(null);
  const commit = await bring(work, proposal);
  if (commit === undefined) throw new Error("A branch that is new cannot be missing.");
  const brought = await lookAtBrought(work, proposal, commit);
  const { title, body } = await proposal.describe(brought);
  // Not every code host looks at the signal before it writes.
  signal.throwIfAborted();
  try {
    const pullRequest = await host.create(project, { title, body, head, base }, signal);
    return { ...brought, pullRequest, isNew: true };
  } catch (error) {
    const isInBase = isOctavoError(error, "conflict") && (await holds(work, base, proposal));
    if (isInBase) return { ...brought, isNew: false };
    throw error;
  }
}

async function lookAtBrought(work: TurnWork, { commit }: Proposal, head: string): Promise<Brought> {
  const range = { from: await leavesBaseAt(work, head), to: head };
  return { start: work.start, range, isCarriedOver: head !== commit };
}

/** Not where the branch was begun: somebody may have brought it up to date with its base since. */
async function leavesBaseAt(work: TurnWork, head: string): Promise<string> {
  const { gitWork, repository, start } = work;
  const base = await readTip(work, start.baseRef);
  if (base === undefined) return start.forkCommit;
  const common = await gitWork.findMergeBase(repository, { from: base, to: head });
  // A base that has all of it would leave nothing to be shown.
  return common === undefined || common === head ? start.forkCommit : common;
}

/** Whether a branch has everything that the turn's commit brings. */
async function holds(
  work: TurnWork,
  branch: string,
  { commit, record }: Proposal,
): Promise<boolean> {
  const onto = await readTip(work, branch);
  if (onto === undefined) return false;
  try {
    return (await work.gitWork.carryOver(work.repository, { ...record, commit, onto })) === onto;
  } catch (error) {
    if (isOctavoError(error, "conflict")) return false;
    throw error;
  }
}

/**
 * Pushes the commit to the branch. Where others pushed to it, their commits stay and it is put on top of
 * them. Gives back where the branch then stands; undefined where it was there before and is gone.
 */
async function bring(work: TurnWork, { commit, record }: Proposal): Promise<string | undefined> {
  const { gitWork, repository, start } = work;
  let head = commit;
  let expected = isFirst(start) ? null : start.turnBase;
  for (let tries = 1; ; tries++) {
    const error = await push(work, { commit: head, expected });
    if (!error) return head;
    if (tries === mostPushes) throw error;
    const tip = await readTip(work, start.branch);
    if (tip === undefined && !isFirst(start)) return undefined;
    expected = tip ?? null;
    const plan = { ...record, commit, onto: tip ?? start.turnBase };
    head = await gitWork.carryOver(repository, plan).catch((cause: unknown) => {
      throw isOctavoError(cause, "conflict") ? overtaken(start, cause) : cause;
    });
    if (head === tip) return head;
  }
}

/** Gives back the error where somebody else moved the branch. */
async function push(
  work: TurnWork,
  { commit, expected }: { readonly commit: string; readonly expected: string | null },
): Promise<OctavoError | undefined> {
  const { claim, gitWork, host, project, repository, start, signal } = work;
  // Where this turn is cancelled between here and its end, the next knows that the branch is taken.
  await claim.fixHead(commit);
  const target = await host.pushTarget(project, signal);
  try {
    await gitWork.push(repository, { target, branch: start.branch, commit, expected }, signal);
  } catch (error) {
    if (isOctavoError(error, "conflict")) return error;
    throw error;
  }
  return undefined;
}

function overtaken({ branch }: TurnStart, cause: OctavoError): OctavoError {
  return new OctavoError(
    "conflict",
    `Somebody pushed to ${branch} while the agent worked. ${cause.message} Their commits were kept, and ` +
      "nothing of this message was pushed. Send it again: the agent then begins at theirs.",
    { cause },
  );
}

/** Whether the branch begins with this turn, and so is not on the code host before it is pushed. */
function isFirst({ forkCommit, turnBase }: TurnStart): boolean {
  return forkCommit === turnBase;
}
