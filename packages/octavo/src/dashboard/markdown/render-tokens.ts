import type { Token } from "markdown-it";
import { html } from "../html.ts";
import type { Html } from "../html.ts";

type Element = (inside: readonly Html[], token: Token) => Html;

/** The page has its own first and second headings. Paragraphs of tight lists are hidden. */
const elements: Readonly<Record<string, Element>> = {
  paragraph_open: (inside, { hidden }) => (hidden ? html`${inside}` : html`<p>${inside}</p>`),
  heading_open: (inside, { tag }) =>
    tag === "h1" || tag === "h2" ? html`<h3>${inside}</h3>` : html`<h4>${inside}</h4>`,
  blockquote_open: (inside) => html`<blockquote>${inside}</blockquote>`,
  bullet_list_open: (inside) =>
    html`<ul>
      ${inside}
    </ul>`,
  ordered_list_open: (inside, token) => orderedList(token.attrGet("start"), inside),
  list_item_open: (inside) => html`<li>${inside}</li>`,
  table_open: (inside) =>
    html`<div class="table" tabindex="0" role="region" aria-label="Table">
      <table>
        ${inside}
      </table>
    </div>`,
  thead_open: (inside) =>
    html`<thead>
      ${inside}
    </thead>`,
  tbody_open: (inside) =>
    html`<tbody>
      ${inside}
    </tbody>`,
  tr_open: (inside) =>
    html`<tr>
      ${inside}
    </tr>`,
  th_open: (inside) => html`<th scope="col">${inside}</th>`,
  td_open: (inside) => html`<td>${inside}</td>`,
  strong_open: (inside) => html`<strong>${inside}</strong>`,
  em_open: (inside) => html`<em>${inside}</em>`,
  s_open: (inside) => html`<s>${inside}</s>`,
  link_open: (inside, token) => link(token.attrGet("href"), inside),
};

const leaves: Readonly<Record<string, (token: Token) => Html>> = {
  softbreak: () => html`<br />`,
  hardbreak: () => html`<br />`,
  hr: () => html`<hr />`,
  code_inline: ({ content }) => html`<code>${content}</code>`,
  code_block: codeBlock,
  fence: codeBlock,
};

interface OpenElement {
  readonly token: Token | undefined;
  readonly inside: Html[];
}

/** Renders a parser's tokens with templates only; unknown tokens become text. */
export function renderTokens(tokens: readonly Token[]): readonly Html[] {
  const whole: OpenElement = { token: undefined, inside: [] };
  const open = [whole];
  for (const token of tokens) {
    if (token.nesting === 1) {
      open.push({ token, inside: [] });
      continue;
    }
    const done = token.nesting === -1 ? closed(open.pop()) : leaf(token, open);
    (open.at(-1) ?? whole).inside.push(done);
  }
  return whole.inside;
}

function closed(element: OpenElement | undefined): Html {
  const { token, inside = [] } = element ?? {};
  const render = elements[token?.type ?? ""];
  return token && render ? render(inside, token) : html`${inside}`;
}

function leaf(token: Token, open: readonly OpenElement[]): Html {
  if (token.type === "inline") return html`${renderTokens(token.children ?? [])}`;
  if (token.type === "image") return picture(token, open);
  return leaves[token.type]?.(token) ?? html`${token.content}`;
}

/** Nothing is loaded from other hosts: an image becomes a link, or inside a link its alternative text. */
function picture(token: Token, open: readonly OpenElement[]): Html {
  const words = token.content === "" ? "Image" : token.content;
  const isInLink = open.some((element) => element.token?.type === "link_open");
  return isInLink ? html`${words}` : link(token.attrGet("src"), [html`${words}`]);
}

function orderedList(start: string | number | null, inside: readonly Html[]): Html {
  return start === null
    ? html`<ol>
        ${inside}
      </ol>`
    : html`<ol start="${start}">
        ${inside}
      </ol>`;
}

function link(address: string | number | null, inside: readonly Html[]): Html {
  return html`<a href="${address}" rel="noopener noreferrer nofollow">${inside}</a>`;
}

function codeBlock({ content }: Token): Html {
  return html`<pre tabindex="0"><code>${content.replace(/\n$/, "")}</code></pre>`;
}
