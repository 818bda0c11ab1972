import { z } from "zod";
import { isId } from "../core/index.ts";
import type { IdKind } from "../core/index.ts";

const limit = z
  .string()
  .regex(/^(100|[1-9]\d?)$/, "must be a whole number from 1 to 100")
  .transform(Number)
  .prefault("20")
  // Documents the parameter as the number that clients send, not as the text that is parsed.
  .meta({
    description: "Maximum number of items.",
    type: "integer",
    pattern: undefined,
    minimum: 1,
    maximum: 100,
    default: 20,
  });

/**
 * Returns the schemas of a list's query parameters: `limit` and `cursor`. Parsing turns the cursor into the last ID of
 * the previous page.
 */
export function createPageQuery(kind: IdKind) {
  const cursor = z
    .string()
    .max(100)
    .transform((text, context) => {
      const id = Buffer.from(text, "base64url").toString("latin1");
      if (isId(kind, id) && toCursor(id) === text) return id;
      context.addIssue("must be the nextCursor of an earlier response from this list");
      return z.NEVER;
    })
    .optional()
    .meta({
      description:
        "The `nextCursor` of the previous response. If omitted, the list starts with the newest item.",
    });
  return { limit, cursor };
}

/** Encodes the last ID of a page as an opaque cursor. Null stays null. */
export function toCursor<Id extends string | null>(id: Id): Id | string {
  return id === null ? id : Buffer.from(id).toString("base64url");
}

export const nextCursor = z.string().nullable().meta({
  description: "Pass it as `cursor` to get the next page; null on the last page.",
});
