/**
 * The format's texts, read and edited by place: one reader of each, for the renderer, the agent and the
 * recipes. Offsets are UTF-16 units, lines and columns begin at 1; edits leave all else as it was written.
 */
export { LineIndex } from "./line-index.ts";
export type { TextPlace } from "./line-index.ts";
export { applyEdits } from "./text-edit.ts";
export type { TextEdit, TextRange } from "./text-edit.ts";
export {
  everyPlace,
  isJsonList,
  isJsonObject,
  isJsonString,
  itemsOf,
  jsonMember,
  jsonMemberText,
  jsonText,
  membersOf,
  parseJson,
  parsePlainJson,
  placeOf,
  referencedFile,
  toPlain,
  tryParseJson,
} from "./json.ts";
export type {
  JsonList,
  JsonNode,
  JsonObject,
  JsonPlace,
  JsonString,
  JsonValue,
  ReferencedFile,
  ValueAllowance,
} from "./json.ts";
export { appendItem, appendListMember, removeEntries, setString } from "./json-edit.ts";
export { createYamlLocator, parseLenientYaml, parseYaml } from "./yaml.ts";
export type { LenientYaml, YamlOptions } from "./yaml.ts";
export type { ParseResult } from "./parse-result.ts";
export { codeRanges, codeSpanText, createCodeSpanIndex, inlineCodeSpans } from "./code-span.ts";
export type { CodeSpan, CodeSpanIndex } from "./code-span.ts";
export { codeBlocks, fencedCode, isInCode, readFenceLine } from "./fence.ts";
export type { CodeBlock, OpenFence } from "./fence.ts";
export {
  fieldText,
  findField,
  frontmatterBlock,
  frontmatterEnd,
  frontmatterFields,
  setFrontmatterField,
  yamlFields,
  yamlText,
} from "./frontmatter.ts";
export type { FrontmatterBlock, FrontmatterField } from "./frontmatter.ts";
export { inlineText, readHeadingLine } from "./heading.ts";
export type { HeadingLine } from "./heading.ts";
export { createLinkIndex, foldLabel, relativePath, splitAddress } from "./link.ts";
export type { LinkDefinition, LinkIndex, LinkMarkup } from "./link.ts";
export { aliasSlugs, asciiSlugOf, fieldSlug, gitHubSlugOf, slugOf } from "./slug.ts";
export { fillVariables } from "./variables.ts";
