import type { CompiledQuery } from "kysely";

/** Whether running the query twice equals running it once, because it changes nothing. */
export function isRead({ query }: Pick<CompiledQuery, "query">): boolean {
  // What a WITH holds may write.
  return query.kind === "SelectQueryNode" && query.with === undefined;
}
