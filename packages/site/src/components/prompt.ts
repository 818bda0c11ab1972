import {
  joinAttributes,
  joinClassNames,
  escapeHtml,
  html,
  wrapInElement,
} from "../markup/index.ts";
import { getChildren, isElement } from "../page/index.ts";
import type { MarkdownNode, TreeNode } from "../page/index.ts";
import { formatFencedCode } from "../text/index.ts";
import type { Component, ComponentContext } from "./component.ts";
import { readClassProp, readListProp, readTextProp } from "./props.ts";

const knownActions: ReadonlySet<string> = new Set(["copy", "cursor"]);

/**
 * A prompt for a language model, which readers can copy. The text is collapsed below its description. The client script
 * adds a button to `.prompt-actions` for each action in `data-actions`. The buttons use the text of `.prompt-text`.
 */
export const prompt: Component = {
  names: ["Prompt"],
  render({ props, position, children }, context) {
    const type = readTextProp(props, "iconType");
    const icon = context.renderIcon(props.icon, type === undefined ? {} : { type }, position);
    const requestedActions = readListProp(props, "actions").filter((action) =>
      knownActions.has(action),
    );
    const actions = requestedActions.length === 0 ? ["copy"] : requestedActions;
    const attributes = joinAttributes({
      class: joinClassNames("prompt", readClassProp(props)),
      "data-prompt": true,
    });
    const description =
      context.renderValue(props.description, position) || escapeHtml(context.words.prompt);
    const text = escapeHtml(formatPromptText(children, context));
    const head = html`${icon}${wrapInElement("span", "prompt-description", description)}`;
    const buttons = html`<div class="prompt-actions"${joinAttributes({ "data-actions": actions.join(" ") })}></div>`;
    return html`<div${attributes}><details class="fold"><summary>${head}</summary><pre class="prompt-text">${text}</pre></details>${buttons}</div>`;
  },
};

/**
 * Formats the text of a prompt. Keeps the Markdown that its author typed, because people paste it into tools that read
 * Markdown. Replaces elements with their content.
 */
export function formatPromptText(nodes: readonly TreeNode[], context: ComponentContext): string {
  return formatBlocks(nodes, context, "\n\n").trim();
}

/** Formats blocks, joined with `gap`. A run of inline nodes between blocks is treated as one block. */
function formatBlocks(nodes: readonly TreeNode[], context: ComponentContext, gap: string): string {
  const texts: string[] = [];
  let line = "";
  function endLine(): void {
    if (line.trim() !== "") texts.push(line.trim());
    line = "";
  }
  for (const node of nodes) {
    const block = formatBlock(node, context);
    if (block === undefined) {
      line += formatInlineNodes([node], context);
      continue;
    }
    endLine();
    if (block !== "") texts.push(block);
  }
  endLine();
  return texts.join(gap);
}

/** Formats a block. Returns undefined for an inline node. */
function formatBlock(node: TreeNode, context: ComponentContext): string | undefined {
  if (isElement(node))
    return node.isFlow ? formatBlocks(node.children, context, "\n\n") : undefined;
  switch (node.type) {
    case "paragraph":
      return formatInlineNodes(node.children, context).trim();
    case "heading":
      return `${"#".repeat(node.depth)} ${formatInlineNodes(node.children, context).trim()}`;
    case "list":
      return formatList(node, context);
    case "blockquote":
      return prefixLines(formatBlocks(node.children, context, "\n\n"), "> ", "> ");
    case "code":
      return formatFencedCode(node.value, node.lang ?? "");
    case "thematicBreak":
      return "---";
    case "table":
      return context.getText([node]).trim();
    default:
      return undefined;
  }
}

function formatList(list: MarkdownNode<"list">, context: ComponentContext): string {
  const first = list.start ?? 1;
  const items = list.children.map((item, index) => {
    const marker = list.ordered ? `${first + index}. ` : "- ";
    return prefixLines(
      formatBlocks(getChildren(item), context, "\n"),
      marker,
      " ".repeat(marker.length),
    );
  });
  return items.join("\n");
}

function prefixLines(text: string, first: string, rest: string): string {
  return first + text.replaceAll("\n", `\n${rest}`);
}

function formatInlineNodes(nodes: readonly TreeNode[], context: ComponentContext): string {
  return nodes.map((node) => formatInlineNode(node, context)).join("");
}

function formatInlineNode(node: TreeNode, context: ComponentContext): string {
  if (isElement(node)) return formatInlineNodes(node.children, context);
  switch (node.type) {
    case "text":
      return node.value;
    case "inlineCode":
      return `\`${node.value}\``;
    case "strong":
      return `**${formatInlineNodes(node.children, context)}**`;
    case "emphasis":
      return `*${formatInlineNodes(node.children, context)}*`;
    case "link":
      return `[${formatInlineNodes(node.children, context)}](${node.url})`;
    case "break":
      return "\n";
    default: {
      const children = getChildren(node);
      return children.length > 0 ? formatInlineNodes(children, context) : context.getText([node]);
    }
  }
}
