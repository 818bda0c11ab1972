export { frontmatterBlock } from "./frontmatter-block.ts";
export type { FrontmatterBlock } from "./frontmatter-block.ts";
export { itemsOf, membersOf, parseJson, placeOf, textOf, toPlain } from "./json-source.ts";
export type { JsonNode, JsonValue, ValueAllowance } from "./json-source.ts";
export { aliasSlugs, slugOf } from "./slug.ts";
