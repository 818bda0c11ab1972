import { markdownToMdast } from "satteri";
import { buildElement, escapeHtml, html, joinHtml, type Html } from "../markup/index.ts";
import type { Links } from "./link.ts";

/**
 * The maximum length of a text, which is longer than any banner. It limits the time and depth of parsing hostile text.
 */
const maxTextLength = 2_000;

interface Node {
  readonly type: string;
  readonly value?: string;
  readonly url?: string;
  readonly children?: readonly Node[];
}

const tags: Readonly<Record<string, string>> = {
  strong: "strong",
  emphasis: "em",
  delete: "s",
};

/**
 * Matches the characters of which at least one occurs in all emphasis, code, links, escapes and character references.
 */
const marks = /[*_`[\\&<~]/;

/**
 * Renders the Markdown of a page's description. Of components, it shows the text. Content other than a paragraph, such
 * as a list, is shown as written.
 */
export function renderDescription(source: string, links: Pick<Links, "toTarget">): Html {
  const line = findParagraph(source);
  return line === undefined ? escapeHtml(source) : renderNode(line, links);
}

/** Returns a page's description as plain text, without Markdown. */
export function getPlainDescription(source: string): string {
  const line = findParagraph(source);
  return line === undefined ? source : getNodeText(line);
}

function findParagraph(source: string): Node | undefined {
  if (!marks.test(source) || source.length > maxTextLength) return undefined;
  const { children = [] }: Node = markdownToMdast(source);
  const [first] = children;
  if (children.length !== 1 || first === undefined) return undefined;
  if (first.type === "paragraph") return { ...first, children: readTags(first.children ?? []) };
  // A line that begins with a tag, such as `<Badge>New</Badge>`, may be a block of HTML.
  if (first.type !== "html" || !source.startsWith("<")) return undefined;
  const pieces = (first.value ?? "").split(/(<[^<>]*>)/).filter((piece) => piece !== "");
  const nodes = pieces.map((value): Node => ({ type: tag.test(value) ? "html" : "text", value }));
  return { type: "paragraph", children: readTags(nodes) };
}

const tag = /^<(\/?)([A-Za-z][\w.-]*)((?:\s[^<>]*?)?)(\/?)>$/;
const inlineElements: Readonly<Record<string, string>> = {
  b: "strong",
  strong: "strong",
  i: "emphasis",
  em: "emphasis",
  s: "delete",
  del: "delete",
};
const otherElements: ReadonlySet<string> = new Set(
  "a abbr big code kbd mark p small span sub sup tt u".split(" "),
);
const maxTagDepth = 20;

/**
 * Reads elements in a line of Markdown: emphasis stays, and other elements and components that are closed are replaced
 * with their content. A tag without an end, as in `Promise<Error>`, is text.
 */
function readTags(nodes: readonly Node[], depth = 0): Node[] {
  const read: Node[] = [];
  for (let at = 0; at < nodes.length; at++) {
    const node = nodes[at];
    if (node === undefined || depth > maxTagDepth) break;
    if (node.type === "html") {
      const element = readTag(nodes, at, depth);
      read.push(...element.nodes);
      at = element.end;
    } else
      read.push(node.children ? { ...node, children: readTags(node.children, depth + 1) } : node);
  }
  return read;
}

/** Reads the element whose tag is the node at `at`; `end` is the index of its last node. */
function readTag(
  nodes: readonly Node[],
  at: number,
  depth: number,
): { readonly nodes: readonly Node[]; readonly end: number } {
  const value = nodes[at]?.value ?? "";
  const { name, kind } = parseTag(value);
  if (kind === "empty") return { nodes: name === "br" ? [{ type: "break" }] : [], end: at };
  const end = kind === "opening" ? findClosingTag(nodes, at, name) : -1;
  if (end === -1) return { nodes: [{ type: "text", value }], end: at };
  const children = readTags(nodes.slice(at + 1, end), depth + 1);
  const type = Object.hasOwn(inlineElements, name) ? inlineElements[name] : undefined;
  return { nodes: type === undefined ? children : [{ type, children }], end };
}

/** Parses a tag; it is text if its element is neither a component nor one that marks up words. */
function parseTag(value: string): { name: string; kind: "opening" | "closing" | "empty" | "text" } {
  if (value.startsWith("<!--")) return { name: "", kind: "empty" };
  const [, slash, name = "", , isClosed] = tag.exec(value) ?? [];
  if (name !== "br" && !isKnown(name)) return { name, kind: "text" };
  if (slash === "/") return { name, kind: "closing" };
  return { name, kind: isClosed === "/" || name === "br" ? "empty" : "opening" };
}

function isKnown(name: string): boolean {
  return /^[A-Z]/.test(name) || Object.hasOwn(inlineElements, name) || otherElements.has(name);
}

function findClosingTag(nodes: readonly Node[], from: number, name: string): number {
  let depth = 0;
  for (let at = from; at < nodes.length; at++) {
    const node = nodes[at];
    if (node?.type !== "html") continue;
    const found = parseTag(node.value ?? "");
    if (found.name !== name || found.kind === "empty") continue;
    depth += found.kind === "opening" ? 1 : -1;
    if (depth === 0) return at;
  }
  return -1;
}

function getNodeText({ type, value = "", children = [] }: Node): string {
  return type === "break" ? " " : value + children.map(getNodeText).join("");
}

/**
 * Renders a line or two of Markdown from the configuration (banner, 404 page), with `rootMark`. Supports emphasis, code
 * and links. Other syntax is shown as text.
 */
export function renderInlineMarkdown(source: string, links: Links): Html {
  const root: Node = markdownToMdast(source.slice(0, maxTextLength));
  const blocks = (root.children ?? []).map((block) => renderNode(block, links));
  return joinHtml(blocks, html` `);
}

function renderNode(node: Node, links: Pick<Links, "toTarget">): Html {
  if (node.type === "text" || node.type === "html") return escapeHtml(node.value ?? "");
  if (node.type === "inlineCode") return html`<code>${escapeHtml(node.value ?? "")}</code>`;
  if (node.type === "break") return html`<br>`;
  const content = joinHtml((node.children ?? []).map((child) => renderNode(child, links)));
  const name = tags[node.type];
  if (name !== undefined) return buildElement(name, "", content);
  const href = node.type === "link" ? links.toTarget(node.url ?? "") : undefined;
  return href === undefined ? content : html`<a href="${href}">${content}</a>`;
}
