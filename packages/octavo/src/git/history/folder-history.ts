import { realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isOctavoError } from "@octavo/site/core";
import { findChangedFiles } from "./changed-files.ts";
import { createContentHistory } from "./content-history.ts";
import type { ContentHistory } from "./content-history.ts";
import { plainEnvironment, searchPath } from "../program/environment.ts";
import { findLastChanges } from "./last-changes.ts";
import type { LastChanges } from "./last-changes.ts";
import { currentBranch, isFullCommit } from "../mirror/ref.ts";
import type { Mirror } from "../repository.ts";
import { callGit, defaultLimits, readGit } from "../program/tools.ts";
import { ownProcesses } from "../program/processes.ts";
import type { GitCaller, GitLimits } from "../program/tools.ts";

export interface FolderHistoryOptions {
  /** Absolute; may lie anywhere in a repository, or in none. */
  readonly folder: string;
  /** Where git is looked for, as in the environment variable PATH. */
  readonly searchPath?: string | undefined;
  readonly limits?: Partial<GitLimits>;
}

/** Where a folder comes from. */
export interface FolderOrigin {
  /** The address of the remote `origin`, without what it says of who reads it. */
  readonly url: string;
  /** The branch that is checked out; where none is, the remote's own. */
  readonly branch: string;
  /** The folder's path in the repository; `.` is its root. */
  readonly directory: string;
}

/**
 * What Git knows of a folder that a person works in. Reads the repository alone, and nothing that its
 * configuration asks for is run. Where there is no repository, no git, or a damaged one, it knows nothing:
 * the only error is `cancelled`, but for those of questions that name a commit.
 */
export interface FolderHistory {
  /** The day of the last commit that touched each file, by path relative to the folder. What is not committed does not count. */
  lastChanges(files: ReadonlySet<string>, signal?: AbortSignal): Promise<LastChanges>;
  /** Undefined also where the commit that is checked out does not have the folder. */
  origin(signal?: AbortSignal): Promise<FolderOrigin | undefined>;
  /** Whether it is a clone that was made without the older commits. */
  isShallow(signal?: AbortSignal): Promise<boolean>;
  /**
   * Those of the files, by path relative to the folder, that are not as they were where the history left that of
   * `since`; what is not committed counts. Undefined where there is no repository. Throws `invalid_input` for a `since`
   * that it does not know.
   */
  changedSince(
    since: string,
    files: readonly string[],
    signal?: AbortSignal,
  ): Promise<ReadonlySet<string> | undefined>;
  /** What happened to the folder's files up to the commit that is checked out; undefined where there is none. */
  content(signal?: AbortSignal): Promise<ContentHistory | undefined>;
}

/** All queries but the history take milliseconds, unless a configuration leads git to what never ends. */
const queryMs = 20_000;

/** Runs no git until it is asked, nor then where no folder around has a repository. */
export function createFolderHistory(options: FolderHistoryOptions): FolderHistory {
  const tools = {
    processes: ownProcesses,
    home: {
      environment: {
        ...plainEnvironment,
        PATH: options.searchPath ?? searchPath,
        HOME: "/nonexistent",
        GIT_CONFIG_GLOBAL: "/dev/null",
      },
    },
    limits: { ...defaultLimits, commandMs: queryMs, ...options.limits },
  };
  /** The last result: while somebody writes, the same is asked again and again. */
  let cached: CachedChanges | undefined;

  async function ask<T>(
    question: (at: FolderLocation) => Promise<T>,
    nothing: T,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    try {
      const place = await findRepository(tools, options.folder, signal);
      return place === undefined ? nothing : await question(place);
    } catch (error) {
      const isOfSystem =
        isOctavoError(error) || (error as NodeJS.ErrnoException).code !== undefined;
      if (!isOfSystem || isOctavoError(error, "cancelled")) throw error;
      return nothing;
    }
  }

  return {
    lastChanges: (files, signal) =>
      ask<LastChanges>(
        async ({ repository, commit, directory }) => {
          if (cached?.commit === commit && isSubset(files, cached.files)) return cached.days;
          const query = { commit, directory, files, signal };
          const days = await findLastChanges(tools, repository, query);
          cached = { commit, files, days };
          return days;
        },
        new Map(),
        signal,
      ),
    origin: (signal) => ask((place) => readOrigin(tools, place, signal), undefined, signal),
    isShallow: (signal) =>
      ask(
        async ({ repository }) => {
          const args = ["rev-parse", "--is-shallow-repository"];
          return (await readGit(tools, repository, args, { signal })).trim() === "true";
        },
        false,
        signal,
      ),
    async changedSince(since, files, signal) {
      const place = await ask(async (found) => found, undefined, signal);
      if (place === undefined) return undefined;
      const { repository, directory } = place;
      const query = { folder: options.folder, directory, since, files, signal };
      return await findChangedFiles(tools, repository, query);
    },
    content: (signal) =>
      ask<ContentHistory | undefined>(
        async ({ repository: mirror, commit, directory }) =>
          createContentHistory(tools, { mirror, commit, directory }),
        undefined,
        signal,
      ),
  };
}

interface CachedChanges {
  readonly commit: string;
  readonly files: ReadonlySet<string>;
  readonly days: LastChanges;
}

function isSubset(files: ReadonlySet<string>, whole: ReadonlySet<string>): boolean {
  return [...files].every((file) => whole.has(file));
}

interface FolderLocation {
  readonly repository: Mirror;
  /** The one that is checked out. */
  readonly commit: string;
  readonly directory: string;
}

async function findRepository(
  tools: GitCaller,
  folder: string,
  signal: AbortSignal | undefined,
): Promise<FolderLocation | undefined> {
  const real = await realpath(folder);
  const guard = await ownershipArguments(real);
  if (guard === undefined || real.includes("\n")) return undefined;
  const args = ["rev-parse", "--absolute-git-dir", "--show-prefix", "--verify", "HEAD"];
  const { exitCode, stdout } = await callGit(tools, [...guard, "-C", real, ...args], { signal });
  const [path = "", prefix = "", commit = ""] = stdout.split("\n");
  if (exitCode !== 0 || !isFullCommit(commit)) return undefined;
  return { repository: { path }, commit, directory: prefix === "" ? "." : prefix.slice(0, -1) };
}

/**
 * Git refuses to read a repository that belongs to somebody else, which may be a trap. One that belongs to
 * whom the folder belongs to is as good as the folder that is rendered: what a container mounts has another
 * owner than the container's user. Undefined where no folder around holds a repository.
 */
async function ownershipArguments(folder: string): Promise<string[] | undefined> {
  for (let around = folder; ; around = dirname(around)) {
    const found = await stat(join(around, ".git")).catch(() => undefined);
    if (found) {
      const { uid } = await stat(folder);
      return uid === found.uid ? ["-c", "safe.directory=*"] : [];
    }
    if (around === dirname(around)) return undefined;
  }
}

async function readOrigin(
  tools: GitCaller,
  { repository, directory }: FolderLocation,
  signal: AbortSignal | undefined,
): Promise<FolderOrigin | undefined> {
  const environment = { GIT_DIR: repository.path };
  const call = async (...args: string[]): Promise<string | undefined> => {
    const { exitCode, stdout } = await callGit(tools, args, { environment, signal });
    return exitCode === 0 ? stdout.trim() : undefined;
  };
  const url = await call("config", "--get", "remote.origin.url");
  const tree = directory === "." ? "HEAD:" : `HEAD:${directory}`;
  if (url === undefined || (await call("rev-parse", "--verify", "--quiet", tree)) === undefined) {
    return undefined;
  }
  const remote = "refs/remotes/origin/";
  const branch =
    (await currentBranch(tools, repository, signal)) ??
    (await call("symbolic-ref", "--quiet", `${remote}HEAD`))?.slice(remote.length);
  return branch === undefined ? undefined : { url: withoutLogin(url), branch, directory };
}

/** A clone that a program made with a token often has it in its address. The user of ssh is no secret, and no address without. */
function withoutLogin(text: string): string {
  const url = URL.parse(text);
  if (url === null || url.protocol === "ssh:") return text;
  url.username = "";
  url.password = "";
  return url.href;
}
