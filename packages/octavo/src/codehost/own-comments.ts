import { isOctavoError } from "@octavo/site/core";
import { hideMark } from "./check-text.ts";
import type { OwnComment } from "./code-host.ts";

/** The comments of the project's own login on a pull request. */
export interface OwnComments {
  /** Lists them, the oldest first. Leaves out those of others, because they may have the same mark. */
  list(): Promise<readonly { readonly id: number; readonly body: string }[]>;
  /** Adds a comment and returns its ID. Sends the request once. */
  add(body: string): Promise<number>;
  /** Throws `not_found` if the comment is gone. */
  edit(id: number, body: string): Promise<void>;
  remove(id: number): Promise<void>;
}

/** Implements `CodeHost.setComment`. */
export async function putOwnComment(
  comments: OwnComments,
  { mark, body, id }: OwnComment,
): Promise<number | undefined> {
  const text = body === undefined ? undefined : hideMark(mark, body);
  if (id !== undefined && text !== undefined) {
    try {
      await comments.edit(id, text);
      return id;
    } catch (error) {
      // Somebody has deleted it.
      if (!isOctavoError(error, "not_found")) throw error;
    }
  }
  const ending = hideMark(mark).trimStart();
  const own = await comments.list();
  const known = own.filter((comment) => comment.body.trimEnd().endsWith(ending));
  const [first, ...others] = known;
  for (const other of text === undefined ? known : others) await removeComment(comments, other.id);
  if (text === undefined) return undefined;
  if (!first) return await comments.add(text);
  if (first.body !== text) await comments.edit(first.id, text);
  return first.id;
}

async function removeComment(comments: OwnComments, id: number): Promise<void> {
  try {
    await comments.remove(id);
  } catch (error) {
    if (!isOctavoError(error, "not_found")) throw error;
  }
}
