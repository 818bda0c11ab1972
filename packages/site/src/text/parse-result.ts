import type { TextPosition } from "./line-index.ts";

/** A value, or why and where a text cannot be parsed. */
export type ParseResult =
  | { readonly value: unknown }
  | { readonly reason: string; readonly place?: TextPosition };
