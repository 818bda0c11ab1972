import { markdownToMdast } from "satteri";
import { readMarkdownNode, type FilePosition, type RawNode, type TreeNode } from "../page/index.ts";

/** Longer values are shown as plain text. Captions and titles of real sites are far shorter. */
const maxLength = 4_000;
/** A value without any of these characters is plain text. */
const markupCharacter = /[*_`~[\\]/;

/**
 * Parses the text of an attribute as inline Markdown, such as a caption with `**bold**` or a link. Returns undefined
 * for plain text, and for text that Markdown would not parse as one paragraph (`1. Install` is a title, not a list).
 */
export function parseInlineValue(
  text: string,
  place: FilePosition,
): readonly TreeNode[] | undefined {
  if (!markupCharacter.test(text) || text.length > maxLength) return undefined;
  const root: RawNode = markdownToMdast(text);
  const [first, ...others] = root.children ?? [];
  if (first?.type !== "paragraph" || others.length > 0) return undefined;
  return readNodesAt(place, first.children ?? []);
}

/** Converts nodes. All of them get the element's position, because positions within the attribute are unknown. */
function readNodesAt(place: FilePosition, nodes: readonly RawNode[]): readonly TreeNode[] {
  return nodes.map((node) =>
    readMarkdownNode(node, {
      place,
      children: readNodesAt(place, node.children ?? []),
    }),
  );
}
