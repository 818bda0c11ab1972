import {
  joinAttributes,
  buildElement,
  escapeHtml,
  trustHtml,
  html,
  joinHtml,
  trimHtml,
  replaceHtml,
  type Html,
} from "../markup/index.ts";
import {
  getChildren,
  type MarkdownNode,
  type MarkdownType,
  type TableAlignment,
  type TreeNode,
  type ElementNode,
} from "../page/index.ts";
import { renderHeading } from "./heading.ts";
import { renderLink, renderImage } from "./links-and-images.ts";
import type { NodeRenderer } from "./renderer.ts";

type Render<Type extends MarkdownType> = (node: MarkdownNode<Type>, renderer: NodeRenderer) => Html;

/** The callouts that look like the five alerts of GitHub's Markdown, by alert. */
const callouts: ReadonlyMap<string, string> = new Map([
  ["NOTE", "Note"],
  ["TIP", "Tip"],
  ["IMPORTANT", "Info"],
  ["WARNING", "Warning"],
  ["CAUTION", "Danger"],
]);

/** The marker of an alert, on a line of its own. */
const alertMark = /^\[!([A-Z]{3,9})\][ \t]*(?:\n|$)/i;

/** Renders a Markdown node. */
export function renderMarkdownNode<Type extends MarkdownType>(
  node: MarkdownNode<Type>,
  renderer: NodeRenderer,
): Html {
  return renderers[node.type](node, renderer);
}

interface Parent {
  readonly children: readonly TreeNode[];
}

function renderChildren({ children }: Parent, renderer: NodeRenderer): Html {
  return renderer.renderNodes(children);
}

function renderInElement(name: string): (node: Parent, renderer: NodeRenderer) => Html {
  return (node, renderer) => buildElement(name, "", renderChildren(node, renderer));
}

const nothing = (): Html => "";

const renderers: { readonly [Type in MarkdownType]: Render<Type> } = {
  text: renderText,
  paragraph: ({ children }, renderer) => wrapInline("p", children, renderer),
  heading: (node, renderer) =>
    renderHeading(
      { node, children: node.children, depth: node.depth, attributes: "", hasLink: true },
      renderer,
    ),
  emphasis: renderInElement("em"),
  strong: renderInElement("strong"),
  delete: renderInElement("del"),
  blockquote: renderQuote,
  inlineCode: ({ value }) => html`<code>${escapeHtml(value)}</code>`,
  inlineMath: ({ value, isDisplay, place }, renderer) =>
    renderer.formula(value, { isDisplay }, place),
  break: () => html`<br>`,
  thematicBreak: () => html`<hr>`,
  list: renderList,
  listItem: renderChildren,
  table: renderTable,
  tableRow: renderChildren,
  tableCell: renderChildren,
  code: (node, renderer) => renderer.code.render(node),
  link: (node, renderer) => renderLink(node, node, renderer),
  linkReference: (node, renderer) => {
    const definition = renderer.links.definitionOf(node);
    return definition === undefined
      ? renderChildren(node, renderer)
      : renderLink(node, definition, renderer);
  },
  image: (node, renderer) => renderImage(node, node, renderer),
  imageReference: (node, renderer) => {
    const definition = renderer.links.definitionOf(node);
    return definition === undefined
      ? escapeHtml(node.alt)
      : renderImage(node, definition, renderer);
  },
  footnoteReference: renderFootnoteReference,
  // Comments are removed. Other HTML is shown as text here.
  html: ({ value }) => (/^\s*<!--/.test(value) ? "" : escapeHtml(value)),
  component: renderComponent,
  componentSlot: renderComponentSlot,
  definition: nothing,
  footnoteDefinition: nothing,
  other: renderChildren,
};

/** Matches a link or picture with a space in its address, for which Markdown requires `<` and `>`. */
const spacedLink = /\]\(([^\s()<>"'][^()<>"'\n]{0,300}? [^()<>"'\n]{0,300})\)/;

function renderText(node: MarkdownNode<"text">, renderer: NodeRenderer): Html {
  const text = node.value;
  const target = text.includes("](") ? spacedLink.exec(text)?.[1] : undefined;
  if (target !== undefined) {
    const message = `This link is shown as text because its address has a space; write <${target}>, or %20 for the space.`;
    renderer.problems.warn("link_with_space", message, node.place);
  }
  return escapeHtml(text);
}

/** Renders the initial state of a component, on which the client script mounts the component. */
function renderComponent(node: MarkdownNode<"component">, renderer: NodeRenderer): Html {
  const render = () => renderChildren(node, renderer);
  const { html: content, addresses } = renderer.links.collectAddresses(render);
  const written = JSON.stringify(addresses);
  const start = joinAttributes({
    class: "component",
    "data-module": node.module,
    "data-use": String(node.use),
    "data-props": node.props === "{}" ? undefined : node.props,
    "data-addresses": written === "{}" ? undefined : written,
  });
  return buildElement(node.isFlow ? "div" : "span", start, content);
}

/** Renders content between comments instead of in an element, so that the styles around it apply to it. */
function renderComponentSlot(node: MarkdownNode<"componentSlot">, renderer: NodeRenderer): Html {
  const { name, isHidden, isFlow } = node;
  // The browser moves content of the page instead of rendering it again, so its addresses are not needed.
  const content = name.includes("#")
    ? renderChildren(node, renderer)
    : renderer.links.collectAddresses(() => renderChildren(node, renderer)).html;
  if (!isHidden) {
    // Only `>` can end a comment, so nothing else is escaped.
    const label = trustHtml(name.replaceAll(">", "&gt;"));
    return html`<!--slot ${label}-->${content}<!--/slot-->`;
  }
  const start = joinAttributes({ class: "component-slot", "data-slot": name, hidden: true });
  return buildElement(isFlow ? "div" : "span", start, content);
}

function renderQuote(node: MarkdownNode<"blockquote">, renderer: NodeRenderer): Html {
  const alert = toCallout(node);
  const callout = alert && renderer.componentOf(alert.name);
  return callout
    ? callout.render(alert, renderer)
    : html`<blockquote>${renderChildren(node, renderer)}</blockquote>`;
}

/** Matches elements that end a paragraph, because browsers close `<p>` before each of them. */
const block =
  /<(?:address|article|aside|blockquote|center|dd|details|dialog|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]|header|hr|li|main|menu|nav|ol|p|pre|search|section|summary|table|ul)[\s>]/;

/** The kinds of children that never contain an element. */
const plainKinds = new Set("text inlineCode inlineMath break image footnoteReference".split(" "));

/** Wraps runs of inline children in `<name>`. Block elements stay outside, because browsers would move them there. */
function wrapInline(name: string, children: readonly TreeNode[], renderer: NodeRenderer): Html {
  if (children.every((child) => plainKinds.has(child.type))) {
    const markup = renderer.renderNodes(children);
    return markup === "" ? "" : buildElement(name, "", markup);
  }
  const parts: Html[] = [];
  let line: Html[] = [];
  const endLine = () => {
    const content = trimHtml(joinHtml(line));
    if (content !== "") parts.push(buildElement(name, "", content));
    line = [];
  };
  for (const child of children) {
    const part = renderer.renderNodes([child]);
    if (plainKinds.has(child.type) || !block.test(part)) {
      line.push(part);
      continue;
    }
    endLine();
    parts.push(part);
  }
  endLine();
  return joinHtml(parts);
}

function renderList(node: MarkdownNode<"list">, renderer: NodeRenderer): Html {
  const items = node.children.filter((child) => child.type === "listItem");
  const isLooseList = node.spread || items.some((item) => item.spread);
  const markup = joinHtml(items.map((item) => renderItem(item, isLooseList, renderer)));
  if (!node.ordered) return html`<ul>${markup}</ul>`;
  const start = node.start !== undefined && node.start !== 1 ? html` start="${node.start}"` : "";
  return html`<ol${start}>${markup}</ol>`;
}

function renderItem(
  { children, checked }: MarkdownNode<"listItem">,
  isLoose: boolean,
  renderer: NodeRenderer,
): Html {
  const parts = children.map((child) =>
    !isLoose && child.type === "paragraph"
      ? renderer.renderNodes(child.children)
      : renderer.renderNodes([child]),
  );
  if (checked === undefined) return html`<li>${joinHtml(parts)}</li>`;
  const [text = "", ...rest] = parts;
  const box = html`<input type="checkbox"${joinAttributes({ disabled: true, checked })}>`;
  const isLine = children[0]?.type === "paragraph" && !block.test(text.replace(/^<p>/, ""));
  const label = isLine
    ? html`<label>${box} ${replaceHtml(text, /^<p>|<\/p>$/g, "")}</label>`
    : html`${box}${text}`;
  return html`<li class="task">${label}${joinHtml(rest)}</li>`;
}

/** Renders a table in a frame, so that a wide table scrolls inside the frame. */
function renderTable({ children, align }: MarkdownNode<"table">, renderer: NodeRenderer): Html {
  const [head, ...rows] = children;
  if (head === undefined) return "";
  const top = html`<thead>${renderRow(head, "th", align, renderer)}</thead>`;
  const others = joinHtml(rows.map((row) => renderRow(row, "td", align, renderer)));
  const body = others === "" ? "" : html`<tbody>${others}</tbody>`;
  return html`<div class="table"><table>${top}${body}</table></div>`;
}

function renderRow(
  row: TreeNode,
  name: "th" | "td",
  aligns: readonly TableAlignment[],
  renderer: NodeRenderer,
): Html {
  const cells = getChildren(row).map((cell, index) => {
    const align = aligns[index];
    const style = align === "right" || align === "center" ? `text-align:${align}` : undefined;
    return buildElement(name, joinAttributes({ style }), renderer.renderNodes(getChildren(cell)));
  });
  return html`<tr>${joinHtml(cells)}</tr>`;
}

function renderFootnoteReference(
  node: MarkdownNode<"footnoteReference">,
  renderer: NodeRenderer,
): Html {
  const reference = renderer.referToFootnote(node);
  if (reference === undefined) return escapeHtml(`[^${node.label}]`);
  const { number } = reference;
  const id = joinAttributes({ id: reference.id });
  if (renderer.links.isWithinLink) return html`<sup${id}>${number}</sup>`;
  const link = html`<a class="footnote"${id} href="#footnote-${number}">${number}</a>`;
  return html`<sup>${renderer.links.collect(link) ? number : link}</sup>`;
}

/** Converts a blockquote that begins with a marker such as `[!NOTE]` to a callout; undefined for any other. */
function toCallout(quote: MarkdownNode<"blockquote">): ElementNode | undefined {
  const [first, ...rest] = quote.children;
  if (first?.type !== "paragraph") return undefined;
  const [text, ...words] = first.children;
  if (text?.type !== "text") return undefined;
  const [start = "", kind = ""] = alertMark.exec(text.value) ?? [];
  const name = callouts.get(kind.toUpperCase());
  if (name === undefined) return undefined;
  const left = text.value.slice(start.length);
  const line = left === "" ? words : [{ ...text, value: left }, ...words];
  const children = line.length === 0 ? rest : [{ ...first, children: line }, ...rest];
  return { type: "element", name, props: {}, children, isFlow: true, place: quote.place };
}
