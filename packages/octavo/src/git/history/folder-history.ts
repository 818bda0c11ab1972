import { readFile, realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createHash } from "node:crypto";
import { isOctavoError, createInputError } from "@octavo/site/core";
import { findCurrentBranch, isFullCommit } from "../mirror/ref.ts";
import type { Mirror } from "../repository.ts";
import {
  callGit,
  createPlainCaller,
  readGit,
  type GitCaller,
  type GitLimits,
} from "../program/tools.ts";
import { createContentHistory, type ContentHistory } from "./content-history.ts";
import { findLastChanges, type LastChanges } from "./last-changes.ts";

export interface FolderHistoryOptions {
  /** An absolute path, which need not be inside a repository. */
  readonly folder: string;
  /** The search path for git, in the format of the PATH environment variable. */
  readonly searchPath?: string | undefined;
  readonly limits?: Partial<GitLimits>;
}

/** The origin of a folder. */
export interface FolderOrigin {
  /** The URL of the remote `origin`, without credentials. */
  readonly url: string;
  /** The branch that is checked out, or else the remote's default branch. */
  readonly branch: string;
  /** The folder's path in the repository; `.` is its root. */
  readonly directory: string;
}

/**
 * The git history of a folder that a person works in. The repository is only read, and commands that its configuration
 * names do not run. If there is no repository or git, or the repository is corrupt, the results are empty. The only
 * error is `cancelled`, except for queries that name a commit.
 */
export interface FolderHistory {
  /**
   * Returns the day of the last commit that changed each file, by path relative to the folder. Ignores uncommitted
   * changes.
   */
  findLastChanges(files: ReadonlySet<string>, signal?: AbortSignal): Promise<LastChanges>;
  /** Returns the folder's origin. Also returns undefined if the checked-out commit does not contain the folder. */
  findOrigin(signal?: AbortSignal): Promise<FolderOrigin | undefined>;
  /** Reports whether the repository is a shallow clone, without the older commits. */
  isShallow(signal?: AbortSignal): Promise<boolean>;
  /**
   * Returns the given files (paths relative to the folder) that have changed since the history diverged from `since`,
   * including uncommitted changes. Returns undefined if there is no repository. Throws `invalid_input` for an unknown
   * `since`.
   */
  findChangedFiles(
    since: string,
    files: readonly string[],
    signal?: AbortSignal,
  ): Promise<ReadonlySet<string> | undefined>;
  /** Returns the history of the folder's files up to the checked-out commit, or undefined if there is no commit. */
  readContentHistory(signal?: AbortSignal): Promise<ContentHistory | undefined>;
}

/** Queries that do not read the history take milliseconds, unless a configuration makes git run forever. */
const queryTimeoutMs = 20_000;

/**
 * Creates a folder's history. Git runs only when a query needs it, and only if the folder or a parent contains a
 * repository.
 */
export function createFolderHistory(options: FolderHistoryOptions): FolderHistory {
  const tools = createPlainCaller(options.searchPath, {
    commandMs: queryTimeoutMs,
    ...options.limits,
  });
  /** The last result. While someone is writing, the same query is repeated many times. */
  let cached: CachedChanges | undefined;

  async function ask<T>(
    query: (at: FolderLocation) => Promise<T>,
    fallback: T,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    try {
      const location = await findRepository(tools, options.folder, signal);
      return location === undefined ? fallback : await query(location);
    } catch (error) {
      const isExpectedError =
        isOctavoError(error) || (error as NodeJS.ErrnoException).code !== undefined;
      if (!isExpectedError || isOctavoError(error, "cancelled")) throw error;
      return fallback;
    }
  }

  return {
    findLastChanges: (files, signal) =>
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
    findOrigin: (signal) =>
      ask((location) => readOrigin(tools, location, signal), undefined, signal),
    isShallow: (signal) =>
      ask(
        async ({ repository }) => {
          const args = ["rev-parse", "--is-shallow-repository"];
          return (await readGit(tools, repository, args, { signal })).trim() === "true";
        },
        false,
        signal,
      ),
    async findChangedFiles(since, files, signal) {
      const location = await ask(async (found) => found, undefined, signal);
      if (location === undefined) return undefined;
      const { repository, directory } = location;
      const query = { folder: options.folder, directory, since, files, signal };
      return await findChangedFiles(tools, repository, query);
    },
    readContentHistory: (signal) =>
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
  /** The checked-out commit. */
  readonly commit: string;
  readonly directory: string;
}

async function findRepository(
  tools: GitCaller,
  folder: string,
  signal: AbortSignal | undefined,
): Promise<FolderLocation | undefined> {
  const realFolder = await realpath(folder);
  const ownershipArguments = await findOwnershipArguments(realFolder);
  if (ownershipArguments === undefined || realFolder.includes("\n")) return undefined;
  const args = ["rev-parse", "--absolute-git-dir", "--show-prefix", "--verify", "HEAD"];
  const { exitCode, stdout } = await callGit(
    tools,
    [...ownershipArguments, "-C", realFolder, ...args],
    { signal },
  );
  const [path = "", prefix = "", commit = ""] = stdout.split("\n");
  if (exitCode !== 0 || !isFullCommit(commit)) return undefined;
  return { repository: { path }, commit, directory: prefix === "" ? "." : prefix.slice(0, -1) };
}

/**
 * Returns the arguments that make git trust a repository with the same owner as the folder. Git refuses to read another
 * user's repository, because it may be malicious. This one is as trustworthy as the rendered folder, and files mounted
 * into a container do not belong to the container's user. Returns undefined if neither the folder nor a parent contains
 * a repository.
 */
async function findOwnershipArguments(folder: string): Promise<string[] | undefined> {
  for (let ancestor = folder; ; ancestor = dirname(ancestor)) {
    const stats = await stat(join(ancestor, ".git")).catch(() => undefined);
    if (stats) {
      const { uid } = await stat(folder);
      return uid === stats.uid ? ["-c", "safe.directory=*"] : [];
    }
    if (ancestor === dirname(ancestor)) return undefined;
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
    (await findCurrentBranch(tools, repository, signal)) ??
    (await call("symbolic-ref", "--quiet", `${remote}HEAD`))?.slice(remote.length);
  return branch === undefined ? undefined : { url: removeCredentials(url), branch, directory };
}

/**
 * Removes the credentials from a URL, because a clone that a program made with a token often contains the token. An ssh
 * user name is not a secret, and the URL needs it.
 */
function removeCredentials(text: string): string {
  const url = URL.parse(text);
  if (url === null || url.protocol === "ssh:") return text;
  url.username = "";
  url.password = "";
  return url.href;
}

interface ChangedFilesQuery {
  /** The folder on disk, and its path in the repository; `.` is the root. */
  readonly folder: string;
  readonly directory: string;
  /** A branch, tag or commit. */
  readonly since: string;
  /** Paths relative to the folder. */
  readonly files: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

/**
 * Returns the files whose content on disk differs from their content at the merge base of the checked-out commit and
 * `since`. Git does not read the folder, so programs that its configuration names do not run. Throws `invalid_input` if
 * the repository does not contain `since`, or if the histories have no common ancestor.
 */
async function findChangedFiles(
  tools: GitCaller,
  repository: Mirror,
  { folder, directory, since, files, signal }: ChangedFilesQuery,
): Promise<ReadonlySet<string>> {
  const base = await findBase(tools, repository, since, signal);
  const tree = directory === "." ? base : `${base}:${directory}`;
  const listing = await callGit(tools, ["ls-tree", "-r", "-z", tree], {
    environment: { GIT_DIR: repository.path },
    signal,
  });
  // The checked-out commit may not contain the folder.
  const idsByPath = new Map(
    listing.exitCode === 0 ? listing.stdout.split("\0").map(readEntry) : [],
  );
  const changedFiles = new Set<string>();
  for (const file of files) {
    const content = await readFile(join(folder, file)).catch(() => undefined);
    if (content === undefined || !isBlob(content, idsByPath.get(file))) changedFiles.add(file);
  }
  return changedFiles;
}

async function findBase(
  tools: GitCaller,
  repository: Mirror,
  since: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const environment = { GIT_DIR: repository.path };
  const name = `${since}^{commit}`;
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", name];
  const { exitCode, stdout } = await callGit(tools, args, { environment, signal });
  if (exitCode !== 0) {
    throw createInputError(`The repository has no branch, tag or commit ${JSON.stringify(since)}.`);
  }
  const base = await callGit(tools, ["merge-base", stdout.trim(), "HEAD"], { environment, signal });
  if (base.exitCode === 0) return base.stdout.trim();
  const shallow = await readGit(tools, repository, ["rev-parse", "--is-shallow-repository"], {
    signal,
  });
  const advice = shallow.trim() === "true" ? " This clone has no older commits; fetch them." : "";
  throw createInputError(
    `The history has no common ancestor with ${JSON.stringify(since)}.${advice}`,
  );
}

/** Parses `<mode> <type> <id>\t<path>`. */
function readEntry(entry: string): [path: string, id: string] {
  const [facts = "", path = ""] = entry.split("\t", 2);
  return [path, facts.split(" ")[2] ?? ""];
}

const sha1Length = 40;

/** Reports whether content matches a blob's ID, which is the hash of the blob's header and content. */
function isBlob(content: Buffer, id: string | undefined): boolean {
  if (id === undefined) return false;
  const hash = createHash(id.length === sha1Length ? "sha1" : "sha256");
  return hash.update(`blob ${content.length}\0`).update(content).digest("hex") === id;
}
