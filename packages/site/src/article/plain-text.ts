import {
  getChildren,
  isElement,
  isJsxProp,
  isListProp,
  isTreeNode,
  type PropValue,
  type TreeNode,
} from "../page/index.ts";
import { parseInlineValue } from "./inline-value.ts";

/** Returns the plain text of nodes or of a value. Strings are parsed as inline Markdown. */
export function getContentText(content: readonly TreeNode[] | PropValue | undefined): string {
  if (content === undefined || content === null) return "";
  if (typeof content === "string") {
    const nodes = parseInlineValue(content, { file: "", line: 0, column: 0 });
    return nodes === undefined ? content : getPlainText(nodes);
  }
  if (typeof content !== "object") return String(content);
  if (isNodeList(content)) return getPlainText(content);
  if (isListProp(content)) return content.map((entry) => getContentText(entry)).join("");
  return isJsxProp(content) ? getPlainText(content.nodes) : "";
}

function isNodeList(content: readonly TreeNode[] | PropValue): content is readonly TreeNode[] {
  return Array.isArray(content) && content.every((entry) => isTreeNode(entry));
}

/** The types of nodes that separate words. */
const blocks = new Set(
  "paragraph heading blockquote list listItem table tableRow tableCell code thematicBreak break".split(
    " ",
  ),
);

/**
 * Returns the text of nodes without markup, with white space collapsed and trimmed. `withoutComponents`, which is used
 * for ids of headings, omits components such as `<Icon/>` and `<Badge>` with their content, but not HTML elements.
 */
export function getPlainText(
  nodes: readonly TreeNode[],
  options: { readonly withoutComponents?: boolean } = {},
): string {
  const words: string[] = [];
  const stack: (TreeNode | " ")[] = nodes.toReversed();
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node === " ") words.push(" ");
    else if (options.withoutComponents !== true || !isComponent(node)) {
      const text = ownText(node);
      if (text !== "") words.push(text);
      if (separatesWords(node)) stack.push(" ");
      for (const child of getChildren(node).toReversed()) stack.push(child);
    }
  }
  return words.join("").replaceAll(/\s+/g, " ").trim();
}

function isComponent(node: TreeNode): boolean {
  return isElement(node) && node.name !== "" && !/^[a-z]/.test(node.name);
}

function ownText(node: TreeNode): string {
  if (isElement(node) || node.type === "html") return "";
  if ("value" in node) return node.value;
  return "alt" in node ? node.alt : "";
}

function separatesWords(node: TreeNode): boolean {
  return isElement(node) ? node.isFlow || node.name === "br" : blocks.has(node.type);
}
