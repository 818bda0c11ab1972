import {
  getChildren,
  type ElementNode,
  type MarkdownNode,
  type Props,
  type TreeNode,
} from "../page/index.ts";
import { isCode } from "./children.ts";
import type { Component } from "./component.ts";
import { readFlagProp, readListProp, readTextProp } from "./props.ts";

/** The attributes that have the same names in a fence's info string. */
const textAttributes = ["icon", "iconType"] as const;
const flagAttributes = ["lines", "wrap", "nocopy", "expandable"] as const;
const lineListAttributes = ["highlight", "focus"] as const;

/** Returns the fence equivalent to a `CodeBlock`, which authors use inside their own components. */
export function toCodeNode(element: ElementNode): MarkdownNode<"code"> {
  const { props, position, children } = element;
  const inner = children.find(isCode);
  const value = inner?.value ?? collectSource(children);
  return {
    type: "code",
    lang: readTextProp(props, "language") ?? inner?.lang,
    meta: formatMeta(props),
    value: value.replace(/^\n+|\s+$/g, ""),
    position,
  };
}

/** Collects the text of the children, preserving line breaks and with a blank line between paragraphs. */
function collectSource(nodes: readonly TreeNode[]): string {
  const parts: string[] = [];
  const stack = nodes.toReversed();
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node.type === "paragraph" && parts.length > 0) parts.push("\n\n");
    if ("value" in node) parts.push(node.value);
    for (const child of getChildren(node).toReversed()) stack.push(child);
  }
  return parts.join("");
}

function formatMeta(props: Props): string {
  const parts: string[] = [];
  const add = (name: string, value: string | undefined) => {
    // Double quotation marks cannot be escaped in an info string, so they are replaced.
    if (value !== undefined) parts.push(`${name}="${value.replaceAll('"', "'")}"`);
  };
  add("title", readTextProp(props, "filename") ?? readTextProp(props, "title"));
  for (const name of textAttributes) add(name, readTextProp(props, name));
  for (const name of flagAttributes) add(name, readFlagProp(props, name)?.toString());
  for (const name of lineListAttributes)
    add(name, readListProp(props, name).join(",") || undefined);
  return parts.join(" ");
}

/** A code block that is authored as an element. It is rendered like a fence. */
export const codeBlock: Component = {
  names: ["CodeBlock"],
  render: (element, context) => context.renderNodes([toCodeNode(element)]),
};
