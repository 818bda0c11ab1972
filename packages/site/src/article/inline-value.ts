import { markdownToMdast } from "satteri";
import type { MarkdownNode, Place, TreeNode } from "../page/index.ts";

/** Longer values are shown as they are: no caption or title of real sites comes near. */
const maxLength = 4_000;
/** A value without any of these has no markup worth looking for. */
const markup = /[*_`~[\\]/;

type MdastNode = Readonly<Record<string, unknown>> & { readonly type: string };

/**
 * An attribute's text as inline Markdown: a caption with `**bold**` or a link. Undefined where it is plain,
 * or reads as something other than one paragraph (`1. Install` is a title, not a list).
 */
export function parseInlineValue(text: string, place: Place): readonly TreeNode[] | undefined {
  if (!markup.test(text) || text.length > maxLength) return undefined;
  const root = markdownToMdast(text) as unknown as MdastNode;
  const [first, ...others] = childrenOf(root);
  if (first?.type !== "paragraph" || others.length > 0) return undefined;
  return withPlace(first, place).children;
}

/** Places within the attribute would point nowhere; all get the element's. */
function withPlace(node: MdastNode, place: Place): MarkdownNode {
  if (!Array.isArray(node.children)) return { ...node, place };
  return { ...node, place, children: childrenOf(node).map((child) => withPlace(child, place)) };
}

function childrenOf(node: MdastNode): readonly MdastNode[] {
  return Array.isArray(node.children) ? (node.children as readonly MdastNode[]) : [];
}
