import { createRequire } from "node:module";
import type * as Satteri from "satteri";
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
 * The maximum length of text that is parsed as Markdown, which is longer than any banner. Longer text is shown as
 * written. This limits the time and depth of parsing hostile text.
 */
const maxTextLength = 2_000;

interface Node {
  readonly type: string;
  readonly value?: string;
  readonly url?: string;
  readonly alt?: string | null | undefined;
  readonly children?: readonly Node[];
  /** The opening tag of an `element`. */
  readonly tag?: Tag;
}

const require = createRequire(import.meta.url);

/**
 * Parses Markdown. The parser is loaded for the first text, because most sites have no Markdown outside their pages.
 */
function parseMarkdown(source: string): readonly Node[] {
  const { markdownToMdast } = require("satteri") as typeof Satteri;
  const root: Node = markdownToMdast(source);
  return (root.children ?? []).map(splitHtmlBlock);
}

/** Splits a line that is a block of HTML, such as `<Badge>New</Badge>`, into its tags and texts. */
function splitHtmlBlock(node: Node): Node {
  if (node.type !== "html") return node;
  const pieces = (node.value ?? "").split(/(<[^<>]*>)/).filter((piece) => piece !== "");
  const children = pieces.map((value): Node => ({
    type: value.startsWith("<") ? "html" : "text",
    value,
  }));
  return { type: "paragraph", children };
}

/** Matches a character without which text has no emphasis, code, link, escape or character reference. */
const markupCharacter = /[*_`[\\&<~]/;

/**
 * Renders the Markdown of a page's description. Components are reduced to their text. Content other than a paragraph,
 * such as a list, is shown as written.
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
  if (!markupCharacter.test(source) || source.length > maxTextLength) return undefined;
  const [first, ...others] = parseMarkdown(source);
  if (first?.type !== "paragraph" || others.length > 0) return undefined;
  return { ...first, children: nestTags(first.children ?? []) };
}

function getNodeText({ type, value = "", children = [], tag }: Node): string {
  if (type === "break" || tag?.name === "br") return " ";
  return value + children.map(getNodeText).join("");
}

/**
 * Renders a line or two of Markdown from the configuration (banner, 404 page), with `rootMark`: emphasis, code, links,
 * pictures, and HTML elements of the same kinds. Other syntax is shown as text.
 */
export function renderInlineMarkdown(source: string, links: Links): Html {
  const blocks = parseInline(source).map((block) => renderNode(block, links, links));
  return joinHtml(blocks, html` `);
}

/** The addresses of the links and pictures in a text, as authored. */
interface InlineTargets {
  readonly links: readonly string[];
  readonly pictures: readonly string[];
}

export function findInlineTargets(source: string): InlineTargets {
  const [links, pictures] = [new Set<string>(), new Set<string>()];
  if (!markupCharacter.test(source)) return { links: [], pictures: [] };
  const nodes = [...parseInline(source)];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    nodes.push(...(node.children ?? []).toReversed());
    const { kind, target = "" } = readTarget(node);
    if (target !== "") (kind === "link" ? links : pictures).add(target);
  }
  return { links: [...links], pictures: [...pictures] };
}

function readTarget({ type, url, tag }: Node): {
  readonly kind?: "link" | "picture";
  readonly target?: string | undefined;
} {
  if (type === "link") return { kind: "link", target: url };
  if (type === "image") return { kind: "picture", target: url };
  if (tag?.name === "a") return { kind: "link", target: tag.attributes.get("href") };
  if (tag?.name === "img") return { kind: "picture", target: tag.attributes.get("src") };
  return {};
}

function parseInline(source: string): readonly Node[] {
  if (source.length > maxTextLength) return [{ type: "text", value: source }];
  return nestTags(parseMarkdown(source));
}

interface Tag {
  readonly name: string;
  /** `void` means a tag without content, such as `<br>` and `<Icon />`. */
  readonly kind: "opening" | "closing" | "void";
  readonly attributes: ReadonlyMap<string, string>;
}

/** Elements that have the same meaning as Markdown, or no meaning beyond their class. */
const renderedElements: ReadonlySet<string> = new Set(
  "a b br code del em i img kbd mark s small span strong sub sup u".split(" "),
);
/** Elements that are replaced with their content, as components are. */
const unwrappedElements: ReadonlySet<string> = new Set("abbr big p tt".split(" "));
const voidElements: ReadonlySet<string> = new Set(["br", "img"]);
const maxTagDepth = 20;

/** Parses a tag of a component or of an element that marks up words; returns undefined for any other text. */
function readTag(text: string): Tag | undefined {
  const [, end, authoredName = "", rest = "", slash] =
    /^<(\/?)([A-Za-z][\w.-]*)((?:\s[^<>]*?)?)(\/?)>$/.exec(text.trim()) ?? [];
  if (end === undefined) return undefined;
  const isComponent = isComponentName(authoredName);
  const name = isComponent ? authoredName : authoredName.toLowerCase();
  if (!isComponent && !renderedElements.has(name) && !unwrappedElements.has(name)) return undefined;
  const attributes = Array.from(
    rest.matchAll(/([\w-]+)=(?:"([^"]*)"|'([^']*)')/g),
    ([, key = "", double, single = ""]): [string, string] => [key.toLowerCase(), double ?? single],
  );
  const isVoid = slash === "/" || voidElements.has(name);
  const startKind = isVoid ? "void" : "opening";
  return { name, kind: end === "/" ? "closing" : startKind, attributes: new Map(attributes) };
}

function isComponentName(name: string): boolean {
  return /^[A-Z]/.test(name);
}

/** An element whose closing tag has not been found yet. */
interface OpenElement {
  readonly tag: Tag;
  readonly source: Node;
  readonly children: Node[];
}

/**
 * Combines the tags in a line of Markdown and the nodes between them into elements, and removes comments. As in HTML,
 * an element that is not closed ends with the last node, but the tag of a component is then text, as in
 * `Promise<Error>`.
 */
function nestTags(nodes: readonly Node[]): readonly Node[] {
  const root: Node[] = [];
  const openElements: OpenElement[] = [];
  const add = (...newNodes: readonly Node[]) =>
    (openElements.at(-1)?.children ?? root).push(...newNodes);
  const close = (isClosed: boolean) => {
    const element = openElements.pop();
    if (element === undefined) return;
    const { tag, source, children } = element;
    if (isClosed || !isComponentName(tag.name)) add({ type: "element", tag, children });
    else add({ type: "text", value: source.value ?? "" }, ...children);
  };
  /** Adds the tag to an element, and reports whether that was possible. */
  const join = (tag: Tag, source: Node): boolean => {
    if (tag.kind === "void") add({ type: "element", tag });
    if (tag.kind === "void") return true;
    if (tag.kind === "opening" && openElements.length < maxTagDepth)
      openElements.push({ tag, source, children: [] });
    if (tag.kind === "opening") return openElements.at(-1)?.source === source;
    const depth = openElements.findLastIndex((element) => element.tag.name === tag.name);
    if (depth === -1) return false;
    while (openElements.length > depth) close(openElements.length === depth + 1);
    return true;
  };
  for (const node of nodes) {
    const { type, value = "", children } = node;
    if (type !== "html") {
      add(children ? { ...node, children: nestTags(children) } : node);
      continue;
    }
    const tag = readTag(value);
    const isJoined = tag !== undefined && join(tag, node);
    if (!isJoined && !value.startsWith("<!--")) add({ type: "text", value });
  }
  while (openElements.length > 0) close(false);
  return root;
}

/** The HTML elements for Markdown's own kinds of emphasis. */
const emphasisElements: Readonly<Record<string, string>> = {
  strong: "strong",
  emphasis: "em",
  delete: "s",
};

type InlineLinks = Pick<Links, "toTarget">;
type InlineImages = Pick<Links, "toImage">;

/** Renders a node. Images are shown, and elements keep their attributes, only with `images`. */
function renderNode(node: Node, links: InlineLinks, images?: InlineImages): Html {
  const { type, value = "", url = "", children = [], tag } = node;
  if (type === "text") return escapeHtml(value);
  if (type === "inlineCode") return html`<code>${escapeHtml(value)}</code>`;
  if (type === "break") return html`<br>`;
  if (type === "image" && images) return renderImage(node, images);
  const content = joinHtml(children.map((child) => renderNode(child, links, images)));
  if (tag) return images ? renderTag(tag, content, { links, images }) : renderBareTag(tag, content);
  const name = emphasisElements[type];
  if (name !== undefined) return buildElement(name, "", content);
  const href = type === "link" ? links.toTarget(url) : undefined;
  return href === undefined ? content : html`<a href="${href}">${content}</a>`;
}

function renderImage({ url, alt }: Node, images: InlineImages): Html {
  const src = images.toImage(url ?? "");
  const text = escapeHtml(alt ?? "");
  return src === undefined ? text : html`<img src="${src}" alt="${text}">`;
}

/** The elements that a description keeps, keyed by the authored tag name. */
const bareElements: Readonly<Record<string, string>> = {
  b: "strong",
  strong: "strong",
  i: "em",
  em: "em",
  s: "s",
  del: "s",
};

function renderBareTag({ name }: Tag, content: Html): Html {
  if (name === "br") return html`<br>`;
  const element = Object.hasOwn(bareElements, name) ? bareElements[name] : undefined;
  return element === undefined ? content : buildElement(element, "", content);
}

function renderTag(
  { name, attributes }: Tag,
  content: Html,
  { links, images }: { readonly links: InlineLinks; readonly images: InlineImages },
): Html {
  if (!renderedElements.has(name)) return content;
  const className = attributes.get("class") ?? attributes.get("classname");
  const commonAttributes = joinAttributes({ class: className, title: attributes.get("title") });
  if (name === "br") return html`<br>`;
  if (name === "a") {
    const href = links.toTarget(attributes.get("href") ?? "");
    return href === undefined ? content : html`<a href="${href}"${commonAttributes}>${content}</a>`;
  }
  if (name !== "img") return buildElement(name, commonAttributes, content);
  const src = images.toImage(attributes.get("src") ?? "");
  const alt = escapeHtml(attributes.get("alt") ?? "");
  const size = joinAttributes({ width: attributes.get("width"), height: attributes.get("height") });
  return src === undefined ? alt : html`<img src="${src}" alt="${alt}"${commonAttributes}${size}>`;
}
