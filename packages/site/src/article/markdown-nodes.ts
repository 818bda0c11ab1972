import { escapeHtml } from "../markup/index.ts";
import { isElement, type MarkdownNode, type TreeNode } from "../page/index.ts";
import { alertOf } from "./alert.ts";
import { renderHeading } from "./heading.ts";
import { renderLink, renderPicture } from "./link-elements.ts";
import type { NodeRenderer } from "./renderer.ts";

type RenderMarkdown = (node: MarkdownNode, renderer: NodeRenderer) => string;

/**
 * HTML of a Markdown node. Kinds nobody knows show their children, or their text.
 */
export function renderMarkdown(node: MarkdownNode, renderer: NodeRenderer): string {
  const render = renderers.get(node.type);
  if (render !== undefined) return render(node, renderer);
  return node.children === undefined ? escapeHtml(node.value ?? "") : inner(node, renderer);
}

function inner(node: MarkdownNode, renderer: NodeRenderer): string {
  return renderer.renderNodes(node.children ?? []);
}

function inElement(name: string): RenderMarkdown {
  return (node, renderer) => `<${name}>${inner(node, renderer)}</${name}>`;
}

const nothing: RenderMarkdown = () => "";

const renderers: ReadonlyMap<string, RenderMarkdown> = new Map<string, RenderMarkdown>([
  ["text", renderText],
  ["paragraph", renderParagraph],
  ["heading", renderMarkdownHeading],
  ["emphasis", inElement("em")],
  ["strong", inElement("strong")],
  ["delete", inElement("del")],
  ["superscript", inElement("sup")],
  ["subscript", inElement("sub")],
  ["blockquote", renderQuote],
  ["inlineCode", (node) => `<code>${escapeHtml(node.value ?? "")}</code>`],
  ["inlineMath", renderFormula],
  ["break", () => "<br>"],
  ["thematicBreak", () => "<hr>"],
  ["list", renderList],
  ["table", renderTable],
  ["code", (node, renderer) => renderer.renderCode(node)],
  ["link", (node, renderer) => renderLink(node, node, renderer)],
  ["linkReference", renderReference],
  ["image", (node, renderer) => renderPicture(node, node, renderer)],
  ["imageReference", renderReference],
  ["footnoteReference", renderFootnoteReference],
  // A comment says nothing to readers; other HTML of plain Markdown is shown as it was written.
  ["html", (node) => (/^\s*<!--/.test(node.value ?? "") ? "" : escapeHtml(node.value ?? ""))],
  ["notStatic", renderNotStatic],
  ["definition", nothing],
  ["footnoteDefinition", nothing],
  ["yaml", nothing],
  ["toml", nothing],
]);

function renderMarkdownHeading(node: MarkdownNode, renderer: NodeRenderer): string {
  const { depth, children = [] } = node;
  return renderHeading(
    { node, children, depth: typeof depth === "number" ? depth : 2, attributes: "", hasLink: true },
    renderer,
  );
}

/** A link or picture as an author meant it; Markdown wants such an address between `<` and `>`. */
const spacedLink = /\]\(([^\s()<>"'][^()<>"'\n]{0,300}? [^()<>"'\n]{0,300})\)/;

function renderText(node: MarkdownNode, renderer: NodeRenderer): string {
  const text = node.value ?? "";
  const target = text.includes("](") ? spacedLink.exec(text)?.[1] : undefined;
  if (target !== undefined) {
    const message = `This is shown as text, because its address has a space: write <${target}>, or %20 for the space.`;
    renderer.warn("link_with_space", message, node.place);
  }
  return escapeHtml(text);
}

function renderFormula(node: MarkdownNode, renderer: NodeRenderer): string {
  return renderer.formula(node.value ?? "", { isDisplay: node.isDisplay === true }, node.place);
}

/** What stands where only a script could have shown something. */
function renderNotStatic(node: MarkdownNode, renderer: NodeRenderer): string {
  const name = node.isFlow === true ? "p" : "span";
  return `<${name} class="not-static">${escapeHtml(renderer.words.interactiveOmitted)}</${name}>`;
}

function renderQuote(node: MarkdownNode, renderer: NodeRenderer): string {
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

function renderParagraph(node: MarkdownNode, renderer: NodeRenderer): string {
  return wrapInline("p", node.children ?? [], renderer);
}

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

function renderList(node: MarkdownNode, renderer: NodeRenderer): string {
  const items = (node.children ?? []).filter((child): child is MarkdownNode => !isElement(child));
  const isLoose = node.spread === true || items.some((item) => item.spread === true);
  let html = "";
  for (const item of items) html += renderItem(item, isLoose, renderer);
  if (node.ordered !== true) return `<ul>${html}</ul>`;
  const start = typeof node.start === "number" && node.start !== 1 ? ` start="${node.start}"` : "";
  return `<ol${start}>${html}</ol>`;
}

function renderItem(item: MarkdownNode, isLoose: boolean, renderer: NodeRenderer): string {
  const children = item.children ?? [];
  const parts = children.map((child) =>
    !isLoose && child.type === "paragraph"
      ? renderer.renderNodes(child.children ?? [])
      : renderer.renderNodes([child]),
  );
  if (typeof item.checked !== "boolean") return `<li>${parts.join("")}</li>`;
  const [text = "", ...rest] = parts;
  const box = `<input type="checkbox" disabled${item.checked ? " checked" : ""}>`;
  const isLine = children[0]?.type === "paragraph" && !block.test(text.replace(/^<p>/, ""));
  const label = isLine
    ? `<label>${box} ${text.replace(/^<p>|<\/p>$/g, "")}</label>`
    : `${box}${text}`;
  return `<li class="task">${label}${rest.join("")}</li>`;
}

/** Wide tables scroll within their frame, not the page. */
function renderTable(node: MarkdownNode, renderer: NodeRenderer): string {
  const [head, ...rows] = node.children ?? [];
  const aligns = Array.isArray(node.align) ? (node.align as readonly unknown[]) : [];
  if (head === undefined) return "";
  const body = rows.map((row) => renderRow(row, "td", aligns, renderer)).join("");
  return [
    '<div class="table"><table>',
    `<thead>${renderRow(head, "th", aligns, renderer)}</thead>`,
    body === "" ? "" : `<tbody>${body}</tbody>`,
    "</table></div>",
  ].join("");
}

function renderRow(
  row: TreeNode,
  name: "th" | "td",
  aligns: readonly unknown[],
  renderer: NodeRenderer,
): string {
  let html = "";
  for (const [index, cell] of (row.children ?? []).entries()) {
    const align = aligns[index];
    const style = align === "right" || align === "center" ? ` style="text-align:${align}"` : "";
    html += `<${name}${style}>${renderer.renderNodes(cell.children ?? [])}</${name}>`;
  }
  return `<tr>${html}</tr>`;
}

function renderReference(node: MarkdownNode, renderer: NodeRenderer): string {
  const definition = renderer.definitionOf(node);
  if (node.type === "linkReference") {
    return definition === undefined
      ? inner(node, renderer)
      : renderLink(node, definition, renderer);
  }
  const alt = typeof node.alt === "string" ? node.alt : "";
  return definition === undefined ? escapeHtml(alt) : renderPicture(node, definition, renderer);
}

function renderFootnoteReference(node: MarkdownNode, renderer: NodeRenderer): string {
  const reference = renderer.referToFootnote(node);
  if (reference === undefined) {
    return escapeHtml(`[^${typeof node.label === "string" ? node.label : ""}]`);
  }
  const { number, id } = reference;
  if (renderer.isWithinLink) return `<sup id="${id}">${number}</sup>`;
  return `<sup><a class="footnote" id="${id}" href="#footnote-${number}">${number}</a></sup>`;
}
