export type { ComponentScript } from "./script/component-scripts.ts";
export type { ChangelogEntry, News, OutlineEntry, PageContent, Reference } from "./page-content.ts";
export { parsePage } from "./parse-page.ts";
export type { ParseInput } from "./parse-page.ts";
export { ProblemList } from "./problem-list.ts";
export { listAttributes, isRawElement } from "./raw-node.ts";
export type { RawAttribute, RawNode } from "./raw-node.ts";
export { readMarkdownNode } from "./markdown-node.ts";
export { parseMarkdown, parseStrictMdx } from "./tolerant-parse.ts";
export type {
  ElementNode,
  JsxValue,
  MarkdownNode,
  MarkdownType,
  FilePosition,
  PropValue,
  Props,
  Resource,
  TableAlignment,
  TreeNode,
} from "./tree.ts";
export { getChildren, isElement, isJsxProp, isListProp, isRecordProp, isTreeNode } from "./tree.ts";
