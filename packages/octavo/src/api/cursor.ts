import { z } from "zod";
import { isId } from "../core/index.ts";
import type { IdKind } from "../core/index.ts";

const limit = z
  .string()
  .regex(/^(100|[1-9]\d?)$/, "must be a whole number from 1 to 100")
  .transform(Number)
  .prefault("20")
  // For clients, it is the number that the text represents.
  .meta({
    description: "Maximum number of items.",
    type: "integer",
    pattern: undefined,
    minimum: 1,
    maximum: 100,
    default: 20,
  });

/**
 * Returns the query parameters of a list: `limit`, and `cursor`, which is parsed to the last ID of the previous page.
 */
export function createPageQuery(kind: IdKind) {
  const cursor = z
    .string()
    .max(100)
    .transform((text, context) => {
      const id = Buffer.from(text, "base64url").toString("latin1");
      if (isId(kind, id) && toCursor(id) === text) return id;
      context.addIssue("must be the nextCursor of an earlier response of this list");
      return z.NEVER;
    })
    .optional()
    .meta({
      description:
        "The `nextCursor` of the previous response; without it, the list starts at the newest.",
    });
  return { limit, cursor };
}

/** Encodes the last ID of a page as an opaque cursor; null stays null. */
export function toCursor<Id extends string | null>(id: Id): Id | string {
  return id === null ? id : Buffer.from(id).toString("base64url");
}

export const nextCursor = z.string().nullable().meta({
  description: "Pass it as `cursor` for the next page; null on the last.",
});
