import type { Kysely, Selectable } from "kysely";
import { OctavoError } from "@octavo/site/core";
import { transact, violatedConstraint } from "../../db/index.ts";
import type { PullRequestCommentsTable, PullRequestsTable, Tables } from "../../db/index.ts";
import type { NewPullRequest, PullRequestChanges, PullRequestState } from "../code-host.ts";

export type PullRequestRow = Selectable<PullRequestsTable>;
export type CommentRow = Selectable<PullRequestCommentsTable>;

export interface NewRow extends NewPullRequest {
  readonly author: string;
  readonly headCommit: string;
  readonly baseCommit: string;
}

/** How an open pull request ends; an ended one does not change. */
export type Ending =
  | { readonly state: "merged"; readonly headCommit: string; readonly mergeCommit: string }
  | { readonly state: "closed" };

/** Writes who did it. */
export type RecordAct = (transaction: Kysely<Tables>) => Promise<void>;

/** The rows of pull requests and their comments. */
export interface PullRequestRows {
  read(projectId: string, number: number): Promise<PullRequestRow>;
  /** Newest first. */
  list(projectId: string, query: RowQuery): Promise<PullRequestRow[]>;
  /** Undefined if there is already an open one for these branches. */
  insert(projectId: string, row: NewRow): Promise<PullRequestRow | undefined>;
  change(projectId: string, number: number, changes: RowChanges): Promise<PullRequestRow>;
  /** Records the current commits of an open one. */
  move(
    row: PullRequestRow,
    commits: Pick<NewRow, "headCommit" | "baseCommit">,
  ): Promise<PullRequestRow>;
  /** Ends an open one and does `record` in the same transaction; returns one that has ended meanwhile unchanged. */
  end(row: PullRequestRow, ending: Ending, record?: RecordAct): Promise<PullRequestRow>;
  addComment(row: PullRequestRow, comment: { author: string; body: string }): Promise<void>;
  /** Oldest first. */
  listComments(row: PullRequestRow, limit: number): Promise<CommentRow[]>;
}

export interface RowChanges extends PullRequestChanges {
  readonly isDraft?: boolean;
}

export interface RowQuery {
  readonly head?: string | undefined;
  readonly base?: string | undefined;
  readonly state?: PullRequestState | undefined;
  /** Only those with a smaller number. */
  readonly before?: number | undefined;
  readonly limit: number;
}

export function createPullRequestRows(db: Kysely<Tables>): PullRequestRows {
  const one = (projectId: string, number: number, handle: Kysely<Tables> = db) =>
    handle
      .updateTable("pull_requests")
      .where("project_id", "=", projectId)
      .where("number", "=", number);

  async function read(projectId: string, number: number): Promise<PullRequestRow> {
    const row = await db
      .selectFrom("pull_requests")
      .selectAll()
      .where("project_id", "=", projectId)
      .where("number", "=", number)
      .executeTakeFirst();
    if (row) return row;
    throw new OctavoError("not_found", `There is no pull request ${number}.`);
  }

  return {
    read,
    async list(projectId, query) {
      return await listRows(db, projectId, query);
    },
    async insert(projectId, row) {
      try {
        return await insertNext(db, projectId, row);
      } catch (error) {
        if (violatedConstraint(error) === "pull_requests_open") return undefined;
        throw error;
      }
    },
    async change(projectId, number, changes) {
      const values = changedColumns(changes);
      if (Object.keys(values).length === 0) return read(projectId, number);
      const row = await one(projectId, number).set(values).returningAll().executeTakeFirst();
      return row ?? read(projectId, number);
    },
    async move({ project_id, number }, { headCommit, baseCommit }) {
      const moved = await one(project_id, number)
        .where("state", "=", "open")
        .set({ head_commit: headCommit, base_commit: baseCommit })
        .returningAll()
        .executeTakeFirst();
      return moved ?? read(project_id, number);
    },
    async end({ project_id, number }, ending, record) {
      const values =
        ending.state === "merged"
          ? { head_commit: ending.headCommit, merge_commit: ending.mergeCommit }
          : {};
      const ended = await transact(db, async (transaction) => {
        const row = await one(project_id, number, transaction)
          .where("state", "=", "open")
          .set({ state: ending.state, ended_at: new Date(), ...values })
          .returningAll()
          .executeTakeFirst();
        if (row) await record?.(transaction);
        return row;
      });
      return ended ?? read(project_id, number);
    },
    async addComment({ project_id, number }, comment) {
      const row = { project_id, number, ...comment };
      await db.insertInto("pull_request_comments").values(row).execute();
    },
    async listComments({ project_id, number }, limit) {
      return await db
        .selectFrom("pull_request_comments")
        .selectAll()
        .where("project_id", "=", project_id)
        .where("number", "=", number)
        .orderBy("id")
        .limit(limit)
        .execute();
    },
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
): Promise<PullRequestRow[]> {
  let query = db.selectFrom("pull_requests").selectAll().where("project_id", "=", projectId);
  if (head !== undefined) query = query.where("head", "=", head);
  if (base !== undefined) query = query.where("base", "=", base);
  if (state !== undefined) query = query.where("state", "=", state);
  if (before !== undefined) query = query.where("number", "<", before);
  return await query.orderBy("number", "desc").limit(limit).execute();
}

/** Locks the project's row, so that two concurrent inserts get different numbers. */
async function insertNext(
  db: Kysely<Tables>,
  projectId: string,
  row: NewRow,
): Promise<PullRequestRow> {
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
