import type { TextPosition } from "./line-index.ts";

/** A value, or the reason why a text cannot be parsed and the position of the error. */
export type ParseResult =
  | { readonly value: unknown }
  | { readonly reason: string; readonly place?: TextPosition };
