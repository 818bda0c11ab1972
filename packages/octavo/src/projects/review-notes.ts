import type { Kysely } from "kysely";
import { OctavoError } from "@octavo/site/core";
import { createId } from "../core/index.ts";
import { transact } from "../db/index.ts";
import type { Row, Tables } from "../db/index.ts";
import { recordEvent, type AuditAction } from "./audit.ts";
import type { KeyScope } from "./keys.ts";

/** The maximum number of notes of a project. A new note replaces the oldest note. */
export const maxReviewNotes = 50;
/** The maximum length of a note, in characters. */
export const maxReviewNoteLength = 2_000;

/** A note on what reviewers rejected, which subsequent agent turns receive. */
export interface ReviewNote {
  readonly id: string;
  readonly text: string;
  /** The pull request that was closed without a merge, or in which changes were requested. */
  readonly pullRequestUrl: string;
  readonly createdAt: Date;
  /** When a person last changed the text; null if nobody did. */
  readonly editedAt: Date | null;
}

/** The notes of a project. Callers check that the scope has access to the project. */
export interface ReviewNotes {
  /** Lists all notes, newest first. */
  list(projectId: string): Promise<readonly ReviewNote[]>;
  /** Throws `not_found` if the project does not have the note. */
  get(projectId: string, noteId: string): Promise<ReviewNote>;
  /** Throws in the same cases as `get`, and `invalid_input` for text that is empty or too long. */
  update(scope: KeyScope, projectId: string, change: ReviewNoteChange): Promise<ReviewNote>;
  /** Throws in the same cases as `get`. */
  remove(scope: KeyScope, projectId: string, noteId: string): Promise<void>;
  /** Removes all notes. Pull requests that are rejected later add new notes. */
  clear(scope: KeyScope, projectId: string): Promise<void>;
}

interface ReviewNoteChange {
  readonly id: string;
  readonly text: string;
}

export function createReviewNotes(db: Kysely<Tables>): ReviewNotes {
  async function get(projectId: string, noteId: string): Promise<ReviewNote> {
    const row = await db
      .selectFrom("review_notes")
      .selectAll()
      .where("project_id", "=", projectId)
      .where("id", "=", noteId)
      .executeTakeFirst();
    if (row) return toReviewNote(row);
    const shownId = JSON.stringify(noteId.slice(0, 100));
    throw new OctavoError("not_found", `The review note ${shownId} does not exist.`);
  }

  return {
    get,
    async list(projectId) {
      return (await selectNewest(db, projectId).execute()).map(toReviewNote);
    },

    async update(scope, projectId, { id, text }) {
      const checkedText = checkText(text);
      await get(projectId, id);
      await transact(db, async (transaction) => {
        const set = { text: checkedText, edited_at: new Date() };
        await transaction.updateTable("review_notes").set(set).where("id", "=", id).execute();
        await recordChange(transaction, scope, { action: "review_note.changed", projectId, id });
      });
      return await get(projectId, id);
    },

    async remove(scope, projectId, id) {
      await get(projectId, id);
      await transact(db, async (transaction) => {
        await transaction.deleteFrom("review_notes").where("id", "=", id).execute();
        await recordChange(transaction, scope, { action: "review_note.deleted", projectId, id });
      });
    },

    async clear(scope, projectId) {
      await transact(db, async (transaction) => {
        await transaction.deleteFrom("review_notes").where("project_id", "=", projectId).execute();
        await recordChange(transaction, scope, { action: "review_notes.cleared", projectId });
      });
    },
  };
}

async function recordChange(
  transaction: Kysely<Tables>,
  scope: KeyScope,
  {
    action,
    projectId,
    id = projectId,
  }: { readonly action: AuditAction; readonly projectId: string; readonly id?: string },
): Promise<void> {
  await recordEvent(transaction, scope, { action, target: { id, name: null }, projectId });
}

/** Reads the texts of the newest notes, for agent turns. */
export async function readReviewNotes(
  db: Kysely<Tables>,
  projectId: string,
): Promise<readonly string[]> {
  return (await selectNewest(db, projectId).execute()).map(({ text }) => text);
}

interface NewReviewNote {
  readonly projectId: string;
  /** The job whose pull request was refused; null if it is unknown. */
  readonly jobId: string | null;
  readonly pullRequestUrl: string;
  readonly text: string;
}

/** Adds a note within a transaction, and removes the oldest notes above the limit. A long text is shortened. */
export async function addReviewNote(
  transaction: Kysely<Tables>,
  { projectId, jobId, pullRequestUrl, text }: NewReviewNote,
): Promise<void> {
  const values = {
    id: createId("reviewNote"),
    project_id: projectId,
    job_id: jobId,
    pull_request_url: pullRequestUrl,
    text: text.replaceAll("\0", "\u{FFFD}").slice(0, maxReviewNoteLength).toWellFormed(),
  };
  await transaction.insertInto("review_notes").values(values).execute();
  const keptNotes = selectNewest(transaction, projectId).clearSelect().select("id");
  await transaction
    .deleteFrom("review_notes")
    .where("project_id", "=", projectId)
    .where("id", "not in", keptNotes)
    .execute();
}

function selectNewest(db: Kysely<Tables>, projectId: string) {
  return db
    .selectFrom("review_notes")
    .selectAll()
    .where("project_id", "=", projectId)
    .orderBy("id", "desc")
    .limit(maxReviewNotes);
}

function checkText(text: string): string {
  const trimmed = text.trim();
  if (trimmed !== "" && trimmed.length <= maxReviewNoteLength) return trimmed;
  const message = `text must have 1 to ${maxReviewNoteLength.toLocaleString("en")} characters. To remove the note, delete it.`;
  throw new OctavoError("invalid_input", message);
}

function toReviewNote(row: Row<"review_notes">): ReviewNote {
  return {
    id: row.id,
    text: row.text,
    pullRequestUrl: row.pull_request_url,
    createdAt: row.created_at,
    editedAt: row.edited_at,
  };
}
