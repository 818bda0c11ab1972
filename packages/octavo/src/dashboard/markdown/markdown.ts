import MarkdownIt from "markdown-it";
import type { Token } from "markdown-it";
import { safeHtml } from "../safe-html.ts";
import type { SafeHtml, HtmlValue } from "../safe-html.ts";

/** The maximum length of a source, in characters, which is the limit of code hosts. */
const maxSourceLength = 65_536;
/** The maximum depth of nesting. Content that is nested more deeply is omitted. */
const maxNesting = 30;
/** Matches absolute web and email addresses, but neither `javascript:` URLs nor paths of the dashboard. */
const allowedLink = /^(?:https?:\/\/|mailto:)/i;

const parser = createParser();

/**
 * Renders the Markdown of summaries, transcripts and pull requests as code hosts do. Line breaks are preserved, tags
 * become text, links lead only to the web, and images become links. Time and depth are bounded for any input.
 */
export function renderSafeMarkdown(source: string): SafeHtml {
  const blocks = renderTokens(liftHeadings(parser.parse(source.slice(0, maxSourceLength), {})));
  const isTruncated = source.length > maxSourceLength;
  return safeHtml`${blocks}${isTruncated && safeHtml`<p class="soft">The rest of this text is not shown.</p>`}`;
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
  const markdownIt = new MarkdownIt("default", { html: false, linkify: true, maxNesting });
  // Only full addresses become links, because most words that merely look like a domain are file names.
  markdownIt.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
  markdownIt.validateLink = (address) => allowedLink.test(address);
  return markdownIt;
}

type RenderElement = (inside: readonly SafeHtml[], token: Token) => SafeHtml;

/** The elements for the parser's tokens. Headings start below the page's own first- and second-level headings. */
const elementRenderers: Readonly<Record<string, RenderElement>> = {
  paragraph_open: (inside, { hidden }) =>
    hidden ? safeHtml`${inside}` : safeHtml`<p>${inside}</p>`,
  heading_open: (inside, { tag }) =>
    tag === "h1" || tag === "h2" ? safeHtml`<h3>${inside}</h3>` : safeHtml`<h4>${inside}</h4>`,
  blockquote_open: (inside) => safeHtml`<blockquote>${inside}</blockquote>`,
  bullet_list_open: (inside) =>
    safeHtml`<ul>
      ${inside}
    </ul>`,
  ordered_list_open: (inside, token) => renderOrderedList(token.attrGet("start"), inside),
  list_item_open: (inside) => safeHtml`<li>${inside}</li>`,
  table_open: (inside) =>
    safeHtml`<div class="table" tabindex="0" role="region" aria-label="Table">
      <table>
        ${inside}
      </table>
    </div>`,
  thead_open: (inside) =>
    safeHtml`<thead>
      ${inside}
    </thead>`,
  tbody_open: (inside) =>
    safeHtml`<tbody>
      ${inside}
    </tbody>`,
  tr_open: (inside) =>
    safeHtml`<tr>
      ${inside}
    </tr>`,
  th_open: (inside) => safeHtml`<th scope="col">${inside}</th>`,
  td_open: (inside) => safeHtml`<td>${inside}</td>`,
  strong_open: (inside) => safeHtml`<strong>${inside}</strong>`,
  em_open: (inside) => safeHtml`<em>${inside}</em>`,
  s_open: (inside) => safeHtml`<s>${inside}</s>`,
  link_open: (inside, token) => renderLink(token.attrGet("href"), inside),
};

/** Renders a piece of the source's text. Called for all pieces in order. */
export type WriteText = (text: string) => HtmlValue;

const leafRenderers: Readonly<Record<string, (token: Token, write: WriteText) => SafeHtml>> = {
  softbreak: () => safeHtml`<br />`,
  hardbreak: () => safeHtml`<br />`,
  hr: () => safeHtml`<hr />`,
  code_inline: ({ content }, write) => safeHtml`<code>${write(content)}</code>`,
  code_block: renderCodeBlock,
  fence: renderCodeBlock,
};

interface OpenElement {
  readonly token: Token | undefined;
  readonly children: SafeHtml[];
}

/** Renders a parser's tokens with templates only. Unknown tokens become text. */
export function renderTokens(
  tokens: readonly Token[],
  write: WriteText = (text) => text,
): readonly SafeHtml[] {
  const root: OpenElement = { token: undefined, children: [] };
  const openElements = [root];
  for (const token of tokens) {
    if (token.nesting === 1) {
      openElements.push({ token, children: [] });
      continue;
    }
    const rendered =
      token.nesting === -1
        ? renderElement(openElements.pop())
        : renderLeaf(token, openElements, write);
    (openElements.at(-1) ?? root).children.push(rendered);
  }
  return root.children;
}

function renderElement(element: OpenElement | undefined): SafeHtml {
  const { token, children: inside = [] } = element ?? {};
  const render = elementRenderers[token?.type ?? ""];
  return token && render ? render(inside, token) : safeHtml`${inside}`;
}

function renderLeaf(token: Token, open: readonly OpenElement[], write: WriteText): SafeHtml {
  if (token.type === "inline") return renderInlineToken(token, open, write);
  if (token.type === "image") return renderImage(token, open);
  return leafRenderers[token.type]?.(token, write) ?? safeHtml`${write(token.content)}`;
}

function renderInlineToken(token: Token, open: readonly OpenElement[], write: WriteText): SafeHtml {
  const [first, ...rest] = renderTokens(token.children ?? [], write);
  const [, mark] = (isAtItemStart(open) && taskBox.exec(token.content)) || [];
  if (mark === undefined || first === undefined) return safeHtml`${first}${rest}`;
  return safeHtml`${mark === " " ? uncheckedBox : checkedBox} ${token.children?.[0]?.content.slice(taskBoxLength)}${rest}`;
}

/** Matches the checkbox of a task in a token's source. Only the source shows whether the box was escaped. */
const taskBox = /^\[([ xX])\] /;
const taskBoxLength = "[x] ".length;
const uncheckedBox = safeHtml`<span class="task" role="img" aria-label="Not done"></span>`;
const checkedBox = safeHtml`<span class="task done" role="img" aria-label="Done"></span>`;

function isAtItemStart(open: readonly OpenElement[]): boolean {
  const [item, paragraph] = open.slice(-2);
  return (
    item?.token?.type === "list_item_open" &&
    item.children.length === 0 &&
    !paragraph?.children.length
  );
}

/**
 * Renders an image as a link, or as its alternative text if it is inside a link, so that nothing is loaded from other
 * hosts.
 */
function renderImage(token: Token, open: readonly OpenElement[]): SafeHtml {
  const linkText = token.content === "" ? "Image" : token.content;
  const isInLink = open.some((element) => element.token?.type === "link_open");
  return isInLink
    ? safeHtml`${linkText}`
    : renderLink(token.attrGet("src"), [safeHtml`${linkText}`]);
}

function renderOrderedList(start: string | number | null, inside: readonly SafeHtml[]): SafeHtml {
  return start === null
    ? safeHtml`<ol>
        ${inside}
      </ol>`
    : safeHtml`<ol start="${start}">
        ${inside}
      </ol>`;
}

function renderLink(address: string | number | null, inside: readonly SafeHtml[]): SafeHtml {
  return safeHtml`<a href="${address}" rel="noopener noreferrer nofollow">${inside}</a>`;
}

function renderCodeBlock({ content }: Token, write: WriteText): SafeHtml {
  return safeHtml`<pre tabindex="0"><code>${write(content.replace(/\n$/, ""))}</code></pre>`;
}
