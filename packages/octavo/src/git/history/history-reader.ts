import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { cleanRelativePath, isOctavoError, isSystemError } from "@octavo/site/core";
import { isFullCommit } from "../mirror/ref.ts";
import type { Mirror } from "../repository.ts";
import { readGit } from "../program/tools.ts";
import type { GitCaller, GitLimits } from "../program/tools.ts";

/** A commit as it may be shown, without its author. */
export interface PastCommit {
  readonly commit: string;
  /** The day of the commit in the committer's time zone, such as `2026-11-20`. */
  readonly date: string;
  /** The first line of the message, unchanged and untrusted. */
  readonly subject: string;
}

export interface ContentLocation {
  readonly mirror: Mirror;
  /** The full hash of a commit in the repository. */
  readonly commit: string;
  /** The path in the repository; `.` is its root. */
  readonly directory: string;
}

/** Reads the history of one directory. */
export interface HistoryReader {
  /** The directory's path in the repository; empty for the root, otherwise with a trailing slash. */
  readonly prefix: string;
  readonly commit: string;
  readonly shallowCommits: ReadonlySet<string>;
  /** Returns git's complete output. */
  readAll(args: readonly string[], options: ReadOptions): Promise<string>;
  /** Returns as much of git's output as the limits allow. */
  readSome(args: readonly string[], options: ReadOptions): Promise<string>;
}

export interface ReadOptions {
  readonly signal: AbortSignal | undefined;
  /** Git's standard input. */
  readonly input?: string;
}

export type HistoryTools = GitCaller & { readonly limits: Pick<GitLimits, "historyMs"> };

/** Arguments that prevent the repository's own configuration from running commands and from changing the listing. */
const historyArguments = [
  "-c",
  "log.showRoot=true",
  "-c",
  "log.follow=false",
  "-c",
  "core.quotePath=false",
  // Files above this size are not pages, so their lines are not compared.
  "-c",
  "core.bigFileThreshold=4m",
  // Packs are mapped in parts, because mapped parts count as memory.
  "-c",
  "core.packedGitWindowSize=16m",
  "-c",
  "core.packedGitLimit=128m",
  "--literal-pathspecs",
];
/** The maximum time that one call of a tool waits for git. */
const maxAnswerMs = 30_000;
const maxAnswerBytes = 16 * 1024 * 1024;
/** Anyone can commit content whose comparison takes unlimited memory; ordinary sites need less than 50 MB. */
const memoryBytes = 1024 ** 3;

/** Opens a reader. Returns undefined if no repository can contain the directory or the commit. */
export async function openHistoryReader(
  tools: HistoryTools,
  { mirror, commit, directory }: ContentLocation,
): Promise<HistoryReader | undefined> {
  const folder = cleanRelativePath(directory);
  if (folder === undefined || !isFullCommit(commit)) return undefined;
  const limits = {
    commandMs: Math.min(maxAnswerMs, tools.limits.historyMs),
    outputBytes: Math.min(maxAnswerBytes, tools.limits.outputBytes),
  };
  // A partial clone must not request missing objects from its server.
  const environment = { GIT_NO_LAZY_FETCH: "1" };
  return {
    prefix: folder === "" ? "" : `${folder}/`,
    commit,
    shallowCommits: await readShallowCommits(tools, mirror, undefined),
    readAll: (args, options) =>
      readGit(tools, mirror, [...historyArguments, ...args], {
        ...options,
        environment,
        memoryBytes,
      }),
    async readSome(args, options) {
      const chunks: Buffer[] = [];
      const onOutput = (chunk: Buffer) => chunks.push(chunk) > 0;
      try {
        const all = [...historyArguments, ...args];
        const call = { ...options, environment, memoryBytes, onOutput };
        await readGit({ ...tools, limits }, mirror, all, call);
      } catch (error) {
        // The output is too large, or older history is corrupt. The output so far is valid.
        if (isOctavoError(error, "cancelled") || chunks.length === 0) throw error;
      }
      return Buffer.concat(chunks).toString();
    },
  };
}

/**
 * Returns the commits at which a shallow clone begins. They appear to add every file, so they do not show when a file
 * was really added.
 */
export async function readShallowCommits(
  tools: GitCaller,
  mirror: Mirror,
  signal: AbortSignal | undefined,
): Promise<ReadonlySet<string>> {
  const args = ["rev-parse", "--git-common-dir"];
  const folder = (await readGit(tools, mirror, args, { signal })).replace(/\n$/, "");
  try {
    const list = await readFile(join(folder, "shallow"), "utf8");
    return new Set(list.split("\n").filter((line) => line !== ""));
  } catch (error) {
    if (isSystemError(error, "ENOENT")) return new Set();
    throw error;
  }
}

/**
 * Reports whether a path is in a directory. The directory's prefix is empty for the root, otherwise it ends with a
 * slash.
 */
export function isInDirectory(path: string, prefix: string): boolean {
  return path.startsWith(prefix) && path.length > prefix.length;
}

/** Arguments that prevent the repository's configuration from changing the listing and from running commands. */
export const diffArguments: readonly string[] = [
  "-O/dev/null",
  "--no-relative",
  "--no-color",
  "--no-ext-diff",
  "--no-textconv",
  "--ignore-submodules=all",
];

const logArguments = [
  "log",
  ...diffArguments,
  // Git would compare each new file with every other file in memory. Renames are found in `renames.ts` instead.
  "--no-renames",
  "--diff-merges=off",
  "--no-show-signature",
  "--no-notes",
  "--no-decorate",
  "--no-mailmap",
];

/** Paths in a tree and lines of a diff never begin with a slash, so committed content cannot imitate this line. */
export const headFormat = "--format=/%H %cs %s";

/** Arguments of a `git log` that prints a line for each commit, in the format that `readHead` parses. */
export const logHeadArguments: readonly string[] = [...logArguments, headFormat];

/** Returns the commit whose log entry begins with this line, or undefined for any other line. */
export function readHead(line: string): PastCommit | undefined {
  const [, commit, date, subject = ""] =
    /^\/([0-9a-f]{40,64}) (\d{4}-\d{2}-\d{2}) (.*)$/s.exec(line) ?? [];
  if (commit === undefined || date === undefined) return undefined;
  return { commit, date, subject };
}
