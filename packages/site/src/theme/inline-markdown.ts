import { markdownToMdast } from "satteri";
import {
  buildElement,
  escapeHtml,
  html,
  joinAttributes,
  joinHtml,
  type Html,
} from "../markup/index.ts";
import type { Links } from "./link.ts";

/**
 * The maximum length of a text, which is longer than any banner. It limits the time and depth of parsing hostile text.
 */
const maxTextLength = 2_000;

interface Node {
  readonly type: string;
  readonly value?: string;
  readonly url?: string;
  readonly alt?: string | null | undefined;
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
 * Renders a line or two of Markdown from the configuration (banner, 404 page), with `rootMark`: emphasis, code, links,
 * pictures, and HTML elements of the same kinds. Other syntax is shown as text.
 */
export function renderInlineMarkdown(source: string, links: Links): Html {
  const blocks = parseInline(source).map((block) => renderNode(block, links, links));
  return joinHtml(blocks, html` `);
}

/** The addresses of links and pictures in such a text, as authored. */
interface InlineTargets {
  readonly links: readonly string[];
  readonly pictures: readonly string[];
}

export function findInlineTargets(source: string): InlineTargets {
  const [links, pictures] = [new Set<string>(), new Set<string>()];
  const nodes = [...parseInline(source)];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    nodes.push(...(node.children ?? []).toReversed());
    const { kind, target = "" } = readTarget(node);
    if (target !== "") (kind === "link" ? links : pictures).add(target);
  }
  return { links: [...links], pictures: [...pictures] };
}

function readTarget({ type, url, value = "" }: Node): {
  readonly kind?: "link" | "picture";
  readonly target?: string | undefined;
} {
  if (type === "link") return { kind: "link", target: url };
  if (type === "image") return { kind: "picture", target: url };
  const tag = type === "html" ? readRenderedTag(value) : undefined;
  if (tag?.name === "a") return { kind: "link", target: tag.attributes.get("href") };
  if (tag?.name === "img") return { kind: "picture", target: tag.attributes.get("src") };
  return {};
}

function parseInline(source: string): readonly Node[] {
  const root: Node = markdownToMdast(source.slice(0, maxTextLength));
  return root.children ?? [];
}

type InlineLinks = Pick<Links, "toTarget">;
type InlineImages = Pick<Links, "toImage">;

/** Pictures are shown, and HTML is more than text, only with `pictures`. */
function renderNode(node: Node, links: InlineLinks, pictures?: InlineImages): Html {
  const { type, value = "", url = "", children = [] } = node;
  if (type === "text" || type === "html") return escapeHtml(value);
  if (type === "inlineCode") return html`<code>${escapeHtml(value)}</code>`;
  if (type === "break") return html`<br>`;
  if (type === "image" && pictures) return renderImage(node, pictures);
  const content = pictures
    ? renderWithTags(children, links, pictures)
    : joinHtml(children.map((child) => renderNode(child, links)));
  const tag = tags[type];
  if (tag !== undefined) return buildElement(tag, "", content);
  const href = type === "link" ? links.toTarget(url) : undefined;
  return href === undefined ? content : html`<a href="${href}">${content}</a>`;
}

function renderImage({ url, alt }: Node, pictures: InlineImages): Html {
  const src = pictures.toImage(url ?? "");
  const text = escapeHtml(alt ?? "");
  return src === undefined ? text : html`<img src="${src}" alt="${text}">`;
}

/** Elements that have the same meaning as Markdown, or none beyond their class. */
const renderedElements: ReadonlySet<string> = new Set(
  "a b br code del em i img kbd mark s small span strong sub sup u".split(" "),
);
const voidElements: ReadonlySet<string> = new Set(["br", "img"]);

interface Tag {
  readonly name: string;
  readonly isEnd: boolean;
  readonly attributes: ReadonlyMap<string, string>;
}

/** Reads a tag of an inline element; undefined for any other text. */
function readRenderedTag(text: string): Tag | undefined {
  const [, end, name = "", rest = ""] =
    /^<(\/?)([a-z]+)((?:\s[^<>]*)?)\/?>$/i.exec(text.trim()) ?? [];
  if (end === undefined || !renderedElements.has(name.toLowerCase())) return undefined;
  const attributes = Array.from(
    rest.matchAll(/([\w-]+)=(?:"([^"]*)"|'([^']*)')/g),
    ([, key = "", double, single = ""]): [string, string] => [key.toLowerCase(), double ?? single],
  );
  return { name: name.toLowerCase(), isEnd: end !== "", attributes: new Map(attributes) };
}

/** Renders nodes between which tags open and close elements. Elements that stay open end with the last node. */
function renderWithTags(nodes: readonly Node[], links: InlineLinks, pictures: InlineImages): Html {
  const open: { readonly tag: Tag; readonly parts: Html[] }[] = [];
  const parts: Html[] = [];
  const target = () => open.at(-1)?.parts ?? parts;
  const close = () => {
    const last = open.pop();
    if (last) target().push(renderTag(last.tag, joinHtml(last.parts), { links, pictures }));
  };
  for (const node of nodes) {
    const tag = node.type === "html" ? readRenderedTag(node.value ?? "") : undefined;
    if (tag === undefined) target().push(renderNode(node, links, pictures));
    else if (voidElements.has(tag.name)) target().push(renderTag(tag, html``, { links, pictures }));
    else if (!tag.isEnd) open.push({ tag, parts: [] });
    else if (open.at(-1)?.tag.name === tag.name) close();
    else target().push(renderNode(node, links, pictures));
  }
  while (open.length > 0) close();
  return joinHtml(parts);
}

function renderTag(
  { name, attributes }: Tag,
  content: Html,
  { links, pictures }: { readonly links: InlineLinks; readonly pictures: InlineImages },
): Html {
  const className = attributes.get("class") ?? attributes.get("classname");
  const own = joinAttributes({ class: className, title: attributes.get("title") });
  if (name === "br") return html`<br>`;
  if (name === "a") {
    const href = links.toTarget(attributes.get("href") ?? "");
    return href === undefined ? content : html`<a href="${href}"${own}>${content}</a>`;
  }
  if (name !== "img") return buildElement(name, own, content);
  const src = pictures.toImage(attributes.get("src") ?? "");
  const alt = escapeHtml(attributes.get("alt") ?? "");
  const size = joinAttributes({ width: attributes.get("width"), height: attributes.get("height") });
  return src === undefined ? alt : html`<img src="${src}" alt="${alt}"${own}${size}>`;
}
