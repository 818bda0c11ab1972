import MarkdownIt from "markdown-it";
import type { Token } from "markdown-it";
import { safeHtml } from "../safe-html.ts";
import type { SafeHtml } from "../safe-html.ts";
import { renderTokens } from "./render-tokens.ts";

/** The maximum length of a source, in characters, which is the limit of code hosts. */
const maxSourceLength = 65_536;
/** The maximum depth of nesting. Content that is nested more deeply is omitted. */
const maxNesting = 30;
/** Matches absolute web and email addresses, but no scripts and no paths of the dashboard. */
const allowedLink = /^(?:https?:\/\/|mailto:)/i;

const parser = createParser();

/**
 * Renders the Markdown of summaries, transcripts and pull requests as code hosts do. Line breaks are kept, tags become
 * text, links lead only to the web, and images become links. Time and depth are bounded for any input.
 */
export function renderSafeMarkdown(source: string): SafeHtml {
  const blocks = renderTokens(liftHeadings(parser.parse(source.slice(0, maxSourceLength), {})));
  const isCut = source.length > maxSourceLength;
  return safeHtml`${blocks}${isCut && safeHtml`<p class="soft">The rest of this text is not shown.</p>`}`;
}

/** Raises the topmost headings to the second level if they are deeper, so that the page skips no level. */
function liftHeadings(tokens: readonly Token[]): readonly Token[] {
  const headings = tokens.filter(({ type }) => type.startsWith("heading_"));
  const [top = "h1"] = headings.map(({ tag }) => tag).toSorted();
  if (top > "h2") for (const token of headings) if (token.tag === top) token.tag = "h2";
  return tokens;
}

/** Renders one line with code, strong and emphasized words, and links. */
export function renderInline(line: string): SafeHtml {
  return safeHtml`${renderTokens(parser.parseInline(line.slice(0, maxSourceLength), {}))}`;
}

/** Returns the top-level blocks of a text, each as a list of the parser's tokens. Line numbers start at 0. */
export function parseBlocks(source: string): readonly (readonly Token[])[] {
  const blocks: Token[][] = [];
  for (const token of parser.parse(source, {})) {
    const isFirst = token.level === 0 && token.nesting !== -1;
    if (isFirst) blocks.push([token]);
    else blocks.at(-1)?.push(token);
  }
  return blocks;
}

function createParser(): InstanceType<typeof MarkdownIt> {
  const made = new MarkdownIt("default", { html: false, linkify: true, maxNesting });
  // Only full addresses become links, because most words that merely look like a domain are file names.
  made.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
  made.validateLink = (address) => allowedLink.test(address);
  return made;
}
