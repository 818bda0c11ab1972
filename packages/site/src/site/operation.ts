import type { Frontmatter } from "./site.ts";

/** The endpoint that a page is about. */
export interface Operation {
  /** Lower case: `get`, `webhook`. */
  readonly method: string;
  /** Path or address, as authored. */
  readonly path: string;
}

const methods = new Set([
  "get",
  "post",
  "put",
  "patch",
  "delete",
  "head",
  "options",
  "trace",
  "webhook",
]);

/** Reads the operation (`POST /chat`, `openapi.json POST /chat`, `GET https://host/chat`) of a page's frontmatter; undefined if it names none. */
export function operationOf(frontmatter: Frontmatter): Operation | undefined {
  const written = frontmatter.openapi ?? frontmatter.api;
  if (written === undefined) return undefined;
  const words = written.trim().split(/\s+/, 64);
  const at = words.findIndex((word) => methods.has(word.toLowerCase()));
  const method = words[at]?.toLowerCase();
  const path = words.slice(at + 1).join(" ");
  if (method === undefined || path === "") return undefined;
  return { method, path };
}
