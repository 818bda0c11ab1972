import { markdownToMdast } from "satteri";
import { readMarkdownNode, type Place, type RawNode, type TreeNode } from "../page/index.ts";

/** Longer values are shown as they are: no caption or title of real sites comes near. */
const maxLength = 4_000;
/** A value without any of these has no markup worth looking for. */
const markup = /[*_`~[\\]/;

/**
 * An attribute's text as inline Markdown: a caption with `**bold**` or a link. Undefined where it is plain,
 * or reads as something other than one paragraph (`1. Install` is a title, not a list).
 */
export function parseInlineValue(text: string, place: Place): readonly TreeNode[] | undefined {
  if (!markup.test(text) || text.length > maxLength) return undefined;
  const root: RawNode = markdownToMdast(text);
  const [first, ...others] = root.children ?? [];
  if (first?.type !== "paragraph" || others.length > 0) return undefined;
  return nodesAt(place, first.children ?? []);
}

/** Places within the attribute would point nowhere; all get the element's. */
function nodesAt(place: Place, nodes: readonly RawNode[]): readonly TreeNode[] {
  return nodes.map((node) =>
    readMarkdownNode(node, {
      place,
      children: nodesAt(place, node.children ?? []),
    }),
  );
}
