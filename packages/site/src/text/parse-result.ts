import type { TextPlace } from "./line-index.ts";

/** A value, or why a text has none and where. */
export type ParseResult =
  | { readonly value: unknown }
  | { readonly reason: string; readonly place?: TextPlace };
