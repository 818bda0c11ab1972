import type { AgentLimits } from "../../agent/index.ts";
import type { CodeHost, CodeHostProject, PullRequest } from "../../codehost/index.ts";
import { isOctavoError, OctavoError } from "@octavo/site/core";
import type { Database, ProjectsTable } from "../../db/index.ts";
import type { Credentials, Git, GitWork, Person, Repository } from "../../git/index.ts";
import type { OpenedModel } from "../../model/index.ts";
import type { JobQueue } from "../queue.ts";
import type { AgentClaim, TurnStart } from "./claim.ts";
import { branchName } from "./job.ts";
import { findOrRemove } from "./left-branches.ts";
import type { BranchPlace } from "./left-branches.ts";
import type { PreviewUrl } from "./preview.ts";

/** What turns are run with. */
export interface TurnOptions {
  readonly database: Database;
  readonly git: Git;
  readonly gitWork: GitWork;
  readonly codeHosts: Readonly<Record<ProjectsTable["code_host"], CodeHost>>;
  /** Throws `invalid_input` with what to set where a model cannot be used. */
  readonly openModel: (name: string) => Promise<OpenedModel>;
  /** In the clear, for git and code hosts only. */
  readonly readCredentials: (projectId: string) => Promise<Credentials | undefined>;
  /** `steps`, `timeMs` and `changedFiles` are for one turn, `tokens` for all turns of a job. */
  readonly limits: AgentLimits & { readonly tokensPerDay: number };
  /** Previews of what was pushed are started on it. */
  readonly queue: JobQueue;
  readonly previewUrl: PreviewUrl;
  /** Who commits. */
  readonly author: Person;
  /** A longer diff is kept as a list of the files that differ. */
  readonly diffBytes: number;
  /** Where attempts work; each has a folder of its own that is removed after it. */
  readonly workDir: string;
  /** Rendered pages that are kept between jobs, in a folder for each project. */
  readonly cacheDir: string;
}

/** What the steps of one attempt at a turn share. */
export interface TurnWork {
  readonly claim: AgentClaim;
  readonly git: Git;
  readonly gitWork: GitWork;
  readonly host: CodeHost;
  readonly project: CodeHostProject;
  /** Where the site lies in the repository. */
  readonly directory: string;
  /** The repository that was checked out, with credentials that may have expired since. */
  readonly repository: Repository;
  readonly start: TurnStart;
  /** The checkout. */
  readonly dir: string;
  readonly signal: AbortSignal;
}

/**
 * Checks out where the turn begins: where its first attempt did, or, for that one, at what the branch is now.
 * Throws as git and code hosts do, and `conflict` where the project moved to another repository.
 */
export async function openWork(
  options: TurnOptions,
  claim: AgentClaim,
  { dir, signal }: { readonly dir: string; readonly signal: AbortSignal },
): Promise<TurnWork> {
  const { git, gitWork } = options;
  const { job } = claim;
  const { directory, repository: address, code_host } = job.project;
  if (address !== job.repository) {
    const message =
      "The project's repository is another one since this job was made. Create a new job.";
    throw new OctavoError("conflict", message);
  }
  const credentials = await options.readCredentials(job.project_id);
  const project = { id: job.project_id, repository: address, ...(credentials && { credentials }) };
  const host = options.codeHosts[code_host];
  const repository = await host.pushTarget(project, signal);
  const source = { repository, directory };
  const fixed = fixedStart(claim);
  if (fixed) {
    await git.checkout(source, { commit: fixed.turnBase }, dir, signal);
    const shared = { claim, git, gitWork, host, project, directory, repository, dir, signal };
    return { ...shared, start: fixed };
  }
  const begin = await chooseBranch(claim, { gitWork, host, project, signal });
  const at = await git.checkout(source, { ref: begin.ref }, dir, signal);
  const start: TurnStart = begin.isContinued
    ? { ...begin.branch, ...knownBase(claim), turnBase: at.commit }
    : { ...begin.branch, baseRef: at.ref, forkCommit: at.commit, turnBase: at.commit };
  await claim.fixStart(start);
  return { claim, git, gitWork, host, project, directory, repository, dir, signal, start };
}

function fixedStart({ job }: AgentClaim): TurnStart | undefined {
  const { base_ref: baseRef, fork_commit: forkCommit, turn_base: turnBase } = job;
  if (baseRef === null || forkCommit === null || turnBase === null) return undefined;
  return { ...branchOf(job), baseRef, forkCommit, turnBase };
}

function knownBase({ job }: AgentClaim): Pick<TurnStart, "baseRef" | "forkCommit"> {
  const { base_ref: baseRef, fork_commit: forkCommit } = job;
  if (baseRef !== null && forkCommit !== null) return { baseRef, forkCommit };
  throw new Error(`The agent job ${job.id} has a pull request and no base.`);
}

type BranchOf = Pick<TurnStart, "branch" | "branchNumber" | "branchTurn">;

function branchOf(job: AgentClaim["job"]): BranchOf {
  return { branch: job.branch, branchNumber: job.branch_number, branchTurn: job.branch_turn };
}

/** The branch that follows one whose pull request has ended, or that was left behind. */
export function nextBranch({ job, message }: AgentClaim): BranchOf {
  const branchNumber = job.branch_number + 1;
  return { branch: branchName(job.id, branchNumber), branchNumber, branchTurn: message.turn };
}

/** An open pull request is added to; everything else begins at what the project's branch is now. */
async function chooseBranch(
  claim: AgentClaim,
  place: BranchPlace,
): Promise<{ branch: BranchOf; ref: string | undefined; isContinued: boolean }> {
  const { job } = claim;
  const pullRequest = await lookAtPullRequest(claim, place);
  if (pullRequest) {
    const { number, url, state } = pullRequest;
    await claim.recordPullRequest({ number, url, state });
    if (state === "open") return { branch: branchOf(job), ref: job.branch, isContinued: true };
  }
  const branch = job.head_commit === null ? branchOf(job) : nextBranch(claim);
  return { branch, ref: job.project.ref ?? undefined, isContinued: false };
}

/**
 * The one of the job's branch. Where none is known but the branch was pushed, a turn ended in between:
 * it may have been made all the same, or else the branch is left over, and is taken away, so that none
 * can be made of it any more.
 */
async function lookAtPullRequest(
  { job }: AgentClaim,
  place: BranchPlace,
): Promise<PullRequest | undefined> {
  if (job.pull_request_number !== null) {
    return await place.host.get(place.project, job.pull_request_number, place.signal);
  }
  if (job.head_commit === null) return undefined;
  return await findOrRemove(place, { branch: job.branch, commit: job.head_commit });
}

/** Where a branch of the repository stands now; undefined where there is none. */
export async function readTip(
  { git, host, project, signal }: TurnWork,
  branch: string,
): Promise<string | undefined> {
  // A host that keeps a copy brings it up to date by this; for the others, credentials may have expired.
  const repository = await host.pushTarget(project, signal);
  const mirror = await git.fetchMirror(repository, signal);
  try {
    return (await git.resolveRef(mirror, `refs/heads/${branch}`)).commit;
  } catch (error) {
    if (isOctavoError(error, "ref_not_found")) return undefined;
    throw error;
  }
}
