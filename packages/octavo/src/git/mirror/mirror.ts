import { mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { OctavoError, hashParts, isOctavoError } from "@octavo/site/core";
import { discardRepository, initializeBare } from "./bare.ts";
import { openRemote } from "./remote.ts";
import type { Remote } from "./remote.ts";
import { createGitError, findRemoteFailure } from "../program/failure.ts";
import { acquireLock } from "../program/lock.ts";
import type { GitResult, GitTools } from "../program/tools.ts";
import { callGit, readGit } from "../program/tools.ts";
import type { Mirror, RemoteRepository, Repository, Commit } from "../repository.ts";
import { isFullCommit, queryObjects, resolveRef } from "./ref.ts";

/** The remote's branches and tags, including forced updates. */
const refspecs = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"];
/** The commit that the remote's HEAD points to. */
const remoteHead = "refs/octavo/head";
const fetchArguments = [
  "-c",
  // Stores every fetch as one pack. Thousands of loose files would be slow, and `watchSize` below does not see their
  // size.
  "fetch.unpackLimit=1",
  "fetch",
  "--quiet",
  "--prune",
  "--no-tags",
  "--no-auto-maintenance",
  "--no-write-fetch-head",
  "--no-recurse-submodules",
  "--end-of-options",
];
const sizeCheckIntervalMs = 1_000;

/** Returns the location of a repository's mirror, even if it does not exist. */
export function locateMirror(
  tools: GitTools,
  { url, reader, credentials }: RemoteRepository,
): Mirror {
  // The reader is part of the name, so that a reader without access to a repository never gets another reader's copy.
  const { username = "", password = "", privateKey = "" } = credentials ?? {};
  const owner = reader === undefined ? [username, password, privateKey] : [reader];
  const name = hashParts([url, ...owner]).slice(0, 40);
  return { path: join(tools.cacheDir, "mirrors", `${name}.git`) };
}

/**
 * Updates the mirror from the remote, or creates it. A corrupt mirror is discarded and fetched again, once. Only one
 * caller at a time may update a mirror. Throws `unavailable` if the remote reports an internal error. Also throws
 * `unavailable` if the remote does not respond now but this node has read it before, because its address is then
 * correct. Otherwise throws `repository_unreachable`.
 */
async function updateMirror(
  tools: GitTools,
  repository: RemoteRepository,
  signal?: AbortSignal,
): Promise<Mirror> {
  const mirror = locateMirror(tools, repository);
  try {
    return await fetchMirror(tools, repository, { mirror, signal });
  } catch (error) {
    const isSilent =
      isOctavoError(error, "repository_unreachable") && error.details["silent"] !== undefined;
    if (!isSilent || !(await hasBeenFetched(mirror))) throw error;
    throw new OctavoError("unavailable", error.message, { cause: error });
  }
}

/** Reports whether a fetch has succeeded before. Each fetch that receives objects leaves a pack. */
async function hasBeenFetched({ path }: Mirror): Promise<boolean> {
  return (await readdir(join(path, "objects/pack")).catch(() => [])).length > 0;
}

async function fetchMirror(
  tools: GitTools,
  repository: RemoteRepository,
  { mirror, signal }: Pick<FetchContext, "mirror" | "signal">,
): Promise<Mirror> {
  await mkdir(join(tools.cacheDir, "mirrors"), { recursive: true });
  await using remote = await openRemote(repository, tools.allow, tools.home);
  await using _lock = await acquireLock(`${mirror.path}.lock`, signal);
  const work: FetchContext = { tools, mirror, remote, signal };
  try {
    await fetchAll(work);
  } catch (error) {
    if (!isOctavoError(error, "internal")) throw error;
    tools.log("A mirror is damaged and will be fetched again", { url: remote.url, error });
    await discardRepository(mirror);
    await fetchAll(work);
  }
  return mirror;
}

/** Fetches one commit that is no longer on a branch or tag. The caller must check whether the commit has arrived. */
async function fetchCommit(
  tools: GitTools,
  repository: RemoteRepository,
  { commit, signal }: { readonly commit: string; readonly signal?: AbortSignal | undefined },
): Promise<void> {
  const mirror = locateMirror(tools, repository);
  await using remote = await openRemote(repository, tools.allow, tools.home);
  await using _lock = await acquireLock(`${mirror.path}.lock`, signal);
  // No ref points to the commit, so git keeps it for only two weeks.
  await fetchRefs({ tools, mirror, remote, signal }, [commit]);
}

interface FetchContext {
  readonly tools: GitTools;
  readonly mirror: Mirror;
  readonly remote: Remote;
  readonly signal: AbortSignal | undefined;
}

async function fetchAll(work: FetchContext): Promise<void> {
  const { tools, mirror, signal } = work;
  await initializeBare(tools, mirror.path, signal);
  let result = await fetchRefs(work, [`+HEAD:${remoteHead}`, ...refspecs]);
  const hasNoHead = /couldn't find remote ref HEAD/i.test(result.stderr);
  // The repository has no commits, or its HEAD names a branch that does not exist.
  if (hasNoHead) result = await fetchRefs(work, refspecs);
  if (result.exitCode !== 0) throw createFetchError(work.remote, result);
  await (hasNoHead ? clearHead(work) : followHead(work));
  const gcResult = await callGit(tools, ["gc", "--auto", "--quiet"], {
    signal,
    environment: { GIT_DIR: mirror.path },
  });
  if (gcResult.exitCode !== 0) throw createFetchError(work.remote, gcResult);
}

function createFetchError(remote: Remote, result: GitResult): OctavoError {
  return (
    findRemoteFailure(remote.url, result) ??
    new OctavoError("internal", `The repository ${remote.url} could not be copied.`, {
      cause: createGitError(result),
    })
  );
}

async function fetchRefs(work: FetchContext, requestedRefs: readonly string[]): Promise<GitResult> {
  const { tools, mirror, remote } = work;
  const args = [...remote.arguments, ...fetchArguments, remote.url, ...requestedRefs];
  const fetchEnded = new AbortController();
  const tooLarge = new AbortController();
  const sizeWatch = watchSize(work, fetchEnded.signal, tooLarge);
  try {
    return await callGit(tools, args, {
      environment: { ...remote.environment, GIT_DIR: mirror.path },
      secrets: remote.secrets,
      signal: AbortSignal.any([tooLarge.signal, ...(work.signal ? [work.signal] : [])]),
    });
  } finally {
    fetchEnded.abort();
    await sizeWatch;
    // This error replaces the error that git reported when it was stopped.
    if (tooLarge.signal.aborted) await refuseSize(work);
  }
}

/** Watches the mirror's size, because git does not limit the size of fetches. Checks once more after git has exited. */
async function watchSize(
  { tools, mirror }: FetchContext,
  ended: AbortSignal,
  tooLarge: AbortController,
): Promise<void> {
  for (let isLast = false; !isLast;) {
    await sleep(sizeCheckIntervalMs, undefined, { signal: ended }).catch(() => undefined);
    // The signal is read before the check, because git may write more and exit during the check.
    isLast = ended.aborted;
    if ((await measurePacks(mirror)) > tools.limits.mirrorBytes) tooLarge.abort();
  }
}

async function measurePacks(mirror: Mirror): Promise<number> {
  const folder = join(mirror.path, "objects", "pack");
  const names = await readdir(folder).catch(() => []);
  const sizes = names.map((name) =>
    stat(join(folder, name)).then(
      ({ size }) => size,
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

async function refuseSize({ tools, mirror, remote }: FetchContext): Promise<never> {
  await discardRepository(mirror);
  const gigabytes = (tools.limits.mirrorBytes / 1024 ** 3).toFixed(1);
  throw new OctavoError(
    "too_large",
    `The repository ${remote.url} is larger than ${gigabytes} GB and was not copied.`,
  );
}

/**
 * Points the mirror's HEAD to the same branch as the remote's HEAD, or to the same commit if the remote's HEAD is
 * detached.
 */
async function followHead(work: FetchContext): Promise<void> {
  const { tools, mirror, signal } = work;
  const format = "--format=%(refname) %(objectname)";
  const list = await readGit(tools, mirror, ["for-each-ref", format, remoteHead, "refs/heads"], {
    signal,
  });
  const refs = list
    .trimEnd()
    .split("\n")
    .map((line) => line.split(" ") as [name: string, commit: string]);
  const commit = refs.find(([name]) => name === remoteHead)?.[1] ?? "";
  const branches = refs.filter(([name, target]) => name !== remoteHead && target === commit);
  // A fetch does not provide the branch's name. If several branches are at that commit, the remote is asked for it.
  const name = branches.length > 1 ? await queryHead(work) : branches[0]?.[0];
  const isKnown = branches.some(([branch]) => branch === name);
  const args =
    name !== undefined && isKnown
      ? ["symbolic-ref", "HEAD", name]
      : ["update-ref", "--no-deref", "HEAD", commit];
  await readGit(tools, mirror, args, { signal });
}

async function queryHead({ tools, remote, signal }: FetchContext): Promise<string | undefined> {
  const args = [
    ...remote.arguments,
    "ls-remote",
    "--symref",
    "--end-of-options",
    remote.url,
    "HEAD",
  ];
  const { environment, secrets } = remote;
  const result = await callGit(tools, args, { environment, secrets, signal });
  return /^ref: (refs\/heads\/[^\t\n]+)\tHEAD$/m.exec(result.stdout)?.[1];
}

/** Refs of a remote repository, as it reports them. */
export interface RemoteRefs {
  /** The full name of HEAD's branch, if HEAD was requested. */
  readonly head: string | undefined;
  /** Full names, and `HEAD`, with the hash of the commit or annotated tag that each points to. */
  readonly refs: readonly { readonly name: string; readonly target: string }[];
}

/** Asks a remote for the refs that match patterns such as `refs/tags/*`, without fetching anything. */
export async function readRemoteRefs(
  tools: GitTools,
  repository: RemoteRepository,
  patterns: readonly string[],
  signal?: AbortSignal,
): Promise<RemoteRefs> {
  await using remote = await openRemote(repository, tools.allow, tools.home);
  const options = ["--symref", "--end-of-options"];
  const args = [...remote.arguments, "ls-remote", ...options, remote.url, ...patterns];
  const { environment, secrets } = remote;
  const result = await callGit(tools, args, { environment, secrets, signal });
  if (result.exitCode !== 0) throw createFetchError(remote, result);
  const refs = Array.from(
    result.stdout.matchAll(/^([0-9a-f]{40,64})\t(\S+)$/gm),
    ([, target = "", name = ""]) => ({ name, target }),
  );
  return {
    head: /^ref: (refs\/heads\/\S+)\tHEAD$/m.exec(result.stdout)?.[1],
    // Git also lists the commit of each annotated tag, as `<name>^{}`.
    refs: refs.filter(({ name }) => !name.endsWith("^{}")),
  };
}

/** Makes HEAD point to a ref that does not exist, as on the remote. */
async function clearHead({ tools, mirror, signal }: FetchContext): Promise<void> {
  await readGit(tools, mirror, ["update-ref", "-d", remoteHead], { signal });
  await readGit(tools, mirror, ["symbolic-ref", "HEAD", remoteHead], { signal });
}

/**
 * Opens the repository on this machine. A copied repository is updated first; a remote repository is opened in the
 * state of the last fetch.
 */
export async function openMirror(tools: GitTools, repository: Repository): Promise<Mirror> {
  if ("url" in repository) return locateMirror(tools, repository);
  if ("origin" in repository) await repository.origin.updateCopy();
  return repository;
}

/**
 * The commit to check out: the current commit of a ref on the remote (HEAD by default), or a full commit hash, which is
 * fetched if it is missing.
 */
export type CheckoutPoint = { readonly ref?: string | undefined } | { readonly commit: string };

interface LocatedCommit {
  readonly mirror: Mirror;
  readonly at: Commit;
}

/** Mirrors of repositories. Only one caller at a time updates a mirror. */
export interface Mirrors {
  update(repository: Repository, signal?: AbortSignal): Promise<Mirror>;
  /** Finds the commit of `point`, and a mirror that contains it. */
  locate(
    repository: Repository,
    point: CheckoutPoint,
    signal?: AbortSignal,
  ): Promise<LocatedCommit>;
}

export function createMirrors(tools: GitTools): Mirrors {
  const taskQueues = new TaskQueues();
  async function update(repository: Repository, signal?: AbortSignal): Promise<Mirror> {
    if ("origin" in repository) await repository.origin.updateCopy(signal);
    if ("path" in repository) return repository;
    const { path } = locateMirror(tools, repository);
    return await taskQueues.run(path, () => updateMirror(tools, repository, signal));
  }

  async function ensureCommit(
    repository: RemoteRepository,
    commit: string,
    signal: AbortSignal | undefined,
  ): Promise<Mirror> {
    const mirror = locateMirror(tools, repository);
    // A commit never changes, so a commit that is already here need not be fetched.
    if (await hasCommit(tools, mirror, commit)) return mirror;
    await update(repository, signal);
    if (await hasCommit(tools, mirror, commit)) return mirror;
    await taskQueues.run(mirror.path, () => fetchCommit(tools, repository, { commit, signal }));
    return mirror;
  }

  return {
    update,
    async locate(repository, point, signal) {
      if (!("commit" in point)) {
        const mirror = await update(repository, signal);
        return { mirror, at: await resolveRef(tools, mirror, point.ref) };
      }
      const { commit } = point;
      if (!isFullCommit(commit)) throw createCommitNotFoundError(commit);
      const isLocal = "path" in repository;
      const mirror = await (isLocal
        ? update(repository, signal)
        : ensureCommit(repository, commit, signal));
      if (!(await hasCommit(tools, mirror, commit))) throw createCommitNotFoundError(commit);
      return { mirror, at: { commit, ref: commit } };
    },
  };
}

/** Reports whether the commit can be read from the mirror. Returns false if there is no mirror yet. */
async function hasCommit(tools: GitTools, mirror: Mirror, commit: string): Promise<boolean> {
  try {
    const [line = ""] = await queryObjects(tools, mirror, [`${commit}^{commit}`]);
    return line.startsWith(`${commit} commit `);
  } catch (error) {
    if (isOctavoError(error, "internal")) return false;
    throw error;
  }
}

function createCommitNotFoundError(commit: string): OctavoError {
  return new OctavoError(
    "ref_not_found",
    `The repository has no commit ${JSON.stringify(commit)}, or its server no longer provides it.`,
  );
}

/** Runs the tasks with the same name one after another, in order. */
class TaskQueues {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Rejects if `task` rejects. A failed task does not block the next task. */
  async run<T>(name: string, task: () => Promise<T>): Promise<T> {
    const previous = this.#last.get(name) ?? Promise.resolve();
    const current = previous.then(task, task);
    this.#last.set(name, current);
    try {
      return await current;
    } finally {
      if (this.#last.get(name) === current) this.#last.delete(name);
    }
  }
}
