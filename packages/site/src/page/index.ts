export type {
  ChangelogEntry,
  News,
  OutlineEntry,
  PageContent,
  Reference,
  SearchSection,
} from "./page-content.ts";
export { parsePage } from "./parse-page.ts";
export type { ParseInput } from "./parse-page.ts";
export { ProblemList } from "./problem-list.ts";
export { isRawElement } from "./raw-node.ts";
export type { RawAttribute, RawNode } from "./raw-node.ts";
export { parseMarkdown } from "./tolerant-parse.ts";
export type {
  ElementNode,
  JsxValue,
  MarkdownNode,
  Place,
  PropValue,
  Props,
  TreeNode,
} from "./tree.ts";
export { isElement, isTreeNode } from "./tree.ts";
