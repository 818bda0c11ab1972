import { escapeHtml } from "../markup/index.ts";
import {
  childrenOf,
  type MarkdownNode,
  type MarkdownType,
  type TableAlignment,
  type TreeNode,
} from "../page/index.ts";
import { alertOf } from "./alert.ts";
import { renderHeading } from "./heading.ts";
import { renderLink, renderPicture } from "./link-elements.ts";
import type { NodeRenderer } from "./renderer.ts";

type Render<Type extends MarkdownType> = (
  node: MarkdownNode<Type>,
  renderer: NodeRenderer,
) => string;

/** HTML of a Markdown node. */
export function renderMarkdown<Type extends MarkdownType>(
  node: MarkdownNode<Type>,
  renderer: NodeRenderer,
): string {
  return renderers[node.type](node, renderer);
}

interface Parent {
  readonly children: readonly TreeNode[];
}

function inner({ children }: Parent, renderer: NodeRenderer): string {
  return renderer.renderNodes(children);
}

function inElement(name: string): (node: Parent, renderer: NodeRenderer) => string {
  return (node, renderer) => `<${name}>${inner(node, renderer)}</${name}>`;
}

const nothing = () => "";

const renderers: { readonly [Type in MarkdownType]: Render<Type> } = {
  text: renderText,
  paragraph: ({ children }, renderer) => wrapInline("p", children, renderer),
  heading: (node, renderer) =>
    renderHeading(
      { node, children: node.children, depth: node.depth, attributes: "", hasLink: true },
      renderer,
    ),
  emphasis: inElement("em"),
  strong: inElement("strong"),
  delete: inElement("del"),
  blockquote: renderQuote,
  inlineCode: ({ value }) => `<code>${escapeHtml(value)}</code>`,
  inlineMath: ({ value, isDisplay, place }, renderer) =>
    renderer.formula(value, { isDisplay }, place),
  break: () => "<br>",
  thematicBreak: () => "<hr>",
  list: renderList,
  listItem: inner,
  table: renderTable,
  tableRow: inner,
  tableCell: inner,
  code: (node, renderer) => renderer.code.render(node),
  link: (node, renderer) => renderLink(node, node, renderer),
  linkReference: (node, renderer) => {
    const definition = renderer.links.definitionOf(node);
    return definition === undefined
      ? inner(node, renderer)
      : renderLink(node, definition, renderer);
  },
  image: (node, renderer) => renderPicture(node, node, renderer),
  imageReference: (node, renderer) => {
    const definition = renderer.links.definitionOf(node);
    return definition === undefined
      ? escapeHtml(node.alt)
      : renderPicture(node, definition, renderer);
  },
  footnoteReference: renderFootnoteReference,
  // A comment says nothing to readers; other HTML of plain Markdown is shown as it was written.
  html: ({ value }) => (/^\s*<!--/.test(value) ? "" : escapeHtml(value)),
  notStatic: renderNotStatic,
  definition: nothing,
  footnoteDefinition: nothing,
  other: inner,
};

/** A link or picture as an author meant it; Markdown wants such an address between `<` and `>`. */
const spacedLink = /\]\(([^\s()<>"'][^()<>"'\n]{0,300}? [^()<>"'\n]{0,300})\)/;

function renderText(node: MarkdownNode<"text">, renderer: NodeRenderer): string {
  const text = node.value;
  const target = text.includes("](") ? spacedLink.exec(text)?.[1] : undefined;
  if (target !== undefined) {
    const message = `This is shown as text, because its address has a space: write <${target}>, or %20 for the space.`;
    renderer.problems.warn("link_with_space", message, node.place);
  }
  return escapeHtml(text);
}

/** What stands where only a script could have shown something. */
function renderNotStatic(node: MarkdownNode<"notStatic">, renderer: NodeRenderer): string {
  const name = node.isFlow ? "p" : "span";
  return `<${name} class="not-static">${escapeHtml(renderer.words.interactiveOmitted)}</${name}>`;
}

function renderQuote(node: MarkdownNode<"blockquote">, renderer: NodeRenderer): string {
  const alert = node.place.file.endsWith(".md") ? alertOf(node) : undefined;
  const callout = alert && renderer.componentOf(alert.name);
  return callout
    ? callout.render(alert, renderer)
    : `<blockquote>${inner(node, renderer)}</blockquote>`;
}

/** Elements that end a paragraph where they begin: browsers close `<p>` before each of them. */
const block =
  /<(?:address|article|aside|blockquote|center|dd|details|dialog|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]|header|hr|li|main|menu|nav|ol|p|pre|search|section|summary|table|ul)[\s>]/;

/** Children of these kinds never hold an element. */
const plainKinds = new Set("text inlineCode inlineMath break image footnoteReference".split(" "));

/** `<name>` around what may stand in a line; what may not stands between, so that tags nest as written. */
export function wrapInline(
  name: string,
  children: readonly TreeNode[],
  renderer: NodeRenderer,
): string {
  if (children.every((child) => plainKinds.has(child.type))) {
    const html = renderer.renderNodes(children);
    return html === "" ? "" : `<${name}>${html}</${name}>`;
  }
  let html = "";
  let line = "";
  const endLine = () => {
    if (line.trim() !== "") html += `<${name}>${line.trim()}</${name}>`;
    line = "";
  };
  for (const child of children) {
    const part = renderer.renderNodes([child]);
    if (plainKinds.has(child.type) || !block.test(part)) {
      line += part;
      continue;
    }
    endLine();
    html += part;
  }
  endLine();
  return html;
}

function renderList(node: MarkdownNode<"list">, renderer: NodeRenderer): string {
  const items = node.children.filter((child) => child.type === "listItem");
  const isLoose = node.spread || items.some((item) => item.spread);
  let html = "";
  for (const item of items) html += renderItem(item, isLoose, renderer);
  if (!node.ordered) return `<ul>${html}</ul>`;
  const start = node.start !== undefined && node.start !== 1 ? ` start="${node.start}"` : "";
  return `<ol${start}>${html}</ol>`;
}

function renderItem(
  { children, checked }: MarkdownNode<"listItem">,
  isLoose: boolean,
  renderer: NodeRenderer,
): string {
  const parts = children.map((child) =>
    !isLoose && child.type === "paragraph"
      ? renderer.renderNodes(child.children)
      : renderer.renderNodes([child]),
  );
  if (checked === undefined) return `<li>${parts.join("")}</li>`;
  const [text = "", ...rest] = parts;
  const box = `<input type="checkbox" disabled${checked ? " checked" : ""}>`;
  const isLine = children[0]?.type === "paragraph" && !block.test(text.replace(/^<p>/, ""));
  const label = isLine
    ? `<label>${box} ${text.replace(/^<p>|<\/p>$/g, "")}</label>`
    : `${box}${text}`;
  return `<li class="task">${label}${rest.join("")}</li>`;
}

/** Wide tables scroll within their frame, not the page. */
function renderTable({ children, align }: MarkdownNode<"table">, renderer: NodeRenderer): string {
  const [head, ...rows] = children;
  if (head === undefined) return "";
  const body = rows.map((row) => renderRow(row, "td", align, renderer)).join("");
  return [
    '<div class="table"><table>',
    `<thead>${renderRow(head, "th", align, renderer)}</thead>`,
    body === "" ? "" : `<tbody>${body}</tbody>`,
    "</table></div>",
  ].join("");
}

function renderRow(
  row: TreeNode,
  name: "th" | "td",
  aligns: readonly TableAlignment[],
  renderer: NodeRenderer,
): string {
  let html = "";
  for (const [index, cell] of childrenOf(row).entries()) {
    const align = aligns[index];
    const style = align === "right" || align === "center" ? ` style="text-align:${align}"` : "";
    html += `<${name}${style}>${renderer.renderNodes(childrenOf(cell))}</${name}>`;
  }
  return `<tr>${html}</tr>`;
}

function renderFootnoteReference(
  node: MarkdownNode<"footnoteReference">,
  renderer: NodeRenderer,
): string {
  const reference = renderer.referToFootnote(node);
  if (reference === undefined) return escapeHtml(`[^${node.label}]`);
  const { number, id } = reference;
  if (renderer.links.isWithinLink) return `<sup id="${id}">${number}</sup>`;
  return `<sup><a class="footnote" id="${id}" href="#footnote-${number}">${number}</a></sup>`;
}
