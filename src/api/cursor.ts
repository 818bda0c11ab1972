import { z } from "zod";
import { isId } from "../core/index.ts";
import type { IdKind } from "../core/index.ts";
import type { Page } from "../projects/index.ts";

const limit = z
  .string()
  .regex(/^(100|[1-9]\d?)$/, "must be a whole number from 1 to 100")
  .transform(Number)
  .prefault("20")
  .meta({ description: "How many to give at most, 1 to 100.", example: "20" });

/** Query parameters of a list of things of one kind: `limit` and the opaque `cursor`, as `{ limit, before }`. */
export function pageQuery(kind: IdKind) {
  const cursor = z
    .string()
    .max(100)
    .transform((text, context) => {
      const id = Buffer.from(text, "base64url").toString("latin1");
      if (isId(kind, id) && toCursor(id) === text) return id;
      context.addIssue("must be the nextCursor of an earlier answer of this list");
      return z.NEVER;
    })
    .optional()
    .meta({ description: "The `nextCursor` of the answer before; without it, the newest come." });
  return { limit, cursor };
}

function toCursor(id: string): string {
  return Buffer.from(id).toString("base64url");
}

/** `nextCursor` of a page. */
export function nextCursorOf(page: Page<unknown>): string | null {
  return page.next === null ? null : toCursor(page.next);
}

export const nextCursor = z.string().nullable().meta({
  description: "Give it as `cursor` for the next page; null on the last.",
});
