import { components, createIconRenderer, iconImage } from "../../src/render/components/index.ts";
import { escapeHtml } from "../../src/render/components/html.ts";
import type { Component, ComponentContext } from "../../src/render/components/component.ts";
import {
  isElement,
  type ElementNode,
  type MarkdownNode,
  type Place,
  type Props,
  type PropValue,
  type TreeNode,
} from "../../src/render/page/tree.ts";

/** Trees written by hand, and a page just large enough to render components on. */

const place: Place = { file: "page.mdx", line: 1, column: 1 };

export function element(name: string, props: Props = {}, ...children: TreeNode[]): ElementNode {
  return { type: "element", name, props, children, isFlow: true, place };
}

export function inlineElement(
  name: string,
  props: Props = {},
  ...children: TreeNode[]
): ElementNode {
  return { ...element(name, props, ...children), isFlow: false };
}

export function markdown(type: string, fields: object, ...children: TreeNode[]): MarkdownNode {
  return { type, place, ...fields, children };
}

export function text(value: string): MarkdownNode {
  return { type: "text", place, value };
}

export function paragraph(...children: TreeNode[]): MarkdownNode {
  return markdown("paragraph", {}, ...children);
}

export function fence(lang: string, title: string, value: string): MarkdownNode {
  return { type: "code", place, lang, meta: title, value };
}

/** A Markdown list; an item that is a list itself belongs to the item before it. */
export type ListItems = readonly (string | ListItems)[];

export function list(items: ListItems): MarkdownNode {
  const nodes: { type: string; place: Place; children: TreeNode[] }[] = [];
  for (const item of items) {
    if (typeof item === "string")
      nodes.push({ type: "listItem", place, children: [paragraph(text(item))] });
    else nodes.at(-1)?.children.push(list(item));
  }
  return markdown("list", { ordered: false }, ...nodes);
}

const blockTags = new Map([
  ["paragraph", "p"],
  ["heading", "h2"],
  ["strong", "strong"],
  ["emphasis", "em"],
  ["listItem", "li"],
  ["list", "ul"],
  ["blockquote", "blockquote"],
  ["link", "a"],
]);

const byName = new Map<string, Component>();
for (const component of components) for (const name of component.names) byName.set(name, component);

const renderIcon = createIconRenderer({ library: "fontawesome" });

/** What a page has heard from its components. */
export interface TestPage extends ComponentContext {
  /** Links that are open around what is being rendered. */
  linkDepth: number;
  readonly anchors: string[];
  readonly outline: { readonly depth: number; readonly id: string; readonly text: string }[];
  readonly problems: string[];
  readonly references: string[];
}

export function testPage(): TestPage {
  const page: TestPage = {
    linkDepth: 0,
    anchors: [],
    outline: [],
    problems: [],
    references: [],
    get isWithinLink() {
      return page.linkDepth > 0;
    },
    renderNodes(nodes) {
      const parts = nodes.map((node) => {
        const isLink = node.type === "link";
        if (isLink) page.linkDepth++;
        const html = renderNode(node, page);
        if (isLink) page.linkDepth--;
        return html;
      });
      return parts.join("");
    },
    renderValue(value) {
      if (value === undefined || value === null) return "";
      if (isJsx(value)) return page.renderNodes(value.nodes);
      if (typeof value === "object") return "";
      return escapeHtml(String(value)).replace(/\*\*(.+?)\*\*/g, "<strong>$1</strong>");
    },
    href(target) {
      page.references.push(target);
      return escapeHtml(target);
    },
    mediaUrl(target) {
      page.references.push(target);
      return escapeHtml(target);
    },
    icon(icon, options) {
      if (isJsx(icon)) return `<span class="icon">${page.renderNodes(icon.nodes)}</span>`;
      const { html, image, missing } = renderIcon(icon, options);
      if (missing !== undefined) page.problems.push(`no icon ${missing}`);
      return image === undefined ? html : iconImage(image, options);
    },
    claimId(value, options) {
      const slug =
        options?.isExact === true
          ? value
          : value
              .toLowerCase()
              .replace(/[^\p{L}\p{N}]+/gu, "-")
              .replace(/^-|-$/g, "");
      let id = slug;
      for (let number = 2; page.anchors.includes(id); number++) id = `${slug}-${number}`;
      page.anchors.push(id);
      return id;
    },
    renderCode: (node) =>
      `<div class="code"><pre tabindex="0"><code>${escapeHtml(isElement(node) ? "" : (node.value ?? ""))}</code></pre></div>`,
    codeLabel(node) {
      if (isElement(node)) return "";
      const labels = [node.meta, node.lang];
      return (
        labels.find((label): label is string => typeof label === "string" && label !== "") ?? ""
      );
    },
    textOf: (content) => textOf(content),
    addOutline: (entry) => page.outline.push(entry),
    problem: ({ message }) => page.problems.push(message),
  };
  return page;
}

function renderNode(node: TreeNode, page: TestPage): string {
  if (isElement(node)) {
    const component = byName.get(node.name);
    if (component !== undefined) return component.render(node, page);
    const content = page.renderNodes(node.children);
    if (node.name === "") return content;
    const props = Object.entries(node.props).map(([name, value]) => {
      if (typeof value === "boolean") return value ? ` ${name}` : "";
      return typeof value === "string" ? ` ${name}="${escapeHtml(value)}"` : "";
    });
    const isVoid = node.name === "img" || node.name === "br";
    return `<${node.name}${props.join("")}>${isVoid ? "" : `${content}</${node.name}>`}`;
  }
  if (node.type === "text") return escapeHtml(node.value ?? "");
  if (node.type === "inlineCode") return `<code>${escapeHtml(node.value ?? "")}</code>`;
  if (node.type === "code") return page.renderCode(node);
  const content = page.renderNodes(node.children ?? []);
  const tag = node.type === "link" && page.linkDepth > 1 ? undefined : blockTags.get(node.type);
  return tag === undefined ? content : `<${tag}>${content}</${tag}>`;
}

function isJsx(value: unknown): value is { type: "jsx"; nodes: readonly TreeNode[] } {
  return typeof value === "object" && value !== null && "type" in value && value.type === "jsx";
}

function textOf(content: readonly TreeNode[] | PropValue | undefined): string {
  if (content === undefined || content === null) return "";
  if (typeof content === "string") return content;
  if (typeof content !== "object") return String(content);
  if (isJsx(content)) return textOf(content.nodes);
  if (!Array.isArray(content)) return "";
  return content
    .map((node) => (isNode(node) ? (node.value ?? "") + textOf(node.children) : textOf(node)))
    .join("");
}

function isNode(value: unknown): value is MarkdownNode {
  return typeof value === "object" && value !== null && "place" in value;
}
