import { OctavoError } from "@octavo/site/core";
import type { Kysely } from "kysely";
import type { Tables } from "../../db/index.ts";
import type { OwnCommentStore } from "../create-code-host.ts";

interface OwnCommentsKey {
  readonly projectId: string;
  readonly number: number;
  readonly author: string;
}

/** Implements `PullRequests.openOwnComments`. */
export function openOwnComments(
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
