import type { Kysely } from "kysely";
import { isOctavoError, OctavoError } from "@octavo/site/core";
import type { Quotas } from "../../core/index.ts";
import type { Tables } from "../../db/index.ts";
import type { FileAtCommit, GitWork, Person } from "../../git/index.ts";
import { checkChanges, checkComment, checkNumber } from "../check-text.ts";
import type { CodeHost, CodeHostProject, PullRequest, PullRequestState } from "../code-host.ts";
import { createFactCache } from "./fact-cache.ts";
import { mergePullRequest } from "./merge.ts";
import { describePullRequest, readPullRequestDiff } from "./pull-request-page.ts";
import type { PullRequestDiff, PullRequestPage } from "./pull-request-page.ts";
import { createPullRequestRows } from "./pull-request-rows.ts";
import type { PullRequestRow, RecordAct } from "./pull-request-rows.ts";
import { findOpen, findOrCreate, readFresh, refreshAll } from "./pull-requests.ts";
import type { LocalTools } from "./refresh.ts";
import {
  createRepositories,
  isHostedHere,
  removeUnusedPacks,
  serveRepository,
  toRemoteRepository,
} from "../../hosting/index.ts";
import type {
  AuthorizeGit,
  GitExchange,
  GitHosting,
  HostedRepository,
  PackStorage,
} from "../../hosting/index.ts";

export interface LocalCodeHostOptions {
  readonly db: Kysely<Tables>;
  readonly hosting: GitHosting;
  readonly work: GitWork;
  /** Where the commits of hosted repositories last; the same on every node. */
  readonly packs: PackStorage;
  /** Of organisations, for the size of repositories. Default `defaultQuotas`. */
  readonly quotas?: Quotas | undefined;
  /** Absolute; for this node's copies of hosted repositories, which are made again if lost. */
  readonly repositoriesDir: string;
  /** The address of a pull request for people. */
  readonly pullRequestUrl: (projectId: string, number: number) => string;
  /** The author of the pull requests that the service opens. */
  readonly author: Person;
}

export interface PullRequestList {
  readonly state?: PullRequestState;
  /** Only those with a smaller number. */
  readonly before?: number;
  readonly limit: number;
}

export interface PullRequestComment {
  readonly author: string;
  readonly body: string;
  readonly createdAt: Date;
}

/**
 * The service's own code host: bare repositories that every node serves, which people clone and push over HTTP, and
 * pull requests in its database. For a project with an external repository it has a copy, which follows that
 * repository except for the service's own branches; pull requests are merged in the external repository.
 */
export interface LocalCodeHost extends CodeHost {
  /** A project's repository, whether it exists or not. */
  repositoryOf(projectId: string): HostedRepository;
  /** Makes the files below `folder` the first commit of a repository; `conflict` if it has a branch `main`. */
  importFolder(projectId: string, folder: string, message: string): Promise<string>;
  /** Removes the repository and this node's copy, as the deletion of the project does. */
  removeRepository(projectId: string): Promise<void>;
  /**
   * Removes files of the storage that no repository has used for a day; returns their number. `now` by the database's
   * clock, if absent.
   */
  removeUnusedPacks(now?: Date): Promise<number>;
  /** Removes from this node copies of deleted projects, and what dead processes left. Needs no git. */
  removeLeftovers(): Promise<void>;
  /** Newest first, each with the state that was last read. */
  list(projectId: string, query: PullRequestList): Promise<PullRequest[]>;
  /** What the pages of a pull request show, except the content of its files. */
  describe(project: CodeHostProject, number: number): Promise<PullRequestPage>;
  /** The unified diff of some of its files; undefined if it is too large for a page. */
  diff(projectId: string, request: PullRequestDiff): Promise<string | undefined>;
  /** The text of a file at a commit; undefined if there is no regular file of at most `maxBytes`. */
  readFile(projectId: string, file: FileAtCommit): Promise<string | undefined>;
  /**
   * Merges into the base branch, of a copy into that of the external repository; idempotent. Throws `conflict` if it
   * was closed, is a draft or cannot be merged, `forbidden` if the project's credentials may not push to the branch.
   * `record` runs in the transaction that ends the pull request.
   */
  merge(
    project: CodeHostProject,
    number: number,
    by: Person,
    record?: RecordAct,
  ): Promise<PullRequest>;
  /** Makes a draft ready to be merged; idempotent. Throws `conflict` if it has ended. */
  markReady(project: CodeHostProject, number: number): Promise<PullRequest>;
  /** Closes without merging; idempotent. Throws `conflict` if it was merged. */
  close(project: CodeHostProject, number: number, record?: RecordAct): Promise<PullRequest>;
  /** Oldest first. */
  listComments(projectId: string, number: number, limit: number): Promise<PullRequestComment[]>;
  /** Adds a person's comment; `comment` adds the service's own. */
  addComment(
    projectId: string,
    number: number,
    comment: { author: string; body: string },
  ): Promise<void>;
  /** Serves git over HTTP; see `serveRepository`. */
  serve(exchange: GitExchange, authorize: AuthorizeGit): Promise<void>;
}

export function createLocalCodeHost(options: LocalCodeHostOptions): LocalCodeHost {
  const { hosting, work } = options;
  const { db, packs, quotas, repositoriesDir: folder } = options;
  const repositories = createRepositories({ db, packs, quotas, folder, hosting });
  const rows = createPullRequestRows(db);
  const remember = createFactCache();
  const context = { ...options, tools: { rows, hosting, work, repositories, remember } };
  return { ...createPort(context), ...createOperations(context) };
}

interface Context extends LocalCodeHostOptions {
  readonly tools: LocalTools;
}

function createPort(context: Context): CodeHost {
  const { tools, author } = context;
  const { rows, repositories } = tools;
  return {
    name: "local",
    capabilities: {
      supportsDrafts: true,
      supportsComments: true,
      supportsLabels: false,
      supportsReviewers: false,
    },

    pullRequestUrl: ({ id }, number) => context.pullRequestUrl(id, number),
    async readSource(project, signal) {
      if (isHostedHere(project)) return await repositories.prepare(project, signal);
      return toRemoteRepository(project);
    },
    async pushTarget(project, signal) {
      return await repositories.prepare(project, signal);
    },
    async find({ id }, { head, base, state }) {
      const open = await findOpen(tools, id, { head, base });
      if (open || state === "open") return open && toPullRequest(context, open);
      const [newest] = await rows.list(id, { head, base, limit: 1 });
      return newest && toPullRequest(context, newest);
    },
    async create({ id }, wanted) {
      const row = await findOrCreate(tools, id, { ...wanted, author: author.name });
      return toPullRequest(context, row);
    },
    async get({ id }, number) {
      return toPullRequest(context, await readFresh(tools, id, number));
    },
    async update({ id }, number, { changes }) {
      checkNumber(number);
      checkChanges(changes);
      return toPullRequest(context, await rows.change(id, number, changes));
    },
    async comment({ id }, number, { body }) {
      await addComment(tools, id, { number, author: author.name, body });
    },
    async addExtras({ id }, number, { extras: { labels, reviewers } }) {
      await rows.read(id, number);
      if (labels.length + reviewers.length === 0) return [];
      throw new OctavoError(
        "invalid_input",
        "Pull requests on this service have no labels and no reviewers.",
      );
    },
  };
}

function createOperations(context: Context): Omit<LocalCodeHost, keyof CodeHost> {
  const { tools } = context;
  const { rows, repositories } = tools;
  return {
    repositoryOf: (projectId) => repositories.at(projectId),
    importFolder: (projectId, imported, message) =>
      tools.hosting.importFolder(repositories.at(projectId), imported, message),
    removeRepository: (projectId) => repositories.remove(projectId),
    removeUnusedPacks: (now) => removeUnusedPacks(context, now),
    removeLeftovers: () => repositories.removeLeftovers(),

    async list(projectId, query) {
      return (await rows.list(projectId, query)).map((row) => toPullRequest(context, row));
    },
    async describe(project, number) {
      const row = await readFresh(tools, project.id, number);
      const pullRequest = toPullRequest(context, row);
      const repository = repositories.at(project.id);
      return await describePullRequest(tools, { row, pullRequest, repository });
    },
    diff: (projectId, request) => readPullRequestDiff(tools, repositories.at(projectId), request),
    readFile(projectId, file) {
      const repository = repositories.at(projectId);
      const key = `file ${repository.path} ${JSON.stringify(file)}`;
      return tools.remember(key, () => tools.work.readFile(repository, file));
    },
    async merge(project, number, by, record) {
      checkNumber(number);
      const repository = await repositories.prepare(project);
      const row = await readFresh(tools, project.id, number);
      return toPullRequest(
        context,
        await mergePullRequest(tools, { project, repository, row, by, record }),
      );
    },
    async markReady(project, number) {
      const { state } = await readFresh(tools, project.id, number);
      if (state === "open") {
        return toPullRequest(context, await rows.change(project.id, number, { isDraft: false }));
      }
      throw new OctavoError("conflict", `Pull request ${number} was ${state}.`);
    },
    async close(project, number, record) {
      const open = await readFresh(tools, project.id, number);
      const row = await rows.end(open, { state: "closed" }, record);
      if (row.state === "closed") return toPullRequest(context, row);
      throw new OctavoError("conflict", `Pull request ${number} was merged; it cannot be closed.`);
    },
    async listComments(projectId, number, limit) {
      const list = await rows.listComments(await rows.read(projectId, number), limit);
      return list.map(({ author, body, created_at }) => ({ author, body, createdAt: created_at }));
    },
    async addComment(projectId, number, comment) {
      await addComment(tools, projectId, { number, ...comment });
    },
    async serve(exchange, authorize) {
      const served = await serveRepository({ ...tools, authorize }, exchange);
      if (served.commands.length === 0) return;
      try {
        await refreshAll(tools, served.projectId);
      } catch (error) {
        // The push has succeeded; each pull request is refreshed when it is read.
        if (!isOctavoError(error)) throw error;
      }
    },
  };
}

function toPullRequest(context: Context, row: PullRequestRow): PullRequest {
  return {
    number: row.number,
    url: context.pullRequestUrl(row.project_id, row.number),
    state: row.state,
    title: row.title,
    body: row.body,
    head: row.head,
    base: row.base,
    isDraft: row.is_draft,
    createdAt: row.created_at,
    ...(row.ended_at ? { endedAt: row.ended_at } : {}),
  };
}

async function addComment(
  { rows }: LocalTools,
  projectId: string,
  comment: { readonly number: number; readonly author: string; readonly body: string },
): Promise<void> {
  const { number, author, body } = comment;
  checkNumber(number);
  checkComment(body);
  await rows.addComment(await rows.read(projectId, number), { author, body });
}
