import type {
  ActiveContent,
  AgentLimits,
  NoteEntry,
  Transcript,
  TurnOutcome,
  TurnSettings,
} from "../../agent/index.ts";
import type { Actor } from "../../core/index.ts";
import type { CodeHost, CodeHostProject, PullRequest } from "../../codehost/index.ts";
import { isOctavoError, OctavoError } from "@octavo/site/core";
import { canResolveConflict } from "../../agent/index.ts";
import { renumberAgentBranch } from "../../core/index.ts";
import type { Database, ProjectsTable } from "../../db/index.ts";
import type { Credentials, Git, GitWork, Person, Repository } from "../../git/index.ts";
import type { OpenedModel } from "../../model/index.ts";
import type { ReadableSource } from "../../projects/index.ts";
import type { PreviewOptions } from "../static-export/previews.ts";
import type { AgentClaim, TurnStart } from "./claim.ts";

/**
 * Returns the URL of a branch's preview in the dashboard, for the whole site or one page. Readers may have to sign in
 * first. The URL contains no spaces or brackets.
 */
export type BuildPreviewUrl = (
  branch: {
    readonly projectId: string;
    readonly jobId: string;
    /** The number of the job's branch, starting at 1. */
    readonly branchNumber: number;
  },
  page?: string,
) => string;

/** The dependencies and limits of turns. */
export interface TurnOptions extends PreviewOptions {
  readonly database: Database;
  readonly git: Git;
  readonly gitWork: GitWork;
  readonly codeHosts: Readonly<Record<ProjectsTable["code_host"], CodeHost>>;
  /** Runs the agent in an isolated process, so that reading untrusted content does not block other work. */
  readonly performTurn: (settings: TurnSettings) => Promise<TurnOutcome>;
  /** Finds active content in a diff, in an isolated process. */
  readonly findActiveContent: (diff: string) => Promise<readonly ActiveContent[]>;
  /** Opens a model. Throws `invalid_input`, naming the setting to change, if the model cannot be used. */
  readonly openModel: (name: string, signal: AbortSignal) => Promise<OpenedModel>;
  /** Returns decrypted credentials, for git and code hosts only. */
  readonly readCredentials: (projectId: string) => Promise<Credentials | undefined>;
  /** Returns the decrypted private key that signs commits. */
  readonly readSigningKey: (projectId: string) => Promise<string | undefined>;
  /** Returns the repositories that the agent may read, with their credentials, for git and code hosts only. */
  readonly readSources: (projectId: string) => Promise<readonly ReadableSource[]>;
  /** The limits. `steps`, `timeMs` and `changedFiles` apply to one turn, `tokens` to all turns of a job. */
  readonly limits: AgentLimits & { readonly tokensPerDay: number };
  /** Signs answers to comments, so that the service recognizes its own answers. */
  readonly answerKey: Buffer;
  readonly buildPreviewUrl: BuildPreviewUrl;
  /** The default author and committer of commits. */
  readonly author: Person;
  /** The maximum size of a diff. Instead of a larger diff, a list of the changed files is stored. */
  readonly maxDiffBytes: number;
  /** The folder for cached pages, which jobs share. It contains a folder for each project. */
  readonly cacheDir: string;
}

/** The state that the steps of one attempt at a turn share. */
export interface TurnWork {
  readonly claim: AgentClaim;
  readonly git: Git;
  readonly gitWork: GitWork;
  readonly host: CodeHost;
  readonly project: CodeHostProject;
  /** The site's folder in the repository. */
  readonly directory: string;
  /** The repository that was checked out, with credentials that may have expired since. */
  readonly repository: Repository;
  readonly start: TurnStart;
  readonly startingPoint: StartingPoint;
  /** The author of commits: the person who asked for the turn, if known. */
  readonly author: Person;
  readonly committer: Person;
  readonly signingKey: string | undefined;
  readonly answerKey: Buffer;
  /** The folder of the checkout. */
  readonly dir: string;
  readonly signal: AbortSignal;
}

/**
 * Checks out the commit that the turn starts from. In the first attempt, this is the branch's current tip, which is
 * recorded; later attempts use the recorded commit. Throws the errors of git and of code hosts, and `conflict` if the
 * project now has a different repository.
 */
export async function openTurnWork(
  options: TurnOptions,
  claim: AgentClaim,
  { dir, signal }: { readonly dir: string; readonly signal: AbortSignal },
): Promise<TurnWork> {
  const { git, gitWork, answerKey } = options;
  const { job } = claim;
  const { directory, repository: address, code_host } = job.project;
  if (address !== job.repository) {
    const message =
      "The project has moved to a different repository since this job was created. Create a new job.";
    throw new OctavoError("conflict", message);
  }
  const credentials = await options.readCredentials(job.project_id);
  const project = { id: job.project_id, repository: address, ...(credentials && { credentials }) };
  const host = options.codeHosts[code_host];
  const repository = await host.preparePushTarget(project, signal);
  const committer = job.project.pull_requests.author ?? options.author;
  const author = toPerson(claim.message.by) ?? committer;
  const signingKey = await options.readSigningKey(job.project_id);
  const commits = { author, committer, signingKey };
  const context = { git, gitWork, host, project, directory, repository, ...commits, signal };
  const start = findRecordedStart(claim) ?? (await chooseStart(claim, context));
  const startingPoint = await createStartingPoint(context, claim, start);
  await git.checkout({ repository, directory }, { commit: startingPoint.commit }, dir, signal);
  return { ...context, answerKey, claim, start, startingPoint, dir };
}

function toPerson(actor: Actor | null): Person | undefined {
  if (actor?.email === undefined) return undefined;
  return { name: actor.name, email: actor.email };
}

interface CommitContext extends MergeContext, BranchContext {
  readonly git: Git;
  readonly signal: AbortSignal;
}

/** Chooses and records the commit that the turn starts from, before anything is based on it. */
async function chooseStart(claim: AgentClaim, context: CommitContext): Promise<TurnStart> {
  const choice = await chooseBranch(claim, context);
  const mirror = await context.git.fetchMirror(context.repository, context.signal);
  const tip = await context.git.resolveRef(mirror, choice.ref);
  const start: TurnStart = choice.isContinued
    ? { ...choice.branch, ...getRecordedBase(claim), turnBase: tip.commit }
    : { ...choice.branch, baseRef: tip.ref, forkCommit: tip.commit, turnBase: tip.commit };
  const mergedStart = choice.isContinued ? await addBaseMerge(claim, context, start) : start;
  await claim.recordStart(mergedStart);
  return mergedStart;
}

/** Adds a merge of the base to the start if the base has new commits and the merge is possible. */
async function addBaseMerge(
  claim: AgentClaim,
  context: CommitContext,
  start: TurnStart,
): Promise<TurnStart> {
  const mergedBase = await readTip(context, start.baseRef);
  if (mergedBase === undefined) return start;
  const mergedStart = { ...start, mergedBase };
  return (await canMergeBase(context, claim, mergedStart)) ? mergedStart : start;
}

function findRecordedStart({ job }: AgentClaim): TurnStart | undefined {
  const { base_ref: baseRef, fork_commit: forkCommit, turn_base: turnBase } = job;
  if (baseRef === null || forkCommit === null || turnBase === null) return undefined;
  const mergedBase = job.merged_base ?? undefined;
  return { ...getBranch(job), baseRef, forkCommit, turnBase, mergedBase };
}

function getRecordedBase({ job }: AgentClaim): Pick<TurnStart, "baseRef" | "forkCommit"> {
  const { base_ref: baseRef, fork_commit: forkCommit } = job;
  if (baseRef !== null && forkCommit !== null) return { baseRef, forkCommit };
  throw new Error(`The agent job ${job.id} has a pull request and no base.`);
}

type TurnBranch = Pick<TurnStart, "branch" | "branchNumber" | "branchTurn">;

function getBranch(job: AgentClaim["job"]): TurnBranch {
  return { branch: job.branch, branchNumber: job.branch_number, branchTurn: job.branch_turn };
}

/** Returns the branch that follows a branch whose pull request was merged or closed, or never existed. */
export function createNextBranch({ job, message }: AgentClaim): TurnBranch {
  const branchNumber = job.branch_number + 1;
  return {
    branch: renumberAgentBranch(job.branch, branchNumber),
    branchNumber,
    branchTurn: message.turn,
  };
}

/** Chooses the branch of the job's open pull request, or else a new branch that starts from the project's branch. */
async function chooseBranch(
  claim: AgentClaim,
  context: BranchContext,
): Promise<{ branch: TurnBranch; ref: string | undefined; isContinued: boolean }> {
  const { job } = claim;
  const pullRequest = await findPullRequest(claim, context);
  if (pullRequest) {
    const { number, url, state, isDraft } = pullRequest;
    await claim.recordPullRequest({ number, url, state, isDraft });
    if (state === "open") return { branch: getBranch(job), ref: job.branch, isContinued: true };
  }
  const branch = job.head_commit === null ? getBranch(job) : createNextBranch(claim);
  return { branch, ref: job.project.ref ?? undefined, isContinued: false };
}

/**
 * Finds the pull request of the job's branch. If the branch was pushed but no pull request is recorded, a turn ended in
 * between. In this case, finds the pull request if it was created, and otherwise removes the orphan branch, so that no
 * pull request can be opened from it.
 */
async function findPullRequest(
  { job }: AgentClaim,
  context: BranchContext,
): Promise<PullRequest | undefined> {
  if (job.pull_request_number !== null) {
    return await context.host.get(context.project, job.pull_request_number, context.signal);
  }
  if (job.head_commit === null) return undefined;
  return await findPullRequestOrRemoveBranch(context, {
    branch: job.branch,
    commit: job.head_commit,
  });
}

/** Reads the current tip of a branch in the repository. Returns undefined if the branch does not exist. */
export async function readTip(
  { git, host, project, signal }: Pick<TurnWork, "git" | "host" | "project" | "signal">,
  branch: string,
): Promise<string | undefined> {
  // This call updates the copy if the host has one, and renews the credentials of other hosts, which may have expired.
  const repository = await host.preparePushTarget(project, signal);
  const mirror = await git.fetchMirror(repository, signal);
  try {
    return (await git.resolveRef(mirror, `refs/heads/${branch}`)).commit;
  } catch (error) {
    if (isOctavoError(error, "ref_not_found")) return undefined;
    throw error;
  }
}

/** The commit that a turn works on: the tip of its branch, possibly with the base's newer commits merged into it. */
interface StartingPoint {
  /**
   * The commit to check out. If there are `conflicts`, its files contain git's conflict markers, and it is never
   * pushed.
   */
  readonly commit: string;
  /** The parents of the turn's commit. Omitted if `commit` is the only parent. */
  readonly parents?: readonly string[];
  /** Files that conflict between the branch and the base, as paths from the repository's root. */
  readonly conflicts: readonly string[];
}

interface MergeContext {
  readonly gitWork: GitWork;
  readonly repository: Repository;
  /** The site's folder in the repository. */
  readonly directory: string;
  /** The author of the merge, and of every other commit of the job. */
  readonly author: Person;
  readonly committer: Person;
  readonly signingKey: string | undefined;
}

type BranchPoint = Pick<TurnStart, "branch" | "baseRef" | "turnBase" | "mergedBase">;

/** Creates the starting point of a turn from its recorded data. The result is the same on every attempt. */
async function createStartingPoint(
  context: MergeContext,
  claim: AgentClaim,
  start: BranchPoint,
): Promise<StartingPoint> {
  const unmerged = { commit: start.turnBase, conflicts: [] };
  if (start.mergedBase === undefined) return unmerged;
  const { turnBase, mergedBase } = start;
  const merged = await context.gitWork.merge(context.repository, buildMerge(context, claim, start));
  if (!merged) return unmerged;
  return { ...merged, ...(merged.conflicts.length > 0 && { parents: [turnBase, mergedBase] }) };
}

/**
 * Reports whether a turn can merge the base into its branch. If git finds conflicts, the model must be able to resolve
 * all of them, so each must be in the site's content.
 */
async function canMergeBase(
  context: MergeContext,
  claim: AgentClaim,
  start: BranchPoint,
): Promise<boolean> {
  const merged = await context.gitWork.merge(context.repository, buildMerge(context, claim, start));
  if (!merged || merged.conflicts.length === 0) return merged !== undefined;
  const isBuiltin = claim.job.model.startsWith("builtin/");
  return !isBuiltin && merged.conflicts.every((path) => canResolve(path, context.directory));
}

function buildMerge(
  { author, committer, signingKey }: MergeContext,
  { message }: AgentClaim,
  start: BranchPoint,
) {
  const { branch, baseRef, turnBase, mergedBase = turnBase } = start;
  return {
    ours: turnBase,
    theirs: mergedBase,
    author,
    committer,
    signingKey,
    message: `Merge ${baseRef} into ${branch}`,
    at: message.at,
  };
}

function canResolve(path: string, directory: string): boolean {
  const sitePath = findPathInSite(path, directory);
  return sitePath !== undefined && canResolveConflict(sitePath);
}

/** Returns the path relative to the site's folder, or undefined for a file outside the folder. */
export function findPathInSite(path: string, directory: string): string | undefined {
  if (directory === ".") return path;
  return path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : undefined;
}

/** A branch that was pushed, or was about to be pushed, by a turn that ended without a pull request. */
interface OrphanBranch {
  readonly branch: string;
  /** The tip that the service pushed. */
  readonly commit: string;
}

interface BranchContext {
  readonly gitWork: GitWork;
  readonly host: CodeHost;
  readonly project: CodeHostProject;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Finds the pull request of a branch, which may exist although its creation was never recorded. If there is no pull
 * request, removes the branch, unless someone else has pushed to it or the code host refuses.
 */
export async function findPullRequestOrRemoveBranch(
  { gitWork, host, project, signal }: BranchContext,
  { branch, commit }: OrphanBranch,
): Promise<PullRequest | undefined> {
  const pullRequest = await host.find(project, { head: branch, state: "any" }, signal);
  if (pullRequest) return pullRequest;
  const target = await host.preparePushTarget(project, signal);
  try {
    await gitWork.removeBranch(target, { target, branch, expected: commit }, signal);
  } catch (error) {
    if (!isOctavoError(error, "conflict") && !isOctavoError(error, "forbidden")) throw error;
  }
  return undefined;
}

/** Appends the entry unless an earlier attempt at this turn has already appended it. */
export async function addNote(
  transcript: Transcript,
  type: NoteEntry["type"],
  { text, details }: Required<Pick<NoteEntry, "text" | "details">>,
): Promise<void> {
  const entries = transcript.entries();
  const begin = entries.findLastIndex(
    (entry) => entry.type === "message" && entry.from === "person",
  );
  const isAlreadyNoted = entries
    .slice(begin + 1)
    .some((entry) => entry.type === type && entry.text === text);
  if (!isAlreadyNoted)
    await transcript.append({ type, at: new Date().toISOString(), text, details });
}
