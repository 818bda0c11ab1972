import { isElement, type ElementNode, type MarkdownNode, type TreeNode } from "../page/index.ts";

/** A part of a parent's children: a wanted node, or all nodes between two wanted nodes. */
type ChildPart<Wanted extends TreeNode = TreeNode> =
  | { readonly kind: "wanted"; readonly node: Wanted }
  | { readonly kind: "rest"; readonly nodes: readonly TreeNode[] };

/**
 * Splits children, in order, into the nodes that the parent expects (e.g. each Step in Steps, each Tab in Tabs) and
 * everything between them. Wanted nodes are also found in fragments and paragraphs, because snippets and lines with
 * several components produce such wrappers. Only whitespace is lost.
 */
export function splitChildren<Wanted extends TreeNode>(
  nodes: readonly TreeNode[],
  isWanted: (node: TreeNode) => node is Wanted,
): readonly ChildPart<Wanted>[] {
  const parts: ChildPart<Wanted>[] = [];
  let rest: TreeNode[] = [];

  function endRest(): void {
    if (rest.some((node) => !isBlankText(node))) parts.push({ kind: "rest", nodes: rest });
    rest = [];
  }
  function visit(node: TreeNode): void {
    if (isWanted(node)) {
      endRest();
      parts.push({ kind: "wanted", node });
      return;
    }
    if (isElement(node)) {
      if (node.name === "") node.children.forEach(visit);
      else rest.push(node);
      return;
    }
    const inner = node.type === "paragraph" ? splitChildren(node.children, isWanted) : [];
    if (node.type !== "paragraph" || !inner.some((part) => part.kind === "wanted")) {
      rest.push(node);
      return;
    }
    for (const part of inner) {
      if (part.kind === "wanted") visit(part.node);
      else rest.push({ ...node, children: part.nodes });
    }
  }

  nodes.forEach(visit);
  endRest();
  return parts;
}

/** Returns a function that reports whether a node is one of the named components. */
export function createNameTest(
  ...names: readonly string[]
): (node: TreeNode) => node is ElementNode {
  return (node): node is ElementNode => isElement(node) && names.includes(node.name);
}

/** Reports whether a node is a fenced or indented code block. */
export function isCode(node: TreeNode): node is MarkdownNode<"code"> {
  return node.type === "code";
}

/** Reports whether a node is text that consists only of white space and therefore shows nothing. */
export function isBlankText(node: TreeNode): boolean {
  return node.type === "text" && node.value.trim() === "";
}

/** Removes paragraphs around children, for contexts that allow only phrasing content, such as a line of text. */
export function unwrapParagraphs(nodes: readonly TreeNode[]): readonly TreeNode[] {
  const inlineNodes: TreeNode[] = [];
  for (const node of nodes) {
    if (node.type === "paragraph") inlineNodes.push(...node.children);
    else if (node.type === "componentSlot")
      inlineNodes.push({ ...node, children: unwrapParagraphs(node.children) });
    else inlineNodes.push(node);
  }
  return inlineNodes;
}
