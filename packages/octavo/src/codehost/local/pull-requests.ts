import type { Kysely } from "kysely";
import { OctavoError, isOctavoError } from "@octavo/site/core";
import { findViolatedConstraint, transact } from "../../db/index.ts";
import type { Row, Tables } from "../../db/index.ts";
import type { GitWork } from "../../git/index.ts";
import type { HostedRepository, Hosting } from "../../hosting/index.ts";
import { checkChanges, checkComment, checkNewPullRequest, checkNumber } from "../check-text.ts";
import type {
  NewPullRequest,
  PullRequest,
  PullRequestChanges,
  PullRequestState,
} from "../code-host.ts";
import type { OwnCommentStore } from "../create-code-host.ts";

/**
 * The maximum number of open pull requests of a project that are refreshed together. The remaining pull requests are
 * refreshed when they are read.
 */
const maxRefreshed = 100;

/** A pull request on the service's own code host, including data that `CodeHost` does not return. */
export interface LocalPullRequest {
  readonly pullRequest: PullRequest;
  readonly projectId: string;
  readonly author: string;
  /** The newest commit of the pull request's branch. */
  readonly headCommit: string;
  /** The commit where the branch diverges from its base. */
  readonly baseCommit: string;
}

export interface PullRequestComment {
  readonly author: string;
  readonly body: string;
  readonly createdAt: Date;
}

/** Writes an audit entry for an action in the same transaction. */
export type RecordAction = (transaction: Kysely<Tables>) => Promise<void>;

/**
 * The pull requests between branches of hosted repositories. People push, delete and merge branches with git alone, so
 * an open pull request is updated from its branches whenever it is read.
 */
export interface PullRequests {
  /** Returns the address of a pull request's web page. The pull request need not exist. */
  formatUrl(projectId: string, number: number): string;
  /** Reads a pull request in its current state. */
  read(projectId: string, number: number): Promise<LocalPullRequest>;
  /** Lists pull requests, newest first, each in the state in which it was last read. */
  list(projectId: string, query: RowQuery): Promise<LocalPullRequest[]>;
  findOpen(
    projectId: string,
    branches: { readonly head: string; readonly base?: string | undefined },
  ): Promise<LocalPullRequest | undefined>;
  /**
   * Returns the existing open pull request or a new one. The database ensures that two branches never have two open
   * pull requests.
   */
  findOrCreate(
    projectId: string,
    wanted: NewPullRequest & { readonly author: string },
  ): Promise<LocalPullRequest>;
  /** Changes the text, even after the pull request has ended. Omitted fields keep their values. */
  change(projectId: string, number: number, changes: RowChanges): Promise<LocalPullRequest>;
  /**
   * Ends an open pull request and runs `record` in the same transaction. If the pull request has already ended,
   * returns it unchanged.
   */
  end(pull: LocalPullRequest, ending: FinalState, record?: RecordAction): Promise<LocalPullRequest>;
  addComment(
    projectId: string,
    number: number,
    comment: { readonly author: string; readonly body: string },
  ): Promise<void>;
  /** Lists the newest comments, in chronological order. */
  listComments(projectId: string, number: number, limit: number): Promise<PullRequestComment[]>;
  /** Opens the comments of one author. Listing them throws `not_found` if the pull request does not exist. */
  openOwnComments(projectId: string, number: number, author: string): OwnCommentStore;
  /**
   * Updates the open pull requests after a push. After an error, the remaining pull requests are updated when they are
   * read.
   */
  refreshOpenPullRequests(projectId: string): Promise<void>;
}

interface PullRequestsOptions extends RowsOptions {
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
    formatUrl: options.pullRequestUrl,
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
    openOwnComments: (projectId, number, author) =>
      openOwnComments(options.db, { projectId, number, author }),
    async refreshOpenPullRequests(projectId) {
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
  const repository = tools.hosting.getRepository(projectId);
  const commits = await compareBranches(tools, repository, wanted);
  const pull = await tools.rows.insert(projectId, { ...wanted, ...commits });
  if (pull) {
    const name = formatPullRequestRef(pull.pullRequest.number);
    await tools.hosting.updateRef(repository, { name, to: pull.headCommit });
    return pull;
  }
  // Another caller created a pull request at the same time.
  const other = await findOpen(tools, projectId, wanted);
  if (other) return other;
  throw new OctavoError(
    "conflict",
    "The pull request was closed or merged while it was being created; try again.",
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
  const baseTip = refs.get(`refs/heads/${base}`);
  if (headCommit === undefined || baseTip === undefined) {
    const missing = headCommit === undefined ? head : base;
    throw new OctavoError(
      "ref_not_found",
      `The repository has no branch ${JSON.stringify(missing)}.`,
    );
  }
  const baseCommit = await work.findMergeBase(repository, { from: baseTip, to: headCommit });
  if (baseCommit === undefined || baseCommit === headCommit) {
    throw new OctavoError(
      "conflict",
      `There is nothing to propose, because ${base} already contains all commits of ${head}, or because the two have no common history.`,
    );
  }
  return { headCommit, baseCommit };
}

/** Returns the ref that preserves a pull request's commits after its branch is deleted. */
function formatPullRequestRef(number: number): string {
  return `refs/pull/${number}/head`;
}

/**
 * Updates an open pull request from its branches. The pull request becomes merged if its base contains its commits;
 * otherwise, it becomes closed if its branch or its base was deleted.
 */
async function refresh(
  { rows, hosting, work }: Tools,
  pull: LocalPullRequest,
): Promise<LocalPullRequest> {
  const { projectId, pullRequest } = pull;
  const { number, state } = pullRequest;
  if (state !== "open") return pull;
  const key = { projectId, number };
  const repository = hosting.getRepository(projectId);
  const headRef = `refs/heads/${pullRequest.head}`;
  const baseRef = `refs/heads/${pullRequest.base}`;
  const pullRef = formatPullRequestRef(number);
  const refs = await hosting.readRefs(repository, [headRef, baseRef, pullRef]);
  const [head, base] = [refs.get(headRef), refs.get(baseRef)];
  if (base === undefined) return await rows.end(key, { state: "closed" });

  const tip = head ?? pull.headCommit;
  const mergeBase = await work.findMergeBase(repository, { from: base, to: tip });
  const isContained = mergeBase === tip;
  if (
    isContained &&
    (await work.findMergeBase(repository, { from: base, to: pull.headCommit })) === pull.headCommit
  ) {
    return await rows.end(key, { state: "merged", headCommit: tip, mergeCommit: base });
  }
  if (head === undefined) return await rows.end(key, { state: "closed" });

  if (refs.get(pullRef) !== head) await hosting.updateRef(repository, { name: pullRef, to: head });
  const baseCommit = mergeBase ?? pull.baseCommit;
  // If the branch was reset to a commit of its base, it has no commits of its own, so the recorded commits are
  // retained.
  if (isContained || (pull.headCommit === head && pull.baseCommit === baseCommit)) return pull;
  return await rows.setCommits(key, { headCommit: head, baseCommit });
}

type NewRow = NewPullRequest & Pick<LocalPullRequest, "author" | "headCommit" | "baseCommit">;
interface PullRequestKey {
  readonly projectId: string;
  readonly number: number;
}

/** The final state of a pull request. */
type FinalState =
  | { readonly state: "merged"; readonly headCommit: string; readonly mergeCommit: string }
  | { readonly state: "closed" };

/** The rows of pull requests and their comments. */
interface PullRequestRows {
  read(projectId: string, number: number): Promise<LocalPullRequest>;
  /** Lists pull requests, newest first. */
  list(projectId: string, query: RowQuery): Promise<LocalPullRequest[]>;
  /** Inserts a pull request. Returns undefined if these branches already have an open pull request. */
  insert(projectId: string, row: NewRow): Promise<LocalPullRequest | undefined>;
  change(projectId: string, number: number, changes: RowChanges): Promise<LocalPullRequest>;
  /** Records the current commits of an open pull request. */
  setCommits(
    key: PullRequestKey,
    commits: Pick<NewRow, "headCommit" | "baseCommit">,
  ): Promise<LocalPullRequest>;
  /**
   * Ends an open pull request and runs `record` in the same transaction. If the pull request has already ended,
   * returns it unchanged.
   */
  end(key: PullRequestKey, ending: FinalState, record?: RecordAction): Promise<LocalPullRequest>;
  addComment(key: PullRequestKey, comment: { author: string; body: string }): Promise<void>;
  /** Lists the newest comments, in chronological order. */
  listComments(key: PullRequestKey, limit: number): Promise<PullRequestComment[]>;
}

interface RowChanges extends PullRequestChanges {
  readonly isDraft?: boolean;
}

interface RowQuery {
  readonly head?: string | undefined;
  readonly base?: string | undefined;
  readonly state?: PullRequestState | undefined;
  /** If set, only pull requests with a smaller number are listed. */
  readonly before?: number | undefined;
  readonly limit: number;
}

interface RowsOptions {
  readonly db: Kysely<Tables>;
  /** Returns the address of a pull request's web page. */
  readonly pullRequestUrl: (projectId: string, number: number) => string;
}

function createPullRequestRows({ db, pullRequestUrl }: RowsOptions): PullRequestRows {
  const updateOne = ({ projectId, number }: PullRequestKey, handle: Kysely<Tables> = db) =>
    handle
      .updateTable("pull_requests")
      .where("project_id", "=", projectId)
      .where("number", "=", number);

  const parse = (row: Row<"pull_requests">) => parseRow(row, pullRequestUrl);

  async function read(projectId: string, number: number): Promise<LocalPullRequest> {
    const row = await db
      .selectFrom("pull_requests")
      .selectAll()
      .where("project_id", "=", projectId)
      .where("number", "=", number)
      .executeTakeFirst();
    if (row) return parse(row);
    throw new OctavoError("not_found", `There is no pull request ${number}.`);
  }

  return {
    read,
    async list(projectId, query) {
      return (await listRows(db, projectId, query)).map((row) => parse(row));
    },
    async insert(projectId, row) {
      try {
        return parse(await insertNext(db, projectId, row));
      } catch (error) {
        if (findViolatedConstraint(error) === "pull_requests_open") return undefined;
        throw error;
      }
    },
    async change(projectId, number, changes) {
      const values = toChangedColumns(changes);
      if (Object.keys(values).length === 0) return read(projectId, number);
      const key = { projectId, number };
      const row = await updateOne(key).set(values).returningAll().executeTakeFirst();
      return row ? parse(row) : read(projectId, number);
    },
    async setCommits(key, { headCommit, baseCommit }) {
      const updated = await updateOne(key)
        .where("state", "=", "open")
        .set({ head_commit: headCommit, base_commit: baseCommit })
        .returningAll()
        .executeTakeFirst();
      return updated ? parse(updated) : read(key.projectId, key.number);
    },
    async end(key, ending, record) {
      const values =
        ending.state === "merged"
          ? { head_commit: ending.headCommit, merge_commit: ending.mergeCommit }
          : {};
      const ended = await transact(db, async (transaction) => {
        const row = await updateOne(key, transaction)
          .where("state", "=", "open")
          .set({ state: ending.state, ended_at: new Date(), ...values })
          .returningAll()
          .executeTakeFirst();
        if (row) await record?.(transaction);
        return row;
      });
      return ended ? parse(ended) : read(key.projectId, key.number);
    },
    async addComment({ projectId, number }, comment) {
      const row = { project_id: projectId, number, ...comment };
      await db.insertInto("pull_request_comments").values(row).execute();
    },
    listComments: (key, limit) => listComments(db, key, limit),
  };
}

function parseRow(
  row: Row<"pull_requests">,
  pullRequestUrl: RowsOptions["pullRequestUrl"],
): LocalPullRequest {
  return {
    pullRequest: {
      number: row.number,
      url: pullRequestUrl(row.project_id, row.number),
      state: row.state,
      title: row.title,
      body: row.body,
      head: row.head,
      base: row.base,
      isDraft: row.is_draft,
      createdAt: row.created_at,
      ...(row.ended_at ? { endedAt: row.ended_at } : {}),
    },
    projectId: row.project_id,
    author: row.author,
    headCommit: row.head_commit,
    baseCommit: row.base_commit,
  };
}

function toChangedColumns({ title, body, isDraft }: RowChanges) {
  return {
    ...(title === undefined ? {} : { title }),
    ...(body === undefined ? {} : { body }),
    ...(isDraft === undefined ? {} : { is_draft: isDraft }),
  };
}

async function listRows(
  db: Kysely<Tables>,
  projectId: string,
  { head, base, state, before, limit }: RowQuery,
): Promise<Row<"pull_requests">[]> {
  let query = db.selectFrom("pull_requests").selectAll().where("project_id", "=", projectId);
  if (head !== undefined) query = query.where("head", "=", head);
  if (base !== undefined) query = query.where("base", "=", base);
  if (state !== undefined) query = query.where("state", "=", state);
  if (before !== undefined) query = query.where("number", "<", before);
  return await query.orderBy("number", "desc").limit(limit).execute();
}

async function listComments(
  db: Kysely<Tables>,
  { projectId, number }: PullRequestKey,
  limit: number,
): Promise<PullRequestComment[]> {
  const rows = await db
    .selectFrom("pull_request_comments")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("number", "=", number)
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
  return rows
    .toReversed()
    .map(({ author, body, created_at }) => ({ author, body, createdAt: created_at }));
}

/**
 * Inserts a row with the next number. Locks the project's row, so that two concurrent inserts get different numbers.
 */
async function insertNext(
  db: Kysely<Tables>,
  projectId: string,
  row: NewRow,
): Promise<Row<"pull_requests">> {
  return await transact(db, async (transaction) => {
    const project = await transaction
      .selectFrom("projects")
      .select("id")
      .where("id", "=", projectId)
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (!project) throw new OctavoError("not_found", "There is no such project.");
    const last = await transaction
      .selectFrom("pull_requests")
      .select((query) => query.fn.max("number").as("number"))
      .where("project_id", "=", projectId)
      .executeTakeFirst();
    return await transaction
      .insertInto("pull_requests")
      .values({
        project_id: projectId,
        number: (last?.number ?? 0) + 1,
        title: row.title,
        body: row.body,
        head: row.head,
        base: row.base,
        is_draft: row.isDraft ?? false,
        author: row.author,
        head_commit: row.headCommit,
        base_commit: row.baseCommit,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
  });
}

interface OwnCommentsKey {
  readonly projectId: string;
  readonly number: number;
  readonly author: string;
}

/** Implements `PullRequests.openOwnComments`. */
function openOwnComments(
  db: Kysely<Tables>,
  { projectId, number, author }: OwnCommentsKey,
): OwnCommentStore {
  async function list() {
    const pull = await db
      .selectFrom("pull_requests")
      .select("number")
      .where("project_id", "=", projectId)
      .where("number", "=", number)
      .executeTakeFirst();
    if (!pull) throw new OctavoError("not_found", `There is no pull request ${number}.`);
    const rows = await db
      .selectFrom("pull_request_comments")
      .select(["id", "body"])
      .where("project_id", "=", projectId)
      .where("number", "=", number)
      .where("author", "=", author)
      .orderBy("id")
      .execute();
    return rows.map(({ id, body }) => ({ id, body }));
  }

  return {
    list,
    async add(body) {
      const row = { project_id: projectId, number, author, body };
      const added = db.insertInto("pull_request_comments").values(row).returning("id");
      return (await added.executeTakeFirstOrThrow()).id;
    },
    async edit(id, body) {
      const row = await db
        .updateTable("pull_request_comments")
        .set({ body })
        .where("id", "=", id)
        .where("project_id", "=", projectId)
        .where("number", "=", number)
        .where("author", "=", author)
        .returning("id")
        .executeTakeFirst();
      if (!row) throw new OctavoError("not_found", `There is no comment ${id}.`);
    },
    async remove(id) {
      await db
        .deleteFrom("pull_request_comments")
        .where("id", "=", id)
        .where("project_id", "=", projectId)
        .where("number", "=", number)
        .where("author", "=", author)
        .execute();
    },
  };
}
