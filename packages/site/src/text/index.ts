/**
 * Reads and edits the text of a site by position. The renderer, the agent and the recipes share one parser for each
 * syntax. Offsets are in UTF-16 units. Lines and columns begin at 1. Edits leave the rest of a text unchanged.
 */
export { LineIndex } from "./line-index.ts";
export type { TextPosition } from "./line-index.ts";
export { applyEdits } from "./text-edit.ts";
export type { TextEdit, TextRange } from "./text-edit.ts";
export {
  walkJson,
  isJsonList,
  isJsonObject,
  isJsonString,
  findJsonItems,
  findJsonMember,
  findJsonMemberText,
  findJsonText,
  findJsonMembers,
  parseJson,
  parsePlainJson,
  locateJsonNode,
  resolveJsonReference,
  toPlain,
  tryParseJson,
} from "./json.ts";
export type {
  JsonList,
  JsonNode,
  JsonObject,
  JsonEntry,
  JsonString,
  JsonValue,
  ReferencedFile,
  ValueAllowance,
  ParseResult,
} from "./json.ts";
export { appendItem, appendListMember, removeEntries, setString } from "./json-edit.ts";
export { findCssAddresses, replaceCssAddresses, setCssAddress } from "./css.ts";
export type { CssAddress } from "./css.ts";
export { createYamlLocator, parseLenientYaml, parseYaml } from "./yaml.ts";
export type { LenientYaml, YamlOptions } from "./yaml.ts";
export {
  findCodeRanges,
  getCodeSpanText,
  createCodeSpanIndex,
  findCodeSpans,
  collapseLines,
  formatInlineCode,
} from "./code-span.ts";
export type { CodeSpan, CodeSpanIndex } from "./code-span.ts";
export { findCodeBlocks, formatFencedCode, isInCode, readFenceLine } from "./fence.ts";
export type { CodeBlock, OpenFence } from "./fence.ts";
export {
  getFieldText,
  findField,
  findFrontmatter,
  findBodyStart,
  locateField,
  readFrontmatterFields,
  setFrontmatterField,
  readYamlFields,
  formatYamlString,
} from "./frontmatter.ts";
export type { FrontmatterBlock, FrontmatterField } from "./frontmatter.ts";
export { toPlainText, readHeadingLine } from "./heading.ts";
export type { HeadingLine } from "./heading.ts";
export { createLinkIndex, foldLabel, getRelativePath, splitAddress } from "./link.ts";
export type { LinkDefinition, LinkIndex, LinkMarkup } from "./link.ts";
export {
  listAliasSlugs,
  createAsciiSlug,
  createFieldSlug,
  createGitHubSlug,
  createSlug,
} from "./slug.ts";
export { fillVariables } from "./variables.ts";
