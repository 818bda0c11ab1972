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
 * Renders the Markdown of a page's description. Content other than a paragraph, such as a list, is shown as source
 * text.
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
  return children.length === 1 && first?.type === "paragraph" ? first : undefined;
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
  const tag = tags[node.type];
  if (tag !== undefined) return buildElement(tag, "", content);
  const href = node.type === "link" ? links.toTarget(node.url ?? "") : undefined;
  return href === undefined ? content : html`<a href="${href}">${content}</a>`;
}
