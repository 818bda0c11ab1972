import { OctavoError } from "@octavo/site/core";
import { initializeBare, isWhole } from "./bare.ts";
import { dropQuoted, gitError, remoteFailure } from "./failure.ts";
import { isFullCommit } from "./ref.ts";
import { openRemote } from "./remote.ts";
import type { Mirror, Repository } from "./repository.ts";
import type { GitResult } from "./run.ts";
import { callGit } from "./tools.ts";
import type { GitTools } from "./tools.ts";
import { requireWorkBranch } from "./work-branch.ts";

export interface Push {
  readonly target: Repository;
  /** Below `octavo/`; nothing else is ever pushed to. */
  readonly branch: string;
  /** A full commit that the source holds. */
  readonly commit: string;
  /**
   * Where the branch must stand on the target: a full commit, or null where it must not be there yet.
   * The branch may be rewritten from there, and never from anywhere else.
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

/** The receiving side of a folder on this machine: the owner's hooks do not run as this service. */
const receiveWithoutHooks = "--receive-pack=git -c core.hooksPath=/dev/null receive-pack";

/**
 * Pushes one commit to one branch of the service's own. Doing it again is harmless: a branch that is
 * at the commit already is left alone. Throws `invalid_input` for any other branch, `conflict` where
 * somebody else moved the branch, `forbidden` where the credentials may not write, else as a fetch.
 */
export async function pushBranch(
  tools: GitTools,
  mirror: Mirror,
  push: Push,
  signal?: AbortSignal,
): Promise<void> {
  requireFullCommits([push.commit, ...(push.expected === null ? [] : [push.expected])]);
  const { result, shown } = await moveBranch(tools, mirror, { ...push, signal });
  if (result.exitCode !== 0) throw pushFailure(shown, push.branch, result);
}

export interface BranchRemoval extends Pick<Push, "target" | "branch"> {
  /** A full commit. */
  readonly expected: string;
}

/**
 * Takes one branch of the service's own away, and again harmlessly. Throws as `pushBranch`, `conflict`
 * where the branch is not where the caller knows it to be.
 */
export async function removeBranch(
  tools: GitTools,
  mirror: Mirror,
  removal: BranchRemoval,
  signal?: AbortSignal,
): Promise<void> {
  requireFullCommits([removal.expected]);
  // Nothing is sent, but git pushes from a repository only, and the mirror may have been lost. One that is there
  // is left alone: made again while somebody fetches into it, which does the same, one of the two fails.
  if (!(await isWhole(mirror.path))) await initializeBare(tools, mirror.path, signal);
  const { result, shown } = await moveBranch(tools, mirror, { ...removal, commit: "", signal });
  if (result.exitCode === 0) return;
  // Git says the same of a branch that is gone and of one that was moved.
  const { stdout, exitCode } = await askBranch(tools, removal, signal);
  if (exitCode === 0 && stdout.trim() === "") return;
  throw pushFailure(shown, removal.branch, result);
}

async function askBranch(
  tools: GitTools,
  { target, branch }: BranchRemoval,
  signal: AbortSignal | undefined,
): Promise<GitResult> {
  await using remote = await openTarget(tools, target);
  const args = ["ls-remote", "--heads", "--end-of-options", remote.url, `refs/heads/${branch}`];
  const { environment, secrets } = remote;
  return await callGit(tools, [...remote.arguments, ...args], { environment, secrets, signal });
}

/** An empty `commit` takes the branch away. */
async function moveBranch(
  tools: GitTools,
  mirror: Mirror,
  { target, branch, commit, expected, signal }: Push & { signal: AbortSignal | undefined },
) {
  requireWorkBranch(branch);
  const ref = `refs/heads/${branch}`;
  const args = [
    ...pushArguments,
    `--force-with-lease=${ref}:${expected ?? ""}`,
    ...(isLocal(target) ? [receiveWithoutHooks] : []),
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
  return { result, shown: remote.shown };
}

function requireFullCommits(commits: readonly string[]): void {
  if (commits.every((commit) => isFullCommit(commit))) return;
  throw new OctavoError("invalid_input", "Commits are pushed by their full names.");
}

function isLocal(target: Repository): boolean {
  return "path" in target || target.url.startsWith("file:");
}

async function openTarget(tools: GitTools, target: Repository) {
  if (!("path" in target)) {
    const remote = await openRemote(target, tools.allow, tools.home);
    return { ...remote, shown: remote.url };
  }
  return {
    url: target.path,
    shown: "on this service",
    arguments: [],
    environment: { GIT_ALLOW_PROTOCOL: "file" },
    secrets: [],
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** `!<tab>from:to<tab>[rejected] (reason)`: git's own line for a ref that was not taken. */
const refusedLine = /^!\t[^\t\n]*\t\[(remote )?rejected\] \(([^\n]*)\)$/m;
/**
 * What a remote says where somebody else's push is done between its look at the branch and its own: another
 * worker's, or that of a git which has outlived its worker. The reason itself names it from git 2.50 on.
 */
const movedMeanwhile =
  /cannot lock ref .*(?:reference already exists|but expected|unable to resolve reference|File exists)|\((?:reference already exists|incorrect old value provided)\)$/m;
const mayNotWrite =
  /returned error: 40[13]|Permission (?:to .{1,300} )?denied|denied to|Authentication failed|Write access|read[- ]only|not permitted to push|could not read (?:Username|Password)/i;

function pushFailure(url: string, branch: string, result: GitResult): OctavoError {
  const cause = gitError(result);
  const refused = refusedLine.exec(result.stdout);
  if (refused && (!refused[1] || movedMeanwhile.test(`${refused[0]}\n${result.stderr}`))) {
    return new OctavoError(
      "conflict",
      `The branch ${branch} was changed by somebody else; it was left as it is.`,
      { cause },
    );
  }
  if (refused) {
    return new OctavoError(
      "forbidden",
      `The repository ${url} does not take the branch ${branch}: ${printable(refused[2] ?? "")}. ` +
        "Look at its rules for branches below octavo/.",
      { cause },
    );
  }
  if (mayNotWrite.test(dropQuoted(result.stderr))) {
    return new OctavoError(
      "forbidden",
      `The project's credentials may not push to ${url}. Give it a token or key that may write its contents.`,
      { cause },
    );
  }
  return (
    remoteFailure(url, result) ??
    new OctavoError("internal", `The branch ${branch} could not be pushed to ${url}.`, { cause })
  );
}

/** The words are a remote server's: a short line of text, whatever it sends. */
function printable(words: string): string {
  return words.replaceAll(/\p{Cc}/gu, " ").slice(0, 200);
}
