import { getChildren, isElement, type TreeNode } from "../page/index.ts";

/** The types of nodes that separate words. */
const blockTypes = new Set(
  "paragraph heading blockquote list listItem table tableRow tableCell code thematicBreak break".split(
    " ",
  ),
);

/**
 * Returns the text of nodes without markup, with white space collapsed and trimmed. `withoutComponents`, which is used
 * for the ids of headings, omits components such as `<Icon/>` and `<Badge>` with their content, but not HTML elements.
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
      const text = getOwnText(node);
      if (text !== "") words.push(text);
      if (isWordSeparator(node)) stack.push(" ");
      for (const child of getChildren(node).toReversed()) stack.push(child);
    }
  }
  return words.join("").replaceAll(/\s+/g, " ").trim();
}

function isComponent(node: TreeNode): boolean {
  return isElement(node) && node.name !== "" && !/^[a-z]/.test(node.name);
}

function getOwnText(node: TreeNode): string {
  if (isElement(node) || node.type === "html") return "";
  if ("value" in node) return node.value;
  return "alt" in node ? node.alt : "";
}

function isWordSeparator(node: TreeNode): boolean {
  return isElement(node) ? node.isFlow || node.name === "br" : blockTypes.has(node.type);
}
