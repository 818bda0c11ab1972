import type { TextPosition } from "./line-index.ts";

/** A value, or the reason and position at which a text cannot be parsed. */
export type ParseResult =
  | { readonly value: unknown }
  | { readonly reason: string; readonly place?: TextPosition };
