import { OctavoError } from "@octavo/site/core";
import { defaultBranchPrefix, isRefName, parseAgentBranch } from "../core/index.ts";
import { gitError } from "./failure.ts";
import { flushArguments, flushRepository } from "./flush-repository.ts";
import { isFullCommit } from "./ref.ts";
import type { HostedRepository, Mirror } from "./repository.ts";
import { callGit, readGit } from "./tools.ts";
import type { GitTools } from "./tools.ts";

export interface RefUpdate {
  /** In full: `refs/heads/main`. */
  readonly name: string;
  /** A full commit in the repository, or null to remove the ref. */
  readonly to: string | null;
  /** Its required current commit; null: it must not exist. Default: any. */
  readonly expected?: string | null;
}

/** A ref's commit in each hash's length of zeros is how git says "not there". */
const zeroCommit = "0".repeat(40);

/**
 * Moves one ref of a hosted repository; it is on the disk when this resolves. Throws `conflict` if it is not at `expected`, or if its name conflicts
 * with another ref.
 */
export async function updateHostedRef(
  tools: GitTools,
  hosted: HostedRepository,
  { name, to, expected }: RefUpdate,
): Promise<void> {
  if (!/^refs\/(?:heads|tags|pull)\/./.test(name) || !isRefName(name)) {
    throw new OctavoError(
      "invalid_input",
      `${JSON.stringify(name)} is not a valid name of a branch or tag.`,
    );
  }
  for (const commit of [to, expected]) {
    if (typeof commit !== "string" || isFullCommit(commit)) continue;
    throw new OctavoError(
      "invalid_input",
      "The new commit of a branch must be a full commit name.",
    );
  }
  const old = expected === undefined ? [] : [expected ?? zeroCommit];
  const args = to === null ? ["-d", name, ...old] : [name, to, ...old];
  const result = await callGit(tools, [...flushArguments, "update-ref", "--no-deref", ...args], {
    environment: { GIT_DIR: hosted.path },
  });
  if (result.exitCode === 0) return await flushRepository(hosted.path, [name]);
  const isMoved = /cannot lock ref|but expected|reference already exists/i.test(result.stderr);
  throw new OctavoError(
    isMoved ? "conflict" : "internal",
    isMoved
      ? `The branch ${name.replace(/^refs\/[^/]+\//, "")} was changed at the same time; try again.`
      : "A branch could not be moved.",
    { cause: gitError(result) },
  );
}

/** The commits of refs below the given prefixes, by their full names; refs that do not exist are missing. */
export async function readHostedRefs(
  tools: GitTools,
  hosted: HostedRepository,
  names: readonly string[],
): Promise<Map<string, string>> {
  if (names.length === 0) return new Map();
  const patterns = names.filter((name) => isRefName(name));
  const args = ["for-each-ref", "--format=%(objectname) %(refname)", "--", ...patterns];
  const list = await readGit(tools, hosted, args);
  const refs = list.split("\n").filter((line) => line !== "");
  return new Map(refs.map((line) => [line.slice(line.indexOf(" ") + 1), line.split(" ")[0] ?? ""]));
}

/**
 * Makes a hosted repository follow a mirror: its branches and tags become the mirror's, except the
 * service's own branches, which live here only. HEAD follows too.
 */
export async function followMirror(
  tools: GitTools,
  hosted: HostedRepository,
  { mirror, signal }: { readonly mirror: Mirror; readonly signal?: AbortSignal | undefined },
): Promise<void> {
  const refspecs = [
    "+refs/heads/*:refs/heads/*",
    "+refs/tags/*:refs/tags/*",
    `^refs/heads/${defaultBranchPrefix}*`,
    ...(await listOwnBranches(tools, hosted)).map((name) => `^refs/heads/${name}`),
  ];
  const options = ["--quiet", "--prune", "--no-tags", "--no-write-fetch-head", "--update-head-ok"];
  const args = ["fetch", ...options, "--no-auto-maintenance", "--end-of-options", mirror.path];
  const result = await callGit(tools, [...args, ...refspecs], {
    environment: { GIT_DIR: hosted.path, GIT_ALLOW_PROTOCOL: "file" },
    signal,
  });
  if (result.exitCode !== 0) {
    throw new OctavoError(
      "internal",
      "The service's copy of the repository could not be updated.",
      {
        cause: gitError(result),
      },
    );
  }
  const head = await callGit(tools, ["symbolic-ref", "--quiet", "HEAD"], {
    environment: { GIT_DIR: mirror.path },
  });
  const branch = head.stdout.trim();
  if (head.exitCode === 0 && branch.startsWith("refs/heads/")) {
    await readGit(tools, hosted, ["symbolic-ref", "HEAD", branch], { signal });
  }
}

/** Those that have another prefix than the service's. */
async function listOwnBranches(tools: GitTools, hosted: HostedRepository): Promise<string[]> {
  const list = await readGit(tools, hosted, [
    "for-each-ref",
    "--format=%(refname:lstrip=2)",
    "refs/heads",
  ]);
  return list
    .split("\n")
    .filter((name) => parseAgentBranch(name) && !name.startsWith(defaultBranchPrefix));
}
