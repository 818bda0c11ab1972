import { cleanRelativePath, isOctavoError } from "@octavo/site/core";
import { isFullCommit } from "../mirror/ref.ts";
import type { Mirror } from "../repository.ts";
import { shallowCommits } from "./shallow.ts";
import { readGit } from "../program/tools.ts";
import type { GitCaller, GitLimits } from "../program/tools.ts";

/** A commit as it may be shown: without its author. */
export interface PastCommit {
  readonly commit: string;
  /** The committer's day, `2026-11-20`. */
  readonly date: string;
  /** The message's first line, as it was written: text of strangers. */
  readonly subject: string;
}

export interface ContentLocation {
  readonly mirror: Mirror;
  /** A full commit that the repository holds. */
  readonly commit: string;
  /** Of the repository; `.` is its root. */
  readonly directory: string;
}

/** How the history of one directory is read. */
export interface HistoryReader {
  /** Of the directory in the repository: empty, or with a slash at its end. */
  readonly prefix: string;
  readonly commit: string;
  readonly shallow: ReadonlySet<string>;
  /** Git's whole output. */
  readAll(args: readonly string[], options: ReadOptions): Promise<string>;
  /** Git's output, or as much of it as the limits allow. */
  readSome(args: readonly string[], options: ReadOptions): Promise<string>;
}

export interface ReadOptions {
  readonly signal: AbortSignal | undefined;
  /** For git's standard input. */
  readonly input?: string;
}

export type HistoryTools = GitCaller & { readonly limits: Pick<GitLimits, "historyMs"> };

/** Nothing that the repository's own configuration asks for is run or changes what is listed. */
const historyArguments = [
  "-c",
  "log.showRoot=true",
  "-c",
  "log.follow=false",
  "-c",
  "core.quotePath=false",
  // What is larger is no page: its lines are not compared.
  "-c",
  "core.bigFileThreshold=4m",
  // Packs are looked at in parts, which count as memory.
  "-c",
  "core.packedGitWindowSize=16m",
  "-c",
  "core.packedGitLimit=128m",
  "--literal-pathspecs",
];
/** One answer of a tool does not wait longer for git. */
const answerMs = 30_000;
const answerBytes = 16 * 1024 * 1024;
/** Anybody may have committed what takes any amount of memory to compare; honest sites need less than 50 MB. */
const memoryBytes = 1024 ** 3;

/** Undefined for a directory or a commit that no repository can hold. */
export async function openHistoryReader(
  tools: HistoryTools,
  { mirror, commit, directory }: ContentLocation,
): Promise<HistoryReader | undefined> {
  const folder = cleanRelativePath(directory);
  if (folder === undefined || !isFullCommit(commit)) return undefined;
  const limits = {
    commandMs: Math.min(answerMs, tools.limits.historyMs),
    outputBytes: Math.min(answerBytes, tools.limits.outputBytes),
  };
  // A clone that left objects out must not ask its server for them.
  const environment = { GIT_NO_LAZY_FETCH: "1" };
  return {
    prefix: folder === "" ? "" : `${folder}/`,
    commit,
    shallow: await shallowCommits(tools, mirror, undefined),
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
        // Too much, or damaged further back: what came until then is right.
        if (isOctavoError(error, "cancelled") || chunks.length === 0) throw error;
      }
      return Buffer.concat(chunks).toString();
    },
  };
}

/** Whether a path of the repository lies in a directory, given as a prefix: empty for the root, or with a slash at its end. */
export function isInDirectory(path: string, prefix: string): boolean {
  return path.startsWith(prefix) && path.length > prefix.length;
}
