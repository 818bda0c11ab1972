import {
  getFieldText,
  findBodyStart,
  readFrontmatterFields,
  readFenceLine,
} from "@octavo/site/text";
import type { OpenFence } from "@octavo/site/text";
import { safeHtml } from "../safe-html.ts";
import type { HtmlValue, SafeHtml } from "../safe-html.ts";
import { parseBlocks } from "./markdown.ts";
import { renderTokens } from "./render-tokens.ts";
import type { WriteText } from "./render-tokens.ts";

/** A top-level block of a page (a paragraph, a list and so on), a tag around such blocks, or a frontmatter field. */
export interface PageBlock {
  readonly kind: "field" | "tag" | "markdown";
  /** The block's source text, for comparison. */
  readonly source: string;
  readonly render: (write: WriteText) => SafeHtml;
}

const tagLine = /^\s*(?:<\/?[A-Za-z>][^<>]{0,300}\/?>\s*)+$|^(?:import|export)\s/;
const maxTagLength = 600;

/**
 * Returns the blocks of a Markdown or MDX page as people read it. Components are not rendered: their tags appear on
 * lines of their own, and the content between them is rendered as Markdown.
 */
export function parsePageBlocks(page: string): readonly PageBlock[] {
  const source = page.replaceAll("\r\n", "\n");
  const blocks: PageBlock[] = readFrontmatterFields(source).map((field) =>
    fieldBlock(field.key, getFieldText(source, field) ?? ""),
  );
  let text: string[] = [];
  let fence: OpenFence | undefined;
  function close(): void {
    blocks.push(...markdownBlocks(text));
    text = [];
  }
  for (const line of source.slice(findBodyStart(source)).split("\n")) {
    const read = readFenceLine(line, fence);
    fence = read.open;
    if (!read.isCode && line.length <= maxTagLength && tagLine.test(line)) {
      close();
      blocks.push(tagBlock(line.trim()));
    } else {
      text.push(line);
    }
  }
  close();
  return blocks;
}

function fieldBlock(key: string, value: string): PageBlock {
  const render = (write: WriteText): SafeHtml =>
    safeHtml`<p class="page-field"><span class="faint">${key}</span> ${write(value)}</p>`;
  return { kind: "field", source: `${key}: ${value}`, render };
}

function tagBlock(line: string): PageBlock {
  const render = (write: WriteText): SafeHtml =>
    safeHtml`<p class="page-tag"><code>${write(line)}</code></p>`;
  return { kind: "tag", source: line, render };
}

/** Parses lines with a common indentation, such as those between two tags. */
function markdownBlocks(indented: readonly string[]): readonly PageBlock[] {
  const full = indented.filter((line) => line.trim() !== "");
  const indent = Math.min(...full.map((line) => line.length - line.trimStart().length));
  const lines = Number.isFinite(indent) ? indented.map((line) => line.slice(indent)) : [];
  return parseBlocks(lines.join("\n")).map((tokens): PageBlock => {
    const [from = 0, to = 0] = tokens[0]?.map ?? [];
    return {
      kind: "markdown",
      source: lines.slice(from, to).join("\n").trimEnd(),
      render: (write) => safeHtml`${renderTokens(tokens, write)}`,
    };
  });
}

/** Returns all texts of a block, as `render` writes them. */
export function getBlockText(block: PageBlock): string {
  let all = "";
  block.render((text): HtmlValue => {
    all += text;
    return text;
  });
  return all;
}
