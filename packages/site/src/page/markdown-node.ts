import { isElement, type MarkdownNode, type Place, type TreeNode } from "./tree.ts";
import type { EvaluationContext } from "./script/evaluation-context.ts";
import type { RawNode } from "./raw-node.ts";

const blocks = new Set(
  "paragraph heading list code blockquote table thematicBreak math".split(" "),
);

function isBlock(node: TreeNode): boolean {
  return blocks.has(node.type);
}

/**
 * A snippet of several blocks, used within a line, would put paragraphs into a paragraph: splits the
 * outer one into the text before, the blocks, and the text after.
 */
export function splitParagraph(paragraph: MarkdownNode<"paragraph">): readonly TreeNode[] {
  const { children } = paragraph;
  if (!children.some(isBlock)) return [paragraph];
  const nodes: TreeNode[] = [];
  let line: TreeNode[] = [];
  const endLine = () => {
    if (line.some(isVisible)) nodes.push({ ...paragraph, children: line });
    line = [];
  };
  for (const child of children) {
    if (isBlock(child)) {
      endLine();
      nodes.push(child);
    } else line.push(child);
  }
  endLine();
  return nodes;
}

const inline = new Set(
  "text emphasis strong delete inlineCode link linkReference image imageReference break footnoteReference inlineMath".split(
    " ",
  ),
);

/** Wraps inline nodes in a paragraph where they replace an element on lines of its own. */
export function wrapInlineNodes(
  nodes: readonly TreeNode[],
  { isFlow, place }: { readonly isFlow: boolean; readonly place: Place },
): readonly TreeNode[] {
  if (!isFlow || !nodes.some(isVisible) || !nodes.every(isInline)) return nodes;
  return [{ type: "paragraph", children: nodes, place }];
}

export function isInline(node: TreeNode): boolean {
  if (isElement(node) || node.type === "component" || node.type === "componentSlot")
    return !node.isFlow;
  return inline.has(node.type);
}

function isVisible(node: TreeNode): boolean {
  return node.type !== "text" || /\S/.test(node.value);
}

/**
 * The parser drops the space in `{a} {b}` if a line contains nothing but expressions and elements. Adds it
 * to `before`, the nodes that the expression `node` is about to follow.
 */
export function restoreSpaceBefore(
  before: TreeNode[],
  node: RawNode,
  context: EvaluationContext,
): void {
  const last = before.at(-1);
  if (!context.isFlow || last === undefined || (last.type !== "text" && !isElement(last))) return;
  const start = node.position?.start.offset ?? 0;
  if (/\s/.test(context.file.text.charAt(start - 1))) {
    before.push({ type: "text", value: "\n", place: context.place });
  }
}
