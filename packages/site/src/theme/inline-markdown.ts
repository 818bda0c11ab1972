import { escapeHtml } from "../markup/index.ts";
import { markdownToMdast } from "satteri";
import type { Links } from "./link.ts";

/** More than any banner says; the parser's cost and depth on hostile text stay small. */
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
 * HTML of a line or two of Markdown from the configuration (banner, 404 page): emphasis, code and
 * links, with `rootMark`. Anything else shows as its text.
 */
export function inlineMarkdown(source: string, links: Links): string {
  const root: Node = markdownToMdast(source.slice(0, maxTextLength));
  return (root.children ?? []).map((block) => write(block, links)).join(" ");
}

function write(node: Node, links: Links): string {
  if (node.type === "text" || node.type === "html") return escapeHtml(node.value ?? "");
  if (node.type === "inlineCode") return `<code>${escapeHtml(node.value ?? "")}</code>`;
  if (node.type === "break") return "<br>";
  const content = (node.children ?? []).map((child) => write(child, links)).join("");
  const tag = tags[node.type];
  if (tag !== undefined) return `<${tag}>${content}</${tag}>`;
  const href = node.type === "link" ? links.toTarget(node.url ?? "") : undefined;
  return href === undefined ? content : `<a href="${href}">${content}</a>`;
}
