import { isElement, type ElementNode, type MarkdownNode, type TreeNode } from "../page/index.ts";
import { splitChildren } from "./children.ts";
import type { Component, ComponentContext } from "./component.ts";
import {
  joinAttributes,
  joinClassNames,
  escapeHtml,
  html,
  joinHtml,
  wrapInElement,
  type Html,
} from "../markup/index.ts";
import { readClassProp, readFlagProp, readStyleProp, readTextProp } from "./props.ts";

/** A file or folder in either of the two syntaxes. */
interface Entry {
  /** The HTML of the name. */
  readonly name: Html;
  readonly isFolder: boolean;
  readonly isOpen: boolean;
  /** Whether readers can expand and collapse the folder. */
  readonly canFold: boolean;
  readonly isHighlighted: boolean;
  /** The HTML of the list items in the folder. */
  readonly items: Html;
}

function renderEntry(entry: Entry, element: TreeNode, context: ComponentContext): Html {
  const icon = context.renderIcon(
    entry.isFolder ? "lucide:folder" : "lucide:file",
    {},
    element.position,
  );
  const className = joinClassNames(
    entry.isFolder ? "tree-folder" : "tree-file",
    entry.isHighlighted && "tree-highlight",
  );
  const itemAttributes = joinAttributes({ class: className });
  const name = html`<span class="tree-name">${icon}${entry.name}</span>`;
  const list = entry.items === "" ? "" : html`<ul>${entry.items}</ul>`;
  if (!entry.isFolder || !entry.canFold || list === "")
    return html`<li${itemAttributes}>${name}${list}</li>`;
  const detailsAttributes = joinAttributes({ class: "fold", open: entry.isOpen });
  return html`<li${itemAttributes}><details${detailsAttributes}><summary>${name}</summary>${list}</details></li>`;
}

function renderElementEntry(element: ElementNode, context: ComponentContext): Html {
  const { props } = element;
  const comment = wrapInElement(
    "span",
    "tree-comment",
    escapeHtml(readTextProp(props, "comment") ?? ""),
  );
  const isFolder = element.name === "Tree.Folder";
  return renderEntry(
    {
      name: html`${escapeHtml(readTextProp(props, "name") ?? "")}${comment}`,
      isFolder,
      isOpen:
        readFlagProp(props, "defaultOpen") === true || readFlagProp(props, "openable") === false,
      canFold: readFlagProp(props, "openable") !== false,
      isHighlighted: readFlagProp(props, "highlight") === true,
      items: renderItems(element.children, context),
    },
    element,
    context,
  );
}

/**
 * Renders an item of a Markdown list. The item's own text is the name, and lists within the item are the folder's
 * contents.
 */
function renderListItem(item: MarkdownNode<"listItem">, context: ComponentContext): Html {
  const { children } = item;
  const lists = children.filter((child) => child.type === "list");
  const rest = children.filter((child) => child.type !== "list");
  const text = context.getText(rest).trim();
  return renderEntry(
    {
      name: escapeHtml(text.replace(/\/$/, "")),
      isFolder: lists.length > 0 || text.endsWith("/"),
      isOpen: true,
      canFold: true,
      isHighlighted: false,
      items: renderItems(lists, context),
    },
    item,
    context,
  );
}

function isEntry(node: TreeNode): node is ElementNode | MarkdownNode<"list"> {
  if (!isElement(node)) return node.type === "list";
  return node.name === "Tree.Folder" || node.name === "Tree.File";
}

function renderList(list: MarkdownNode<"list">, context: ComponentContext): Html[] {
  const items = list.children.filter((child) => child.type === "listItem");
  return items.map((item) => renderListItem(item, context));
}

function renderItems(nodes: readonly TreeNode[], context: ComponentContext): Html {
  const items: Html[] = [];
  for (const part of splitChildren(nodes, isEntry)) {
    if (part.kind === "rest")
      items.push(html`<li class="tree-rest">${context.renderNodes(part.nodes)}</li>`);
    else if (isElement(part.node)) items.push(renderElementEntry(part.node, context));
    else items.push(...renderList(part.node, context));
  }
  return joinHtml(items);
}

/** Files and folders, written as components or as a Markdown list. */
export const tree: Component = {
  names: ["Tree", "FileTree"],
  render({ props, children }, context) {
    const attributes = joinAttributes({
      class: joinClassNames("tree", readClassProp(props)),
      style: readStyleProp(props),
    });
    const items = renderItems(children, context);
    return items === "" ? "" : html`<ul${attributes}>${items}</ul>`;
  },
};

/** A file or folder outside a Tree. */
export const treeEntry: Component = {
  names: ["Tree.Folder", "Tree.File"],
  render: (element, context) => html`<ul class="tree">${renderElementEntry(element, context)}</ul>`,
};
