import type { ElementNode, MarkdownNode, Place, TreeNode } from "../tree.ts";

/** Components that read their children: the browser shows them as they were first shown, children included. */
const readers = new Set(
  "Tabs CodeGroup Steps Tree Tree.Folder FileTree Color Color.Row RequestExample ResponseExample CodeBlock Prompt Latex".split(
    " ",
  ),
);

/**
 * Marks one of the format's components inside a component that lives in the browser, which has no code of it: what it
 * first showed is moved to where it is shown, and gets the children that it has then.
 */
export function shellOf(element: ElementNode): MarkdownNode<"componentSlot"> {
  const { name, children, isFlow, place } = element;
  const inner = readers.has(name)
    ? children.flatMap(withoutShells)
    : [slot("<>", children, { isFlow, place })];
  return slot(`<${name}>`, [{ ...element, children: inner }], { isFlow, place });
}

/** Likewise for an imported file of Markdown. */
export function shellAround(
  path: string,
  nodes: readonly TreeNode[],
  at: { readonly isFlow: boolean; readonly place: Place },
): MarkdownNode<"componentSlot"> {
  return slot(`<${path}>`, nodes, at);
}

function slot(
  name: string,
  children: readonly TreeNode[],
  { isFlow, place }: { readonly isFlow: boolean; readonly place: Place },
): MarkdownNode<"componentSlot"> {
  return { type: "componentSlot", name, isFlow, isHidden: false, place, children };
}

function withoutShells(node: TreeNode): readonly TreeNode[] {
  if (!("children" in node)) return [node];
  const children = node.children.flatMap(withoutShells);
  if (node.type === "componentSlot" && node.name.startsWith("<")) return children;
  return [{ ...node, children }];
}
