import { dirname } from "node:path";
import { isOctavoError, OctavoError, cleanRelativePath, createInputError } from "@octavo/site/core";
import { createGitError } from "../program/failure.ts";
import { isFullCommit } from "../mirror/ref.ts";
import type { Mirror } from "../repository.ts";
import { callGit, createPlainCaller, openWorkIndex, readGit } from "../program/tools.ts";
import type { GitTools } from "../program/tools.ts";

/** The full hashes of two commits in the repository. */
export interface CommitRange {
  readonly from: string;
  readonly to: string;
}

export type ChangeKind = "added" | "modified" | "deleted" | "renamed" | "type_changed";

export interface GitFileChange {
  readonly kind: ChangeKind;
  /** The path in the repository; for a deleted file, its former path. */
  readonly path: string;
  /** The former path of a renamed file. */
  readonly from?: string;
}

export interface CommitSummary {
  readonly commit: string;
  readonly parents: readonly string[];
  readonly authorName: string;
  readonly authorEmail: string;
  readonly at: Date;
  /** The first line of the message. */
  readonly subject: string;
}

const changeKinds: Readonly<Record<string, ChangeKind>> = {
  A: "added",
  M: "modified",
  D: "deleted",
  R: "renamed",
  C: "added",
  T: "type_changed",
};

/** Arguments that prevent the repository's configuration from running or loading anything when changes are shown. */
export const quietDiff = [
  "--no-color",
  "--no-ext-diff",
  "--no-textconv",
  "--ignore-submodules=all",
];
/**
 * The limit is needed because the cost of comparing every removed file with every added file is the product of their
 * numbers.
 */
const renameArguments = ["--find-renames", "-l1000"];

export interface DiffRequest extends CommitRange {
  readonly maxBytes: number;
  /** The files to compare, by their paths on both sides. If omitted, all files are compared. */
  readonly paths?: readonly string[];
  /** The number of unchanged lines around each change. Defaults to 3. */
  readonly contextLines?: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Returns the unified diff between two commits, with renames. Binary files are only named. Throws `too_large` if the
 * diff is larger than `maxBytes`; `listChangedFiles` can still list the files.
 */
export async function diff(tools: GitTools, mirror: Mirror, range: DiffRequest): Promise<string> {
  const { paths = [], contextLines = 3, signal } = range;
  const args = [
    // Without this option, git would interpret file names as patterns.
    ...(paths.length > 0 ? ["--literal-pathspecs"] : []),
    "diff",
    ...quietDiff,
    ...renameArguments,
    `--unified=${contextLines}`,
    "--src-prefix=a/",
    "--dst-prefix=b/",
    ...buildCommitArguments(range),
    "--",
    ...paths,
  ];
  const limitedTools = { ...tools, limits: { ...tools.limits, outputBytes: range.maxBytes } };
  return await explainLongDiff(readGit(limitedTools, mirror, args, { signal }), range.maxBytes);
}

async function explainLongDiff<Result>(diff: Promise<Result>, maxBytes: number): Promise<Result> {
  try {
    return await diff;
  } catch (cause) {
    if (!isOctavoError(cause, "too_large")) throw cause;
    throw new OctavoError(
      "too_large",
      `The diff is larger than ${Math.ceil(maxBytes / 1024).toLocaleString("en")} KB and is not shown.`,
      { cause },
    );
  }
}

export interface FolderDiffRequest {
  /** An absolute path. Its folders `a` and `b` are compared. */
  readonly folder: string;
  readonly maxBytes: number;
  /** The search path for git, in the format of the environment variable PATH. */
  readonly searchPath?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Returns the unified diff between two folders, with the paths of files in them, as `diff` does between two commits.
 * Starts git once and needs no repository.
 */
export async function diffFolders(request: FolderDiffRequest): Promise<string> {
  const { folder, maxBytes, searchPath, signal } = request;
  const caller = createPlainCaller(searchPath, { outputBytes: maxBytes });
  const options = ["--no-index", ...quietDiff, ...renameArguments, "--unified=3", "--no-prefix"];
  const args = ["-C", folder, "diff", ...options, "--", "a", "b"];
  // A repository that contains the folder must not apply its attributes.
  const environment = { GIT_CEILING_DIRECTORIES: dirname(folder) };
  const call = callGit(caller, args, { environment, signal });
  const result = await explainLongDiff(call, maxBytes);
  // Exit code 1 means that files differ.
  if (result.exitCode > 1) throw createGitError(result);
  return nameBothSides(result.stdout);
}

/**
 * Corrects the file headers in a diff of folders. For an added or deleted file, git names the same folder twice; for a
 * renamed file, git includes the folder in both paths. Lines of file content begin with a sign, so they cannot look
 * like headers.
 */
function nameBothSides(text: string): string {
  return text
    .replaceAll(/^diff --git ("?)[ab](\/.*) \1[ab]\2$/gm, "diff --git $1a$2 $1b$2")
    .replaceAll(/^(rename (?:from|to) "?)[ab]\//gm, "$1");
}

/** Returns the files that differ between two commits, by path. */
export async function listChangedFiles(
  tools: GitTools,
  mirror: Mirror,
  range: CommitRange,
): Promise<GitFileChange[]> {
  const args = [
    "diff",
    ...quietDiff,
    ...renameArguments,
    "--name-status",
    "-z",
    ...buildCommitArguments(range),
    "--",
  ];
  return readNameStatus(await readGit(tools, mirror, args));
}

/** Parses git's `--name-status -z` output: a letter, then one path, or two for a renamed file. */
export function readNameStatus(text: string): GitFileChange[] {
  const fields = text.split("\0");
  const changes: GitFileChange[] = [];
  for (let index = 0; index + 1 < fields.length;) {
    const kind = changeKinds[fields[index]?.[0] ?? ""] ?? "modified";
    const hasTwoPaths = /^[RC]/.test(fields[index] ?? "");
    const first = fields[index + 1] ?? "";
    const path = hasTwoPaths ? (fields[index + 2] ?? "") : first;
    changes.push(kind === "renamed" ? { kind, path, from: first } : { kind, path });
    index += hasTwoPaths ? 3 : 2;
  }
  return changes;
}

/** A changed file with the size of its change. */
export interface MeasuredChange extends GitFileChange {
  /** The number of added lines; undefined for a binary file. */
  readonly added?: number;
  readonly removed?: number;
  /** The hash of the content after the change; zeros for a deleted file. */
  readonly object: string;
}

/** Returns the files that differ between two commits, by path, with the number of lines changed in each. */
export async function measureChanges(
  tools: GitTools,
  mirror: Mirror,
  range: CommitRange,
): Promise<MeasuredChange[]> {
  const formats = ["--raw", "--numstat", "--no-abbrev", "-z"];
  const args = [
    "diff",
    ...quietDiff,
    ...renameArguments,
    ...formats,
    ...buildCommitArguments(range),
    "--",
  ];
  return readMeasuredChanges(await readGit(tools, mirror, args));
}

/**
 * Parses two lists. The first contains `:mode mode object object letter` and one or two paths for each file; the second
 * contains the numbers of lines for each file, in the same order.
 */
function readMeasuredChanges(text: string): MeasuredChange[] {
  const fields = text.split("\0");
  const changes: MeasuredChange[] = [];
  let index = 0;
  while (fields[index]?.startsWith(":")) {
    const [, , , object = "", letter = ""] = (fields[index] ?? "").split(" ");
    const kind = changeKinds[letter[0] ?? ""] ?? "modified";
    const hasTwoPaths = /^[RC]/.test(letter);
    const first = fields[index + 1] ?? "";
    const path = hasTwoPaths ? (fields[index + 2] ?? "") : first;
    changes.push({ kind, path, ...(kind === "renamed" && { from: first }), object });
    index += hasTwoPaths ? 3 : 2;
  }
  return changes.map((change) => {
    const [added = "-", removed = "-", path = ""] = (fields[index] ?? "").split("\t");
    // If the path is empty, the next two fields contain the former path and the new path.
    index += path === "" ? 3 : 1;
    if (added === "-") return change;
    return { ...change, added: Number(added), removed: Number(removed) };
  });
}

/** Selects the newest commits of a branch, or only those that another branch does not contain. */
export interface CommitList {
  readonly from?: string;
  readonly to: string;
  readonly limit: number;
}

/** Lists the commits in `to` that are not in `from`, newest first; at most `limit` commits. */
export async function listCommits(
  tools: GitTools,
  mirror: Mirror,
  { limit, ...range }: CommitList,
): Promise<CommitSummary[]> {
  const { from, to } = checkRange({ from: range.to, ...range });
  const format = "--format=%H%x1f%P%x1f%an%x1f%ae%x1f%at%x1f%s";
  const args = [
    "log",
    "-z",
    "--no-show-signature",
    `--max-count=${limit}`,
    format,
    range.from === undefined ? to : `${from}..${to}`,
  ];
  const text = await readGit(tools, mirror, [...args, "--"]);
  return text
    .split("\0")
    .filter((line) => line !== "")
    .map(readCommitLine);
}

function readCommitLine(line: string): CommitSummary {
  const [commit = "", parents = "", authorName = "", authorEmail = "", seconds = "0", ...subject] =
    line.split("\u001f");
  return {
    commit: commit.trim(),
    parents: parents.split(" ").filter((parent) => parent !== ""),
    authorName,
    authorEmail,
    at: new Date(Number(seconds) * 1000),
    subject: subject.join(" "),
  };
}

/** Returns the newest common ancestor, or undefined if the histories have no common commit. */
export async function findMergeBase(
  tools: GitTools,
  mirror: Mirror,
  range: CommitRange,
): Promise<string | undefined> {
  const environment = { GIT_DIR: mirror.path };
  const result = await callGit(tools, ["merge-base", ...buildCommitArguments(range)], {
    environment,
  });
  if (result.exitCode === 0) return result.stdout.trim();
  if (result.exitCode === 1) return undefined;
  throw new OctavoError("internal", "The histories of two commits could not be compared.", {
    cause: createGitError(result),
  });
}

function buildCommitArguments(range: CommitRange): string[] {
  const { from, to } = checkRange(range);
  return [from, to];
}

function checkRange({ from, to }: CommitRange): CommitRange {
  if (isFullCommit(from) && isFullCommit(to)) return { from, to };
  throw createInputError("Commits to compare must be full commit hashes.");
}

export interface CheckoutState {
  /** The full hash of the commit that was checked out. */
  readonly commit: string;
  readonly dir: string;
  readonly directory: string;
}

/**
 * Returns the differences between a checkout's files and its commit: new files (including ignored ones), changed files
 * and deleted files. The result is sorted by path, relative to `dir`. A moved file appears as one deleted and one new
 * file.
 */
export async function findChanges(
  tools: GitTools,
  mirror: Mirror,
  { commit, dir, directory }: CheckoutState,
  signal?: AbortSignal,
): Promise<GitFileChange[]> {
  const path = cleanRelativePath(directory);
  if (path === undefined || !isFullCommit(commit)) {
    throw createInputError("A checkout requires a full commit hash and a folder.");
  }
  await using index = openWorkIndex(tools);
  const environment = { GIT_INDEX_FILE: index.file, GIT_WORK_TREE: dir };
  await readGit(tools, mirror, ["read-tree", `${commit}:${path}`], { environment, signal });
  // Exit code 1 means that some files differ; the next command lists them.
  const refresh = await callGit(tools, ["update-index", "-q", "--refresh"], {
    environment: { ...environment, GIT_DIR: mirror.path },
    signal,
  });
  if (refresh.exitCode > 1) {
    throw new OctavoError("internal", "The files of a checkout could not be compared.", {
      cause: createGitError(refresh),
    });
  }
  const diffFilesArguments = [
    "diff-files",
    "--name-status",
    "-z",
    "--no-renames",
    "--ignore-submodules=all",
  ];
  const [changed, others] = await Promise.all([
    readGit(tools, mirror, diffFilesArguments, { environment, signal }),
    readGit(tools, mirror, ["ls-files", "--others", "-z"], { environment, signal }),
  ]);
  const added = others.split("\0").filter((name) => name !== "");
  return [
    ...readNameStatus(changed),
    ...added.map((name): GitFileChange => ({ kind: "added", path: name })),
  ].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}
