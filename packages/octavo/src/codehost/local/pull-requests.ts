import { isOctavoError, OctavoError } from "@octavo/site/core";
import type { GitWork } from "../../git/index.ts";
import type { HostedRepository, Hosting } from "../../hosting/index.ts";
import { checkChanges, checkComment, checkNewPullRequest, checkNumber } from "../check-text.ts";
import type { NewPullRequest } from "../code-host.ts";
import { createPullRequestRows } from "./pull-request-rows.ts";
import type {
  Ending,
  LocalPullRequest,
  PullRequestComment,
  PullRequestRows,
  RecordAct,
  RowChanges,
  RowQuery,
  RowsOptions,
} from "./pull-request-rows.ts";

/**
 * The maximum number of open pull requests of a project that are refreshed together. The others are refreshed when they
 * are read.
 */
const maxRefreshed = 100;

/**
 * The pull requests between branches of hosted repositories. People push, delete and merge branches with git alone, so
 * an open pull request is updated from its branches whenever it is read.
 */
export interface PullRequests {
  /** Returns the address of a pull request for people. The pull request need not exist. */
  urlOf(projectId: string, number: number): string;
  /** Reads a pull request in its current state. */
  read(projectId: string, number: number): Promise<LocalPullRequest>;
  /** Lists pull requests, newest first, each in the state in which it was last read. */
  list(projectId: string, query: RowQuery): Promise<LocalPullRequest[]>;
  findOpen(
    projectId: string,
    branches: { readonly head: string; readonly base?: string | undefined },
  ): Promise<LocalPullRequest | undefined>;
  /** Returns the existing open pull request or a new one. The database ensures that there are never two. */
  findOrCreate(
    projectId: string,
    wanted: NewPullRequest & { readonly author: string },
  ): Promise<LocalPullRequest>;
  /** Changes the text, even after the pull request has ended. Omitted fields keep their values. */
  change(projectId: string, number: number, changes: RowChanges): Promise<LocalPullRequest>;
  /**
   * Ends an open pull request and runs `record` in the same transaction. Returns a pull request that has already ended
   * unchanged.
   */
  end(pull: LocalPullRequest, ending: Ending, record?: RecordAct): Promise<LocalPullRequest>;
  addComment(
    projectId: string,
    number: number,
    comment: { readonly author: string; readonly body: string },
  ): Promise<void>;
  /** Lists comments, oldest first. */
  listComments(projectId: string, number: number, limit: number): Promise<PullRequestComment[]>;
  /**
   * Updates the open pull requests after a push. A pull request that cannot be read now is updated when it is opened.
   */
  refreshAll(projectId: string): Promise<void>;
}

export interface PullRequestsOptions extends RowsOptions {
  readonly hosting: Hosting;
  readonly work: GitWork;
}

interface Tools extends Pick<PullRequestsOptions, "hosting" | "work"> {
  readonly rows: PullRequestRows;
}

export function createPullRequests(options: PullRequestsOptions): PullRequests {
  const rows = createPullRequestRows(options);
  const tools = { ...options, rows };
  return {
    urlOf: options.pullRequestUrl,
    async read(projectId, number) {
      checkNumber(number);
      return await refresh(tools, await rows.read(projectId, number));
    },
    list: (projectId, query) => rows.list(projectId, query),
    findOpen: (projectId, branches) => findOpen(tools, projectId, branches),
    findOrCreate: (projectId, wanted) => findOrCreate(tools, projectId, wanted),
    async change(projectId, number, changes) {
      checkNumber(number);
      checkChanges(changes);
      return await rows.change(projectId, number, changes);
    },
    end: ({ projectId, pullRequest: { number } }, ending, record) =>
      rows.end({ projectId, number }, ending, record),
    async addComment(projectId, number, { author, body }) {
      checkNumber(number);
      checkComment(body);
      await rows.read(projectId, number);
      await rows.addComment({ projectId, number }, { author, body });
    },
    async listComments(projectId, number, limit) {
      await rows.read(projectId, number);
      return await rows.listComments({ projectId, number }, limit);
    },
    async refreshAll(projectId) {
      try {
        const open = await rows.list(projectId, { state: "open", limit: maxRefreshed });
        for (const pull of open) await refresh(tools, pull);
      } catch (error) {
        if (!isOctavoError(error)) throw error;
      }
    },
  };
}

async function findOpen(
  tools: Tools,
  projectId: string,
  branches: { readonly head: string; readonly base?: string | undefined },
): Promise<LocalPullRequest | undefined> {
  const query = { ...branches, state: "open", limit: maxRefreshed } as const;
  for (const pull of await tools.rows.list(projectId, query)) {
    const fresh = await refresh(tools, pull);
    if (fresh.pullRequest.state === "open") return fresh;
  }
  return undefined;
}

async function findOrCreate(
  tools: Tools,
  projectId: string,
  wanted: NewPullRequest & { readonly author: string },
): Promise<LocalPullRequest> {
  checkNewPullRequest(wanted);
  const found = await findOpen(tools, projectId, wanted);
  if (found) return found;
  const repository = tools.hosting.repositoryOf(projectId);
  const commits = await compareBranches(tools, repository, wanted);
  const pull = await tools.rows.insert(projectId, { ...wanted, ...commits });
  if (pull) {
    const name = pullRequestRef(pull.pullRequest.number);
    await tools.hosting.updateRef(repository, { name, to: pull.headCommit });
    return pull;
  }
  // Another caller created a pull request at the same time.
  const other = await findOpen(tools, projectId, wanted);
  if (other) return other;
  throw new OctavoError(
    "conflict",
    "The pull request was closed or merged while it was created; try again.",
  );
}

/** Returns the commits of a new pull request. Throws if a branch is missing or there is nothing to propose. */
async function compareBranches(
  { hosting, work }: Tools,
  repository: HostedRepository,
  { head, base }: NewPullRequest,
): Promise<{ headCommit: string; baseCommit: string }> {
  const refs = await hosting.readRefs(repository, [`refs/heads/${head}`, `refs/heads/${base}`]);
  const headCommit = refs.get(`refs/heads/${head}`);
  const onBase = refs.get(`refs/heads/${base}`);
  if (headCommit === undefined || onBase === undefined) {
    const missing = headCommit === undefined ? head : base;
    throw new OctavoError(
      "ref_not_found",
      `The repository has no branch ${JSON.stringify(missing)}.`,
    );
  }
  const baseCommit = await work.findMergeBase(repository, { from: onBase, to: headCommit });
  if (baseCommit === undefined || baseCommit === headCommit) {
    throw new OctavoError(
      "conflict",
      `There is nothing to propose, because ${base} already contains all commits of ${head}, or because the two have no common history.`,
    );
  }
  return { headCommit, baseCommit };
}

/** Returns the ref that preserves a pull request's commits after its branch is deleted. */
function pullRequestRef(number: number): string {
  return `refs/pull/${number}/head`;
}

/**
 * Updates an open pull request from its branches, because people push, delete and merge branches with git alone. The
 * pull request is merged if its base contains its commits. Otherwise, it is closed if its branch was deleted.
 */
async function refresh(
  { rows, hosting, work }: Tools,
  pull: LocalPullRequest,
): Promise<LocalPullRequest> {
  const { projectId, pullRequest } = pull;
  const { number, state } = pullRequest;
  if (state !== "open") return pull;
  const place = { projectId, number };
  const repository = hosting.repositoryOf(projectId);
  const headRef = `refs/heads/${pullRequest.head}`;
  const baseRef = `refs/heads/${pullRequest.base}`;
  const pullRef = pullRequestRef(number);
  const refs = await hosting.readRefs(repository, [headRef, baseRef, pullRef]);
  const [head, base] = [refs.get(headRef), refs.get(baseRef)];
  if (base === undefined) return await rows.end(place, { state: "closed" });

  const last = head ?? pull.headCommit;
  const common = await work.findMergeBase(repository, { from: base, to: last });
  const isContained = common === last;
  if (isContained && (await containsCommit(work, repository, base, pull.headCommit))) {
    return await rows.end(place, { state: "merged", headCommit: last, mergeCommit: base });
  }
  if (head === undefined) return await rows.end(place, { state: "closed" });

  if (refs.get(pullRef) !== head) await hosting.updateRef(repository, { name: pullRef, to: head });
  const baseCommit = common ?? pull.baseCommit;
  // A branch that was reset to a commit of its base has no commits of its own, so the recorded commits are kept.
  if (isContained || (pull.headCommit === head && pull.baseCommit === baseCommit)) return pull;
  return await rows.move(place, { headCommit: head, baseCommit });
}

async function containsCommit(
  work: GitWork,
  repository: HostedRepository,
  branch: string,
  commit: string,
): Promise<boolean> {
  return (await work.findMergeBase(repository, { from: branch, to: commit })) === commit;
}
