import { join } from "node:path";
import { OctavoError, createInputError } from "@octavo/site/core";
import { isOwnBranch, isRefName } from "../../core/index.ts";
import { initializeBare, isComplete } from "../mirror/bare.ts";
import { isFullCommit } from "../mirror/ref.ts";
import { openRemote } from "../mirror/remote.ts";
import { dropQuoted, createGitError, findRemoteFailure } from "../program/failure.ts";
import type { GitResult, GitTools } from "../program/tools.ts";
import { callGit } from "../program/tools.ts";
import type { CopiedRepository, Mirror, RemoteRepository, Repository } from "../repository.ts";
import { findMergeBase } from "./compare.ts";

export interface Push {
  readonly target: Repository;
  /** One of the service's own branches. `push` rejects any other branch. */
  readonly branch: string;
  /** The full hash of a commit in the source. */
  readonly commit: string;
  /**
   * The branch's required commit on the target: a full hash, or null if the branch must not exist yet. The branch may
   * be rewritten only if this matches.
   */
  readonly expected: string | null;
}

const pushArguments = [
  "push",
  "--porcelain",
  "--no-verify",
  "--no-follow-tags",
  "--recurse-submodules=no",
  "--no-signed",
];

/** The command for pushes to a folder on this machine. The owner's hooks must not run as this service. */
const receivePackOption =
  "--receive-pack=git -c core.hooksPath=/dev/null -c core.fsync=committed receive-pack";

/**
 * Pushes one commit to one of the service's own branches. Idempotent. Throws `invalid_input` for any other branch,
 * `conflict` if someone else moved the branch, `forbidden` if the credentials do not have write access, and otherwise
 * the same errors as a fetch.
 */
export async function pushBranch(
  tools: GitTools,
  mirror: Mirror,
  push: Push,
  signal?: AbortSignal,
): Promise<void> {
  checkFullCommits([push.commit, ...(push.expected === null ? [] : [push.expected])]);
  const { target } = push;
  if ("origin" in target) return await moveInOrigin(mirror, { ...push, target, signal });
  checkWorkBranch(push.branch);
  const { result, displayUrl } = await moveBranch(tools, mirror, { ...push, signal });
  if (result.exitCode === 0) return;
  throw createPushError(result, { ...push, url: displayUrl, advice: workBranchAdvice });
}

export interface MergePush extends Pick<Push, "branch" | "commit"> {
  readonly target: RemoteRepository;
  /** The branch's commit on the target, which `commit` must contain. */
  readonly expected: string;
}

/**
 * Fast-forwards a branch of an external repository to a person's merge. This is the only push to a branch that is not
 * the service's own. Throws in the same cases as `pushBranch`. Never overwrites commits.
 */
export async function pushMerge(
  tools: GitTools,
  mirror: Mirror,
  push: MergePush,
  signal?: AbortSignal,
): Promise<void> {
  checkFullCommits([push.commit, push.expected]);
  const common = await findMergeBase(tools, mirror, { from: push.commit, to: push.expected });
  if (common !== push.expected) {
    throw new OctavoError(
      "conflict",
      "The merge does not contain all commits of its target branch.",
    );
  }
  const { result, displayUrl } = await moveBranch(tools, mirror, { ...push, signal });
  if (result.exitCode === 0) return;
  throw createPushError(result, { ...push, url: displayUrl, advice: mergeAdvice });
}

export interface BranchRemoval extends Pick<Push, "target" | "branch"> {
  /** The full hash of the branch's expected commit. */
  readonly expected: string;
}

/**
 * Removes one of the service's own branches. Idempotent. Throws in the same cases as `pushBranch`, and throws `conflict` if the
 * branch is not at `expected`.
 */
export async function removeBranch(
  tools: GitTools,
  mirror: Mirror,
  removal: BranchRemoval,
  signal?: AbortSignal,
): Promise<void> {
  checkFullCommits([removal.expected]);
  const { target } = removal;
  if ("origin" in target) {
    return await moveInOrigin(mirror, { ...removal, target, commit: null, signal });
  }
  // Nothing is sent, but git can push only from a repository, and the mirror may have been deleted. An existing mirror
  // is not initialized again, because if a fetch ran at the same time, one of the two would fail.
  if (!(await isComplete(mirror.path))) await initializeBare(tools, mirror.path, signal);
  checkWorkBranch(removal.branch);
  const { result, displayUrl } = await moveBranch(tools, mirror, {
    ...removal,
    commit: "",
    signal,
  });
  if (result.exitCode === 0) return;
  // Git reports deleted branches and moved branches in the same way.
  const { stdout, exitCode } = await queryBranch(tools, removal, signal);
  if (exitCode === 0 && stdout.trim() === "") return;
  throw createPushError(result, { ...removal, url: displayUrl, advice: workBranchAdvice });
}

async function queryBranch(
  tools: GitTools,
  { target, branch }: BranchRemoval,
  signal: AbortSignal | undefined,
): Promise<GitResult> {
  await using remote = await openTarget(tools, target);
  const args = ["ls-remote", "--heads", "--end-of-options", remote.url, `refs/heads/${branch}`];
  const { environment, secrets } = remote;
  return await callGit(tools, [...remote.arguments, ...args], { environment, secrets, signal });
}

interface CopiedPush extends Omit<Push, "target" | "commit"> {
  readonly target: CopiedRepository;
  readonly signal: AbortSignal | undefined;
  /** The commit to push, or null to remove the branch. */
  readonly commit: string | null;
}

async function moveInOrigin(
  mirror: Mirror,
  { target, branch, commit, expected, signal }: CopiedPush,
): Promise<void> {
  checkWorkBranch(branch);
  const objectFolders = mirror.path === target.path ? [] : [join(mirror.path, "objects")];
  const move = { name: `refs/heads/${branch}`, to: commit, expected, objectFolders };
  if (!(await target.origin.moveRef(move, signal))) throw createMovedError(branch);
}

function createMovedError(branch: string, cause?: Error): OctavoError {
  return new OctavoError(
    "conflict",
    `The branch ${branch} was changed by someone else and was not overwritten.`,
    cause ? { cause } : {},
  );
}

/** Moves a branch; an empty `commit` removes it. The caller must have checked which branch it is. */
async function moveBranch(
  tools: GitTools,
  mirror: Mirror,
  { target, branch, commit, expected, signal }: Push & { signal: AbortSignal | undefined },
) {
  const ref = `refs/heads/${branch}`;
  const args = [
    ...pushArguments,
    `--force-with-lease=${ref}:${expected ?? ""}`,
    ...(isLocal(target) ? [receivePackOption] : []),
    "--end-of-options",
  ];
  await using remote = await openTarget(tools, target);
  const result = await callGit(
    tools,
    [...remote.arguments, ...args, remote.url, `${commit}:${ref}`],
    {
      environment: { ...remote.environment, GIT_DIR: mirror.path },
      secrets: remote.secrets,
      signal,
    },
  );
  return { result, displayUrl: remote.displayUrl };
}

function checkFullCommits(commits: readonly string[]): void {
  if (commits.every((commit) => isFullCommit(commit))) return;
  throw createInputError("Commits to push must be full commit hashes.");
}

function isLocal(target: Repository): boolean {
  return "path" in target || target.url.startsWith("file:");
}

async function openTarget(tools: GitTools, target: Repository) {
  if (!("path" in target)) {
    const remote = await openRemote(target, tools.allow, tools.home);
    return { ...remote, displayUrl: remote.url };
  }
  return {
    url: target.path,
    displayUrl: "on this service",
    arguments: [],
    environment: { GIT_ALLOW_PROTOCOL: "file" },
    secrets: [],
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** Matches git's line for a rejected ref: `!<tab>from:to<tab>[rejected] (reason)`. */
const rejectedLinePattern = /^!\t[^\t\n]*\t\[(remote )?rejected\] \(([^\n]*)\)$/m;
/**
 * Matches the message of a remote if another push (by another worker, or by a git process that outlived its worker)
 * finished between the remote's check of the branch and this push. Since git 2.50, the reason in the rejected ref's
 * line contains this message.
 */
const concurrentUpdatePattern =
  /cannot lock ref .*(?:reference already exists|but expected|unable to resolve reference|File exists)|\((?:reference already exists|incorrect old value provided)\)$/m;
const permissionDeniedPattern =
  /returned error: 40[13]|Permission (?:to .{1,300} )?denied|denied to|Authentication failed|Write access|read[- ]only|not permitted to push|could not read (?:Username|Password)/i;

const workBranchAdvice =
  "Check its rules for branches of this name, or choose a different branchPrefix for the project.";
const mergeAdvice = "Check its rules for this branch, or merge the pull request's branch there.";

function createPushError(
  result: GitResult,
  {
    url,
    branch,
    advice,
  }: { readonly url: string; readonly branch: string; readonly advice: string },
): OctavoError {
  const cause = createGitError(result);
  const rejectedLine = rejectedLinePattern.exec(result.stdout);
  if (
    rejectedLine &&
    (!rejectedLine[1] || concurrentUpdatePattern.test(`${rejectedLine[0]}\n${result.stderr}`))
  ) {
    return createMovedError(branch, cause);
  }
  if (rejectedLine) {
    return new OctavoError(
      "forbidden",
      `The repository ${url} rejected the branch ${branch}: ${shortenToLine(rejectedLine[2] ?? "")}. ` +
        advice,
      { cause },
    );
  }
  if (permissionDeniedPattern.test(dropQuoted(result.stderr))) {
    return new OctavoError(
      "forbidden",
      `The project's credentials do not allow pushes to ${url}. Set a token or key with write access to contents.`,
      { cause },
    );
  }
  return (
    findRemoteFailure(url, result) ??
    new OctavoError("internal", `The branch ${branch} could not be pushed to ${url}.`, { cause })
  );
}

/** Shortens a remote server's text to one line. */
function shortenToLine(words: string): string {
  return words.replaceAll(/\p{Cc}/gu, " ").slice(0, 200);
}

/** Throws `invalid_input` for a branch that is not the service's own, or for an invalid name. */
function checkWorkBranch(name: string): void {
  if (isOwnBranch(name) && isRefName(name)) return;
  throw createInputError(
    `Octavo pushes only to branches whose names begin with octavo/ or end with the name of an agent job; ${JSON.stringify(name)} does not.`,
  );
}
