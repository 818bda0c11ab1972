import { OctavoError, isOctavoError, sha256 } from "@octavo/site/core";
import type {
  CodeHostProject,
  PullRequest,
  PullRequestComment,
  PullRequestState,
  RecordAction,
  LocalPullRequest,
  PullRequests,
} from "../codehost/index.ts";
import type { FileAtCommit, Person, CommitSummary, MeasuredChange, GitWork } from "../git/index.ts";
import type { Hosting } from "../hosting/index.ts";

/** The services that reviews use, and a cache of the facts that they return. */
interface ReviewServices {
  readonly pullRequests: PullRequests;
  readonly hosting: Hosting;
  readonly work: GitWork;
  readonly remember: RememberFact;
}

/** The content of a pull request's page. All of it is untrusted text and must be escaped. */
export interface PullRequestPage extends LocalPullRequest {
  /** The commits, newest first, at most 250. */
  readonly commits: readonly CommitSummary[];
  readonly files: readonly MeasuredChange[];
  readonly mergeability: Mergeability;
}

/** A selection of a pull request's files. To select a renamed file, list both of its paths. */
interface PullRequestDiff extends Pick<PullRequestPage, "baseCommit" | "headCommit"> {
  readonly paths: readonly string[];
  /** The number of unchanged lines around each change. Defaults to 3. */
  readonly contextLines?: number;
}

/** Whether a pull request can be merged with one click, and if not, the reason. */
type Mergeability =
  | { readonly canMerge: true }
  /** `conflicts` names the files that both sides changed. */
  | { readonly canMerge: false; readonly reason: string; readonly conflicts: readonly string[] };

interface PullRequestList {
  readonly state?: PullRequestState;
  /** Only pull requests with a smaller number are listed. */
  readonly before?: number;
  readonly limit: number;
}

/**
 * The operations with which people view and end pull requests on the service's own code host. All methods throw
 * `OctavoError`, like those of `CodeHost`.
 */
export interface Reviews {
  /** Lists pull requests, newest first, each in its last known state. */
  list(projectId: string, query: PullRequestList): Promise<PullRequest[]>;
  /** Returns the content of a pull request's pages, except for the diffs and texts of its files. */
  describe(projectId: string, number: number): Promise<PullRequestPage>;
  /** Returns the unified diff of some of the pull request's files, or undefined if the diff is too large for a page. */
  diff(projectId: string, request: PullRequestDiff): Promise<string | undefined>;
  /** Returns the text of a file at a commit, or undefined if there is no regular file of at most `maxBytes`. */
  readFile(projectId: string, file: FileAtCommit): Promise<string | undefined>;
  /**
   * Merges a pull request into the base branch. If the hosted repository is a copy, merges into the base branch of the
   * external repository. Idempotent. Throws `conflict` if the pull request was closed, is a draft or cannot be merged,
   * and `forbidden` if the project's credentials may not push to the branch. `record` runs in the transaction that ends
   * the pull request.
   */
  merge(
    project: CodeHostProject,
    number: number,
    by: Person,
    record?: RecordAction,
  ): Promise<PullRequest>;
  /**
   * Opens a pull request that undoes a merged one, on a branch that belongs to the service, and returns that pull
   * request. Idempotent while that pull request is open. Throws `conflict` if the pull request was not merged, if later
   * commits changed the same lines, or if its changes have already been undone.
   */
  revert(project: CodeHostProject, number: number, by: Person): Promise<PullRequest>;
  /** Makes a draft ready to be merged. Idempotent. Throws `conflict` if the pull request has ended. */
  markReady(projectId: string, number: number): Promise<PullRequest>;
  /** Closes a pull request without merging it. Idempotent. Throws `conflict` if it was merged. */
  close(projectId: string, number: number, record?: RecordAction): Promise<PullRequest>;
  /** Lists comments, oldest first. */
  listComments(projectId: string, number: number, limit: number): Promise<PullRequestComment[]>;
  /** Adds a person's comment. */
  addComment(
    projectId: string,
    number: number,
    comment: { author: string; body: string },
  ): Promise<void>;
}

export function createReviews(options: Omit<ReviewServices, "remember">): Reviews {
  const { pullRequests, hosting, work } = options;
  const services: ReviewServices = { ...options, remember: createFactCache() };
  return {
    async list(projectId, query) {
      const entries = await pullRequests.list(projectId, query);
      return entries.map(({ pullRequest }) => pullRequest);
    },
    describe: (projectId, number) => describePullRequest(services, projectId, number),
    diff: (projectId, request) => readPullRequestDiff(services, projectId, request),
    async readFile(projectId, file) {
      const repository = hosting.getRepository(projectId);
      const key = `file ${repository.path} ${JSON.stringify(file)}`;
      return await services.remember(key, () => work.readFile(repository, file));
    },
    merge: (project, number, by, record) =>
      mergePullRequest(services, { project, number, by, record }),
    revert: (project, number, by) => revertPullRequest(services, { project, number, by }),
    async markReady(projectId, number) {
      const { state } = (await pullRequests.read(projectId, number)).pullRequest;
      if (state === "open") {
        return (await pullRequests.change(projectId, number, { isDraft: false })).pullRequest;
      }
      throw new OctavoError("conflict", `Pull request ${number} was ${state}.`);
    },
    async close(projectId, number, record) {
      const current = await pullRequests.read(projectId, number);
      const { pullRequest } = await pullRequests.end(current, { state: "closed" }, record);
      if (pullRequest.state === "closed") return pullRequest;
      throw new OctavoError(
        "conflict",
        `Pull request ${number} was merged, so it cannot be closed.`,
      );
    },
    listComments: (projectId, number, limit) => pullRequests.listComments(projectId, number, limit),
    addComment: (projectId, number, comment) => pullRequests.addComment(projectId, number, comment),
  };
}

const maxCommits = 250;
const maxDiffBytes = 1024 * 1024;

/** Describes the pull request in its current state. */
async function describePullRequest(
  services: ReviewServices,
  projectId: string,
  number: number,
): Promise<PullRequestPage> {
  const { pullRequests, hosting, work, remember } = services;
  const pull = await pullRequests.read(projectId, number);
  const { headCommit, baseCommit } = pull;
  const repository = hosting.getRepository(projectId);
  const range = { from: baseCommit, to: headCommit };
  const key = `${repository.path} ${baseCommit} ${headCommit}`;
  const [commits, files, mergeability] = await Promise.all([
    remember(`commits ${key}`, () => work.listCommits(repository, { ...range, limit: maxCommits })),
    remember(`files ${key}`, () => work.measureChanges(repository, range)),
    checkMergeability(services, pull),
  ]);
  return { ...pull, commits, files, mergeability };
}

/** Returns a unified diff, or undefined if it is too large for a page. */
async function readPullRequestDiff(
  { hosting, work, remember }: ReviewServices,
  projectId: string,
  { baseCommit: from, headCommit: to, paths, contextLines }: PullRequestDiff,
): Promise<string | undefined> {
  const repository = hosting.getRepository(projectId);
  const lines = contextLines !== undefined && { contextLines };
  const request = { from, to, paths, maxBytes: maxDiffBytes, ...lines };
  try {
    return await remember(`diff ${repository.path} ${sha256(JSON.stringify(request))}`, () =>
      work.diff(repository, request),
    );
  } catch (error) {
    if (isOctavoError(error, "too_large")) return undefined;
    throw error;
  }
}

interface MergeRequest {
  readonly project: CodeHostProject;
  readonly number: number;
  readonly by: Person;
  readonly record?: RecordAction | undefined;
}

/**
 * Merges a pull request and then records the merge. After a crash between the two, the next read detects the merge from
 * the branches.
 */
async function mergePullRequest(
  { pullRequests, hosting, work }: ReviewServices,
  { project, number, by, record }: MergeRequest,
): Promise<PullRequest> {
  const repository = await hosting.prepare(project);
  const pull = await pullRequests.read(project.id, number);
  const { head, base, state, title } = pull.pullRequest;
  if (state === "merged") return pull.pullRequest;
  const reason = explainMergeRefusal(pull.pullRequest);
  if (reason !== undefined) throw new OctavoError("conflict", reason);
  const names = [`refs/heads/${head}`, `refs/heads/${base}`] as const;
  const refs = await hosting.readRefs(repository, names);
  const [headCommit, baseCommit] = [refs.get(names[0]), refs.get(names[1])];
  if (headCommit === undefined || baseCommit === undefined) {
    throw new OctavoError("conflict", "One of the pull request's branches has been deleted.");
  }
  const merge = {
    base,
    baseCommit,
    headCommit,
    author: by,
    message: `Merge pull request #${number} from ${head}\n\n${title}`,
    at: new Date(),
  };
  const mergeCommit = await work.createMerge(repository, merge);
  await hosting.publishMerge(project, { branch: base, commit: mergeCommit, expected: baseCommit });
  const ending = { state: "merged", headCommit, mergeCommit } as const;
  return (await pullRequests.end(pull, ending, record)).pullRequest;
}

const maxTitleLength = 256;

/**
 * Creates a commit that undoes the pull request's changes, pushes it to a new branch, and opens a pull request for that
 * branch.
 */
async function revertPullRequest(
  { pullRequests, hosting, work }: ReviewServices,
  { project, number, by }: MergeRequest,
): Promise<PullRequest> {
  const repository = await hosting.prepare(project);
  const { pullRequest, baseCommit, headCommit } = await pullRequests.read(project.id, number);
  const { state, title, base, url } = pullRequest;
  if (state !== "merged") {
    throw new OctavoError("conflict", `Pull request ${number} is ${state}, so there is nothing to undo.`); // prettier-ignore
  }
  const branch = `octavo/revert-${number}`;
  const branches = { head: branch, base };
  const existing = await pullRequests.findOpen(project.id, branches);
  if (existing) return existing.pullRequest;
  const names = [`refs/heads/${branch}`, `refs/heads/${base}`] as const;
  const refs = await hosting.readRefs(repository, names);
  const onto = refs.get(names[1]);
  if (onto === undefined) {
    throw new OctavoError("conflict", `The branch ${base} has been deleted, so nothing can be undone there.`); // prettier-ignore
  }
  const subject = `Revert “${title}”`;
  const commit = await work.revert(repository, {
    from: baseCommit,
    to: headCommit,
    onto,
    author: by,
    committer: by,
    message: `${subject}\n\nThis undoes pull request #${number}.`,
    at: new Date(),
  });
  const expected = refs.get(names[0]) ?? null;
  await work.push(repository, { target: repository, branch, commit, expected });
  const newPullRequest = {
    ...branches,
    title: subject.length > maxTitleLength ? `Revert pull request #${number}` : subject,
    body: `This undoes [pull request #${number}](${url}).`,
    author: by.name,
  };
  return (await pullRequests.findOrCreate(project.id, newPullRequest)).pullRequest;
}

/** Checks whether the pull request can be merged, without merging it. */
async function checkMergeability(
  { hosting, work, remember }: ReviewServices,
  pull: LocalPullRequest,
): Promise<Mergeability> {
  const reason = explainMergeRefusal(pull.pullRequest);
  if (reason !== undefined) return { canMerge: false, reason, conflicts: [] };
  const { projectId, pullRequest, headCommit } = pull;
  const repository = hosting.getRepository(projectId);
  const name = `refs/heads/${pullRequest.base}`;
  const baseCommit = (await hosting.readRefs(repository, [name])).get(name) ?? pull.baseCommit;
  const key = `merge ${repository.path} ${baseCommit} ${headCommit}`;
  const { tree, conflicts } = await remember(key, () =>
    work.previewMerge(repository, { baseCommit, headCommit }),
  );
  if (tree !== undefined) return { canMerge: true };
  return { canMerge: false, reason: `Both sides changed the same lines.`, conflicts };
}

/** Returns the reason why a pull request cannot be merged, or undefined if git can attempt the merge. */
function explainMergeRefusal({ number, state, isDraft }: PullRequest): string | undefined {
  if (state !== "open") return `Pull request ${number} is ${state}.`;
  return isDraft ? `Pull request ${number} is a draft.` : undefined;
}

/** Returns an immutable fact, such as the difference between two commits, from the cache, or reads and caches it. */
type RememberFact = <Fact>(key: string, read: () => Promise<Fact>) => Promise<Fact>;

/** The maximum number of cached facts. The largest fact, a list of changed files, has a few thousand names. */
const maxFacts = 100;
/**
 * The maximum total number of characters in all cached texts, such as lines of files. A longer text is not cached, so
 * it is read each time.
 */
const maxCharacters = 8 * 1024 * 1024;

interface CachedFact {
  readonly fact: Promise<unknown>;
  characters: number;
}

/**
 * Creates a cache. It is needed because each read starts git processes, and a page is opened repeatedly during a
 * review.
 */
export function createFactCache(): RememberFact {
  const facts = new Map<string, CachedFact>();
  let characters = 0;

  function forget(key: string): void {
    characters -= facts.get(key)?.characters ?? 0;
    facts.delete(key);
  }

  function forgetOldest(): void {
    for (const key of facts.keys()) {
      if (facts.size <= maxFacts && characters <= maxCharacters) return;
      forget(key);
    }
  }

  /** Counts a fact's characters after the fact is read. Removes a fact that could not be read. */
  async function countCharacters(key: string, entry: CachedFact): Promise<void> {
    const value = await entry.fact.catch(() => undefined);
    if (facts.get(key) !== entry) return;
    if (value === undefined) forget(key);
    if (typeof value !== "string") return;
    entry.characters = value.length;
    characters += value.length;
    forgetOldest();
  }

  function startReading<Fact>(key: string, read: () => Promise<Fact>): Promise<Fact> {
    const fact = read();
    const entry: CachedFact = { fact, characters: 0 };
    facts.set(key, entry);
    void countCharacters(key, entry);
    return fact;
  }

  return async <Fact>(key: string, read: () => Promise<Fact>) => {
    const entry = facts.get(key);
    if (!entry) {
      const fact = startReading(key, read);
      forgetOldest();
      return await fact;
    }
    // Moves the fact to the end, because the least recently used fact is removed first.
    facts.delete(key);
    facts.set(key, entry);
    return await (entry.fact as Promise<Fact>);
  };
}
