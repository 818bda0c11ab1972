import type { Kysely, Selectable } from "kysely";
import { OctavoError } from "@octavo/site/core";
import { transact, findViolatedConstraint } from "../../db/index.ts";
import type { PullRequestsTable, Tables } from "../../db/index.ts";
import type {
  NewPullRequest,
  PullRequest,
  PullRequestChanges,
  PullRequestState,
} from "../code-host.ts";

/** A pull request on the service's own code host, including data that the port does not return. */
export interface LocalPullRequest {
  readonly pullRequest: PullRequest;
  readonly projectId: string;
  readonly author: string;
  /** The newest commit of the pull request's branch, and the commit where the branch leaves its base. */
  readonly headCommit: string;
  readonly baseCommit: string;
}

export interface PullRequestComment {
  readonly author: string;
  readonly body: string;
  readonly createdAt: Date;
}

type NewRow = NewPullRequest & Pick<LocalPullRequest, "author" | "headCommit" | "baseCommit">;
interface Place {
  readonly projectId: string;
  readonly number: number;
}

/** The way in which an open pull request ends. A pull request that has ended does not change. */
export type Ending =
  | { readonly state: "merged"; readonly headCommit: string; readonly mergeCommit: string }
  | { readonly state: "closed" };

/** Writes an audit entry for an action in the same transaction. */
export type RecordAct = (transaction: Kysely<Tables>) => Promise<void>;

/** The rows of pull requests and their comments. */
export interface PullRequestRows {
  read(projectId: string, number: number): Promise<LocalPullRequest>;
  /** Lists pull requests, newest first. */
  list(projectId: string, query: RowQuery): Promise<LocalPullRequest[]>;
  /** Inserts a pull request; undefined if there is already an open one for these branches. */
  insert(projectId: string, row: NewRow): Promise<LocalPullRequest | undefined>;
  change(projectId: string, number: number, changes: RowChanges): Promise<LocalPullRequest>;
  /** Records the current commits of an open pull request. */
  move(place: Place, commits: Pick<NewRow, "headCommit" | "baseCommit">): Promise<LocalPullRequest>;
  /**
   * Ends an open pull request and runs `record` in the same transaction. Returns a pull request that has already ended
   * unchanged.
   */
  end(place: Place, ending: Ending, record?: RecordAct): Promise<LocalPullRequest>;
  addComment(place: Place, comment: { author: string; body: string }): Promise<void>;
  /** Lists comments, oldest first. */
  listComments(place: Place, limit: number): Promise<PullRequestComment[]>;
}

export interface RowChanges extends PullRequestChanges {
  readonly isDraft?: boolean;
}

export interface RowQuery {
  readonly head?: string | undefined;
  readonly base?: string | undefined;
  readonly state?: PullRequestState | undefined;
  /** If set, only pull requests with a smaller number are listed. */
  readonly before?: number | undefined;
  readonly limit: number;
}

export interface RowsOptions {
  readonly db: Kysely<Tables>;
  /** Returns the address of a pull request for people. */
  readonly pullRequestUrl: (projectId: string, number: number) => string;
}

export function createPullRequestRows({ db, pullRequestUrl }: RowsOptions): PullRequestRows {
  const one = ({ projectId, number }: Place, handle: Kysely<Tables> = db) =>
    handle
      .updateTable("pull_requests")
      .where("project_id", "=", projectId)
      .where("number", "=", number);

  const parse = (row: Selectable<PullRequestsTable>) => parseRow(row, pullRequestUrl);

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
      const values = changedColumns(changes);
      if (Object.keys(values).length === 0) return read(projectId, number);
      const place = { projectId, number };
      const row = await one(place).set(values).returningAll().executeTakeFirst();
      return row ? parse(row) : read(projectId, number);
    },
    async move(place, { headCommit, baseCommit }) {
      const moved = await one(place)
        .where("state", "=", "open")
        .set({ head_commit: headCommit, base_commit: baseCommit })
        .returningAll()
        .executeTakeFirst();
      return moved ? parse(moved) : read(place.projectId, place.number);
    },
    async end(place, ending, record) {
      const values =
        ending.state === "merged"
          ? { head_commit: ending.headCommit, merge_commit: ending.mergeCommit }
          : {};
      const ended = await transact(db, async (transaction) => {
        const row = await one(place, transaction)
          .where("state", "=", "open")
          .set({ state: ending.state, ended_at: new Date(), ...values })
          .returningAll()
          .executeTakeFirst();
        if (row) await record?.(transaction);
        return row;
      });
      return ended ? parse(ended) : read(place.projectId, place.number);
    },
    async addComment({ projectId, number }, comment) {
      const row = { project_id: projectId, number, ...comment };
      await db.insertInto("pull_request_comments").values(row).execute();
    },
    listComments: (place, limit) => listComments(db, place, limit),
  };
}

function parseRow(
  row: Selectable<PullRequestsTable>,
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

function changedColumns({ title, body, isDraft }: RowChanges) {
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
): Promise<Selectable<PullRequestsTable>[]> {
  let query = db.selectFrom("pull_requests").selectAll().where("project_id", "=", projectId);
  if (head !== undefined) query = query.where("head", "=", head);
  if (base !== undefined) query = query.where("base", "=", base);
  if (state !== undefined) query = query.where("state", "=", state);
  if (before !== undefined) query = query.where("number", "<", before);
  return await query.orderBy("number", "desc").limit(limit).execute();
}

async function listComments(
  db: Kysely<Tables>,
  { projectId, number }: Place,
  limit: number,
): Promise<PullRequestComment[]> {
  const rows = await db
    .selectFrom("pull_request_comments")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("number", "=", number)
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map(({ author, body, created_at }) => ({ author, body, createdAt: created_at }));
}

/**
 * Inserts a row with the next number. Locks the project's row, so that two concurrent inserts get different numbers.
 */
async function insertNext(
  db: Kysely<Tables>,
  projectId: string,
  row: NewRow,
): Promise<Selectable<PullRequestsTable>> {
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
