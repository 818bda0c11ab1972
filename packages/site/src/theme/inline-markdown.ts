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

/** Longer than any banner; bounds the cost and depth of parsing hostile text. */
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

/** Characters that occur in every emphasis, code, link, escape and character reference. */
const marks = /[*_`[\\&<~]/;

/**
 * Renders the Markdown of a page's description. Content other than a paragraph, such as a list, is shown as
 * written.
 */
export function renderDescription(source: string, links: Pick<Links, "toTarget">): Html {
  const line = findParagraph(source);
  return line === undefined ? escapeHtml(source) : renderNode(line, links);
}

/** Returns a page's description without its Markdown, to be shown as plain text. */
export function getPlainDescription(source: string): string {
  const line = findParagraph(source);
  return line === undefined ? source : getNodeText(line);
}

function findParagraph(source: string): Node | undefined {
  if (!marks.test(source) || source.length > maxTextLength) return undefined;
  const { children = [] }: Node = markdownToMdast(source);
  const [first] = children;
  return children.length === 1 && first?.type === "paragraph" ? first : undefined;
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
  const tag = type === "html" ? readTag(value) : undefined;
  if (tag?.name === "a") return { kind: "link", target: tag.attributes.get("href") };
  if (tag?.name === "img") return { kind: "picture", target: tag.attributes.get("src") };
  return {};
}

function parseInline(source: string): readonly Node[] {
  const root: Node = markdownToMdast(source.slice(0, maxTextLength));
  return root.children ?? [];
}

type InlineLinks = Pick<Links, "toTarget">;
type InlinePictures = Pick<Links, "toPicture">;

/** Pictures are shown, and HTML is more than text, only with `pictures`. */
function renderNode(node: Node, links: InlineLinks, pictures?: InlinePictures): Html {
  const { type, value = "", url = "", children = [] } = node;
  if (type === "text" || type === "html") return escapeHtml(value);
  if (type === "inlineCode") return html`<code>${escapeHtml(value)}</code>`;
  if (type === "break") return html`<br>`;
  if (type === "image" && pictures) return renderPicture(node, pictures);
  const content = pictures
    ? renderWithTags(children, links, pictures)
    : joinHtml(children.map((child) => renderNode(child, links)));
  const tag = tags[type];
  if (tag !== undefined) return buildElement(tag, "", content);
  const href = type === "link" ? links.toTarget(url) : undefined;
  return href === undefined ? content : html`<a href="${href}">${content}</a>`;
}

function renderPicture({ url, alt }: Node, pictures: InlinePictures): Html {
  const src = pictures.toPicture(url ?? "");
  const text = escapeHtml(alt ?? "");
  return src === undefined ? text : html`<img src="${src}" alt="${text}">`;
}

/** Elements that have the same meaning as Markdown, or none beyond their class. */
const inlineElements: ReadonlySet<string> = new Set(
  "a b br code del em i img kbd mark s small span strong sub sup u".split(" "),
);
const voidElements: ReadonlySet<string> = new Set(["br", "img"]);

interface Tag {
  readonly name: string;
  readonly isEnd: boolean;
  readonly attributes: ReadonlyMap<string, string>;
}

/** Reads a tag of an inline element; undefined for any other text. */
function readTag(text: string): Tag | undefined {
  const [, end, name = "", rest = ""] =
    /^<(\/?)([a-z]+)((?:\s[^<>]*)?)\/?>$/i.exec(text.trim()) ?? [];
  if (end === undefined || !inlineElements.has(name.toLowerCase())) return undefined;
  const attributes = Array.from(
    rest.matchAll(/([\w-]+)=(?:"([^"]*)"|'([^']*)')/g),
    ([, key = "", double, single = ""]): [string, string] => [key.toLowerCase(), double ?? single],
  );
  return { name: name.toLowerCase(), isEnd: end !== "", attributes: new Map(attributes) };
}

/** Renders nodes between which tags open and close elements. Elements that stay open end with the last node. */
function renderWithTags(
  nodes: readonly Node[],
  links: InlineLinks,
  pictures: InlinePictures,
): Html {
  const open: { readonly tag: Tag; readonly parts: Html[] }[] = [];
  const parts: Html[] = [];
  const target = () => open.at(-1)?.parts ?? parts;
  const close = () => {
    const last = open.pop();
    if (last) target().push(renderTag(last.tag, joinHtml(last.parts), { links, pictures }));
  };
  for (const node of nodes) {
    const tag = node.type === "html" ? readTag(node.value ?? "") : undefined;
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
  { links, pictures }: { readonly links: InlineLinks; readonly pictures: InlinePictures },
): Html {
  const className = attributes.get("class") ?? attributes.get("classname");
  const own = joinAttributes({ class: className, title: attributes.get("title") });
  if (name === "br") return html`<br>`;
  if (name === "a") {
    const href = links.toTarget(attributes.get("href") ?? "");
    return href === undefined ? content : html`<a href="${href}"${own}>${content}</a>`;
  }
  if (name !== "img") return buildElement(name, own, content);
  const src = pictures.toPicture(attributes.get("src") ?? "");
  const alt = escapeHtml(attributes.get("alt") ?? "");
  const size = joinAttributes({ width: attributes.get("width"), height: attributes.get("height") });
  return src === undefined ? alt : html`<img src="${src}" alt="${alt}"${own}${size}>`;
}
