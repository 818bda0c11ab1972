export { html, parse, serialize } from "parse5";
export type { DefaultTreeAdapterTypes } from "parse5";
