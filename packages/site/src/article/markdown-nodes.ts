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
import type { Resource } from "../page/index.ts";
import { normalizeRemoteAddress } from "../site/index.ts";
import { getBaseName } from "../core/index.ts";
import { renderHeading } from "./heading.ts";
import type { NodeRenderer } from "./renderer.ts";

type Render<Type extends MarkdownType> = (node: MarkdownNode<Type>, renderer: NodeRenderer) => Html;

/** The callouts that look like the five alerts of GitHub's Markdown, keyed by the word in the alert's marker. */
const callouts: ReadonlyMap<string, string> = new Map([
  ["NOTE", "Note"],
  ["TIP", "Tip"],
  ["IMPORTANT", "Info"],
  ["WARNING", "Warning"],
  ["CAUTION", "Danger"],
]);

/** Matches the marker of an alert, on a separate line. */
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

const renderNothing = (): Html => "";

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
  inlineMath: ({ value, isDisplay, position }, renderer) =>
    renderer.renderFormula(value, { isDisplay }, position),
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
    const definition = renderer.links.findDefinition(node);
    return definition === undefined
      ? renderChildren(node, renderer)
      : renderLink(node, definition, renderer);
  },
  image: (node, renderer) => renderImage(node, node, renderer),
  imageReference: (node, renderer) => {
    const definition = renderer.links.findDefinition(node);
    return definition === undefined
      ? escapeHtml(node.alt)
      : renderImage(node, definition, renderer);
  },
  footnoteReference: renderFootnoteReference,
  // Comments are removed. Any other raw HTML is shown as text.
  html: ({ value }) => (/^\s*<!--/.test(value) ? "" : escapeHtml(value)),
  component: renderComponent,
  componentSlot: renderComponentSlot,
  definition: renderNothing,
  footnoteDefinition: renderNothing,
  other: renderChildren,
};

/** Matches a link or picture with a space in its address, for which Markdown requires `<` and `>`. */
const spacedLink = /\]\(([^\s()<>"'][^()<>"'\n]{0,300}? [^()<>"'\n]{0,300})\)/;

function renderText(node: MarkdownNode<"text">, renderer: NodeRenderer): Html {
  const text = node.value;
  const target = text.includes("](") ? spacedLink.exec(text)?.[1] : undefined;
  if (target !== undefined) {
    const message = `This link is shown as text because its address has a space; write <${target}>, or %20 for the space.`;
    renderer.problems.warn("link_with_space", message, node.position);
  }
  return escapeHtml(text);
}

/** Renders the initial state of a component, on which the client script mounts the component. */
function renderComponent(node: MarkdownNode<"component">, renderer: NodeRenderer): Html {
  const render = () => renderChildren(node, renderer);
  const { html: content, addresses } = renderer.links.collectAddresses(render);
  const addressesJson = JSON.stringify(addresses);
  const attributes = joinAttributes({
    class: "component",
    "data-module": node.module,
    "data-use": String(node.use),
    "data-props": node.props === "{}" ? undefined : node.props,
    "data-addresses": addressesJson === "{}" ? undefined : addressesJson,
  });
  return buildElement(node.isFlow ? "div" : "span", attributes, content);
}

/** Renders content between comments instead of in an element, so that the styles around it apply to it. */
function renderComponentSlot(node: MarkdownNode<"componentSlot">, renderer: NodeRenderer): Html {
  const { name, isHidden, isFlow } = node;
  // The browser moves content of the page instead of rendering it again, so its addresses are not needed.
  const content = name.includes("#")
    ? renderChildren(node, renderer)
    : renderer.links.collectAddresses(() => renderChildren(node, renderer)).html;
  if (!isHidden) {
    // Only `>` can end a comment, so no other character is escaped.
    const label = trustHtml(name.replaceAll(">", "&gt;"));
    return html`<!--slot ${label}-->${content}<!--/slot-->`;
  }
  const attributes = joinAttributes({ class: "component-slot", "data-slot": name, hidden: true });
  return buildElement(isFlow ? "div" : "span", attributes, content);
}

function renderQuote(node: MarkdownNode<"blockquote">, renderer: NodeRenderer): Html {
  const alert = toCallout(node);
  const callout = alert && renderer.findComponent(alert.name);
  return callout
    ? callout.render(alert, renderer)
    : html`<blockquote>${renderChildren(node, renderer)}</blockquote>`;
}

/** Matches elements that end a paragraph, because browsers close `<p>` before each of them. */
const blockStart =
  /<(?:address|article|aside|blockquote|center|dd|details|dialog|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]|header|hr|li|main|menu|nav|ol|p|pre|search|section|summary|table|ul)[\s>]/;

/** The kinds of children that never contain an element. */
const plainKinds = new Set("text inlineCode inlineMath break image footnoteReference".split(" "));

/**
 * Wraps runs of inline children in `<name>`. Block elements stay outside `<name>`, because browsers would move them out
 * of it.
 */
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
    if (plainKinds.has(child.type) || !blockStart.test(part)) {
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
  const isLine = children[0]?.type === "paragraph" && !blockStart.test(text.replace(/^<p>/, ""));
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
  alignments: readonly TableAlignment[],
  renderer: NodeRenderer,
): Html {
  const cells = getChildren(row).map((cell, index) => {
    const align = alignments[index];
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
  return html`<sup>${renderer.links.collectLink(link) ? number : link}</sup>`;
}

/** Converts a blockquote that begins with a marker such as `[!NOTE]` to a callout. Returns undefined for any other. */
function toCallout(quote: MarkdownNode<"blockquote">): ElementNode | undefined {
  const [first, ...rest] = quote.children;
  if (first?.type !== "paragraph") return undefined;
  const [text, ...words] = first.children;
  if (text?.type !== "text") return undefined;
  const [start = "", kind = ""] = alertMark.exec(text.value) ?? [];
  const name = callouts.get(kind.toUpperCase());
  if (name === undefined) return undefined;
  const remainingText = text.value.slice(start.length);
  const line = remainingText === "" ? words : [{ ...text, value: remainingText }, ...words];
  const children = line.length === 0 ? rest : [{ ...first, children: line }, ...rest];
  return { type: "element", name, props: {}, children, isFlow: true, position: quote.position };
}

/** Matches content that gives a link a name: text, the description of a picture, or a label. */
const accessibleName = /(?:^|>)[^<]*[^<\s]|\s(?:alt|aria-label|title)="[^"]*[^"\s]|<title>/;

interface MediaDescription {
  readonly alt?: string;
  readonly className?: string;
}

/** Renders a Markdown link. `target` is the node itself or the definition to which it refers. */
function renderLink(
  node: MarkdownNode<"link" | "linkReference">,
  target: Resource,
  renderer: NodeRenderer,
): Html {
  const { children } = node;
  if (renderer.links.isWithinLink) return renderer.renderNodes(children);
  const { href, isExternal } = renderer.links.link(target.url, node.position);
  const content = renderer.links.renderWithinLink(() => renderer.renderNodes(children));
  const title = renderTitle(target);
  const label = title === "" ? renderLinkLabel(content, href) : "";
  const link = html`<a href="${escapeHtml(href)}"${title}${label}${isExternal ? externalAttributes : ""}>${content}</a>`;
  return renderer.links.collectLink(link) ? content : link;
}

/** Links to other sites open in a new window and do not disclose the page that contains them. */
const externalAttributes = html` target="_blank" rel="noreferrer"`;

function renderImage(
  node: MarkdownNode<"image" | "imageReference">,
  target: Resource,
  renderer: NodeRenderer,
): Html {
  const address = target.url;
  const { src } = renderer.links.media(address, node.position);
  if (src === "" && renderer.links.isElsewhere(address, node.position)) {
    return renderRemoteMediaLink(address, { alt: node.alt }, renderer);
  }
  if (renderer.links.isMissing(address, node.position)) {
    return renderMissingMedia(renderer.words.pictureMissing, { alt: node.alt });
  }
  const loading = renderer.links.isFirstImage() ? "" : html` loading="lazy"`;
  return html`<img src="${escapeHtml(src)}" alt="${escapeHtml(node.alt)}"${renderTitle(target)}${loading}>`;
}

/**
 * Renders ` aria-label="…"` for a link without text, such as a picture or an icon. The label names the target host or
 * page for users of screen readers. The result is empty if the content gives the link a name.
 */
export function renderLinkLabel(content: Html, href: string): Html {
  // Most links begin with text and need no further check.
  if (content !== "" && !content.startsWith("<") && content.trim() !== "") return "";
  if (accessibleName.test(content)) return "";
  const host = getHost(href);
  const label = host === href ? derivePageName(href) : host.replace(/^www\./, "");
  return joinAttributes({ "aria-label": label });
}

/**
 * Renders a note instead of a picture or video that is missing from the site, because a broken image would be less
 * helpful. Keeps the author's classes, so that only one of two pictures for the light and dark schemes is shown.
 */
export function renderMissingMedia(label: string, media: MediaDescription): Html {
  const { alt = "", className = "" } = media;
  const text = alt.trim() === "" ? label : `${label}: ${alt}`;
  const attributes = joinAttributes({ class: `missing-media ${className}`.trim(), role: "note" });
  return html`<span${attributes}>${escapeHtml(text)}</span>`;
}

/**
 * Renders a link instead of a picture, a video or a frame on another host that this bundle does not show. Inside
 * another link, renders only the name. Nothing is loaded before the reader follows the link.
 */
export function renderRemoteMediaLink(
  address: string,
  { alt = "", className = "" }: MediaDescription,
  { links }: Pick<NodeRenderer, "links">,
): Html {
  const host = getHost(address);
  const text = escapeHtml(alt.trim() === "" ? host : `${alt} (${host})`);
  const classes = `missing-media ${className}`.trim();
  const plainText = html`<span${joinAttributes({ class: classes })}>${text}</span>`;
  if (links.isWithinLink) return plainText;
  const attributes = {
    class: classes,
    href: normalizeRemoteAddress(address) ?? address,
    target: "_blank",
    rel: "noreferrer",
  };
  const link = html`<a${joinAttributes(attributes)}>${text}</a>`;
  return links.collectLink(link) ? plainText : link;
}

/** Returns the host of an address, or the address itself if it does not have one. */
export function getHost(address: string): string {
  return /^\s*(?:https?:)?\/\/([^/?#]+)/i.exec(address)?.[1] ?? address;
}

function renderTitle({ title }: Resource): Html {
  return joinAttributes({ title });
}

/** Derives the name of a page from its address: `first steps` for `../guides/first-steps.html#install`. */
function derivePageName(href: string): string {
  const [path = "", fragment = ""] = href.split("#", 2);
  const file = getBaseName(path).replace(/\.html$/, "");
  return (file === "" ? fragment : file).replaceAll(/[-_]+/g, " ").trim();
}
