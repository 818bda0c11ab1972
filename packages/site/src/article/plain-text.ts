import { childrenOf, isElement, type TreeNode } from "../page/index.ts";

/** Nodes after which words do not run together. */
const blocks = new Set(
  "paragraph heading blockquote list listItem table tableRow tableCell code thematicBreak break".split(
    " ",
  ),
);

/**
 * The words of nodes without markup, blank runs folded, ends trimmed. `withoutComponents` leaves out
 * `<Icon/>`, `<Badge>` and the like with their content, as ids of headings do; HTML elements count as text.
 */
export function plainText(
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
      if (endsWords(node)) stack.push(" ");
      for (const child of childrenOf(node).toReversed()) stack.push(child);
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

function endsWords(node: TreeNode): boolean {
  return isElement(node) ? node.isFlow || node.name === "br" : blocks.has(node.type);
}
