import { OctavoError, cleanRelativePath } from "@octavo/site/core";
import { isRefName } from "../../core/index.ts";
import type { Commit, Mirror } from "../repository.ts";
import { callGit, readGit } from "../program/tools.ts";
import type { GitCaller, GitTools } from "../program/tools.ts";

const fullCommitPattern = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const shortCommitPattern = /^[0-9a-f]{4,63}$/;
const maxListedNames = 5;
/**
 * The maximum number of names to compare with an unknown name. The cost of a comparison is the product of both lengths.
 */
const maxComparedNames = 5_000;

/** Reports whether `text` is a full commit hash, whose meaning can never change. */
export function isFullCommit(text: string): boolean {
  return fullCommitPattern.test(text);
}

/**
 * Resolves `ref` in the mirror to a commit. Tries a full commit hash, a branch, a tag, and a prefix of a hash, in this
 * order. Defaults to the remote's HEAD. Throws `ref_not_found` with suggestions, and `site_invalid` for a repository
 * without commits.
 */
export async function resolveRef(
  tools: GitTools,
  mirror: Mirror,
  ref: string | undefined,
): Promise<Commit> {
  if (ref === undefined || ref === "HEAD") return await resolveHead(tools, mirror);
  if (!isRefName(ref)) {
    throw new OctavoError(
      "ref_not_found",
      `${JSON.stringify(ref)} cannot be the name of a branch, tag or commit.`,
    );
  }
  const candidates = listCandidates(ref);
  const lines = await queryObjects(
    tools,
    mirror,
    candidates.map(({ object }) => object),
  );
  for (const [index, candidate] of candidates.entries()) {
    const line = lines[index] ?? "";
    const commit = /^([0-9a-f]{40,64}) commit /.exec(line)?.[1];
    if (commit !== undefined) return { commit, ref: candidate.shortName ?? commit };
    if (line.endsWith(" ambiguous")) {
      throw new OctavoError(
        "ref_not_found",
        `The hashes of several objects in the repository begin with ${ref}; use more digits of the commit hash.`,
      );
    }
  }
  throw await createNotFoundError(tools, mirror, ref);
}

const branchFolder = "refs/heads/";

/** Returns the short name of the branch that the repository's HEAD is on, or undefined if HEAD is detached. */
export async function findCurrentBranch(
  tools: GitCaller,
  { path }: Mirror,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const environment = { GIT_DIR: path };
  const { stdout } = await callGit(tools, ["symbolic-ref", "--quiet", "HEAD"], {
    environment,
    signal,
  });
  const name = stdout.trim();
  return name.startsWith(branchFolder) ? name.slice(branchFolder.length) : undefined;
}

/** Returns the commits of all refs with these prefixes, such as `refs/heads`, by full name. */
export async function listRefs(
  tools: GitCaller,
  mirror: Mirror,
  prefixes: readonly string[],
  signal?: AbortSignal,
): Promise<Map<string, string>> {
  const args = ["for-each-ref", "--format=%(objectname) %(refname)", ...prefixes];
  const list = await readGit(tools, mirror, args, { signal });
  const lines = list.split("\n").filter((line) => line !== "");
  return new Map(
    lines.map((line) => [line.slice(line.indexOf(" ") + 1), line.split(" ")[0] ?? ""]),
  );
}

interface ReachabilityQuery {
  readonly commits: readonly string[];
  readonly from: readonly string[];
  /** Object folders in addition to the repository's own folder. */
  readonly objects?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Reports whether any of `commits` is unreachable from the commits `from`. */
export async function hasUnreachable(
  tools: GitCaller,
  mirror: Mirror,
  { commits, from, objects = [], signal }: ReachabilityQuery,
): Promise<boolean> {
  const lines = [...commits, ...from.map((commit) => `^${commit}`)];
  const output = await readGit(tools, mirror, ["rev-list", "--max-count=1", "--stdin"], {
    input: `${lines.join("\n")}\n`,
    environment: { GIT_ALTERNATE_OBJECT_DIRECTORIES: objects.join(":") },
    signal,
  });
  return output !== "";
}

/** Returns short branch names; the branch with the newest commit comes first. */
export async function listBranches(
  tools: GitCaller,
  mirror: Mirror,
  limit: number,
): Promise<readonly string[]> {
  const format = ["--format=%(refname:lstrip=2)", "--sort=-committerdate", `--count=${limit}`];
  const text = await readGit(tools, mirror, ["for-each-ref", ...format, branchFolder]);
  return text.split("\n").filter((name) => name !== "");
}

/**
 * Returns the branch that `ref` names, or undefined for a tag, a commit and a missing ref. Defaults to HEAD's branch.
 */
export async function findBranch(
  tools: GitCaller,
  mirror: Mirror,
  ref: string | undefined,
): Promise<string | undefined> {
  if (ref === undefined || ref === "HEAD") return await findCurrentBranch(tools, mirror);
  if (!isRefName(ref)) return undefined;
  const name = ref.startsWith(branchFolder) ? ref.slice(branchFolder.length) : ref;
  const [line = ""] = await queryObjects(tools, mirror, [`${branchFolder}${name}^{commit}`]);
  return / commit \d+$/.test(line) ? name : undefined;
}

interface Candidate {
  /** A name in git's syntax, which must resolve to a commit. */
  readonly object: string;
  /** Undefined for a commit, whose full hash is shown. */
  readonly shortName?: string;
}

function listCandidates(ref: string): Candidate[] {
  const fullMatch = /^refs\/(?:heads|tags)\/(.+)$/.exec(ref);
  if (fullMatch?.[1] !== undefined) return [{ object: `${ref}^{commit}`, shortName: fullMatch[1] }];
  const commit = { object: `${ref.toLowerCase()}^{commit}` };
  return [
    ...(fullCommitPattern.test(ref.toLowerCase()) ? [commit] : []),
    { object: `refs/heads/${ref}^{commit}`, shortName: ref },
    { object: `refs/tags/${ref}^{commit}`, shortName: ref },
    ...(shortCommitPattern.test(ref.toLowerCase()) ? [commit] : []),
  ];
}

/** Returns one line for each object. Passes the names on standard input, where git cannot interpret them as options. */
export async function queryObjects(
  tools: GitCaller,
  mirror: Mirror,
  objects: readonly string[],
): Promise<string[]> {
  const input = objects.map((object) => `${object}\n`).join("");
  const output = await readGit(tools, mirror, ["cat-file", "--batch-check"], { input });
  return output.split("\n").filter((line) => line !== "" && !line.startsWith("hint:"));
}

async function resolveHead(tools: GitTools, mirror: Mirror): Promise<Commit> {
  const format = "--format=%(HEAD) %(refname:lstrip=2)";
  const [line = ""] = await queryObjects(tools, mirror, ["HEAD^{commit}"]);
  const commit = /^([0-9a-f]{40,64}) commit /.exec(line)?.[1];
  const branches = (await readGit(tools, mirror, ["for-each-ref", format, "refs/heads"]))
    .split("\n")
    .filter((line) => line !== "");
  if (commit !== undefined) {
    const current = branches.find((line) => line.startsWith("*"));
    return { commit, ref: current?.slice(2) ?? commit };
  }
  if (branches.length === 0) {
    throw new OctavoError(
      "site_invalid",
      "The repository has no commits yet; push the site to it, then try again.",
    );
  }
  const names = branches.map((line) => line.slice(2));
  throw new OctavoError(
    "ref_not_found",
    `The repository's default branch has no commits. Choose one of its branches: ${formatNames(names)}.`,
  );
}

async function createNotFoundError(
  tools: GitTools,
  mirror: Mirror,
  ref: string,
): Promise<OctavoError> {
  const args = ["for-each-ref", `--count=${maxComparedNames}`, "--format=%(refname:lstrip=2)"];
  const list = await readGit(tools, mirror, [...args, "refs/heads", "refs/tags"]);
  const names = list.split("\n").filter((name) => name !== "");
  if (names.length === 0) {
    return new OctavoError(
      "site_invalid",
      "The repository has no commits yet; push the site to it, then try again.",
    );
  }
  const similarNames = findSimilarNames(ref, names);
  const hint =
    similarNames.length > 0
      ? `Did you mean ${formatNames(similarNames)}?`
      : `Existing names include ${formatNames(names)}.`;
  return new OctavoError(
    "ref_not_found",
    `The repository has no branch, tag or commit ${JSON.stringify(ref)}. ${hint}`,
  );
}

function formatNames(names: readonly string[]): string {
  return names
    .slice(0, maxListedNames)
    .map((name) => JSON.stringify(name))
    .join(", ");
}

/** Returns names that contain `wanted` or differ from it in a few letters; the most similar come first. */
function findSimilarNames(wanted: string, names: readonly string[]): string[] {
  const maxDistance = Math.max(1, Math.floor(wanted.length / 4));
  return names
    .map((name) => ({
      name,
      distance: computeEditDistance(wanted.toLowerCase(), name.toLowerCase(), maxDistance),
    }))
    .filter(({ distance }) => distance <= maxDistance)
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, maxListedNames)
    .map(({ name }) => name);
}

/**
 * Returns the number of letters that must be added, removed or changed; 1 if one name contains the other. A result
 * above `max` may be inexact.
 */
function computeEditDistance(a: string, b: string, max: number): number {
  if (b.includes(a) || (b.length > 3 && a.includes(b))) return 1;
  if (Math.abs(a.length - b.length) > max) return max + 1;
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const changed = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const added = (current[column - 1] ?? 0) + 1;
      const dropped = (previous[column] ?? 0) + 1;
      current.push(Math.min(changed, added, dropped));
    }
    previous = current;
  }
  return previous[b.length] ?? max + 1;
}

interface TreeLocation {
  /** The full hash of a commit in the repository. */
  readonly commit: string;
  /** The path in the repository; `.` is its root. */
  readonly directory: string;
}

/** Returns the tree of a directory at a commit, or undefined if the directory does not exist. */
export async function findTree(
  tools: GitCaller,
  mirror: Mirror,
  { commit, directory }: TreeLocation,
): Promise<string | undefined> {
  const path = cleanRelativePath(directory);
  if (path === undefined || /[\n\r]/.test(path)) return undefined;
  const [line = ""] = await queryObjects(tools, mirror, [`${commit}:${path}`]);
  return /^([0-9a-f]{40,64}) tree /.exec(line)?.[1];
}
