import { html } from "../html.ts";
import type { Html } from "../html.ts";

/** Words that are rendered as one run; the rest of a longer one is shown as it stands. */
const longestRun = 20_000;
const longestAddress = 2000;

/**
 * Marks within a line, tried in this order at each place. None holds another but strong and emphasised
 * words, and each looks for its end within a bounded distance: the work is linear in the text.
 */
const marks =
  /`([^`\n]{1,1000})`|\*\*(?=\S)([^*\n]{1,1000})\*\*|\[([^[\]\n]{1,500})\]\(([^()\s]{1,2000})\)|<?(https?:\/\/[^\s<>"'`)\]]{0,1999}[^\s<>"'`)\].,;:!?])>?|(?<![\w*])\*(?=\S)([^*\n]{1,1000})\*(?!\w)|(?<!\w)_(?=\S)([^_\n]{1,1000})_(?!\w)|\\([!-/:-@[-`{-~])/g;

/** Code, strong and emphasised words and links; everything else is text. In a link there is no other. */
export function renderInline(text: string, isLink = false): Html {
  if (text.length > longestRun) return html`${text}`;
  const parts: (Html | string)[] = [];
  let at = 0;
  for (const match of text.matchAll(marks)) {
    parts.push(text.slice(at, match.index), renderMark(match, isLink));
    at = match.index + match[0].length;
  }
  return html`${parts}${text.slice(at)}`;
}

function renderMark(match: RegExpExecArray, isLink: boolean): Html {
  const [whole, code, strong, label, target, bare, starred, underlined, escaped] = match;
  if (code !== undefined) return html`<code>${code}</code>`;
  if (strong !== undefined) return html`<strong>${renderInline(strong, isLink)}</strong>`;
  if (isLink && (label ?? bare) !== undefined) return html`${whole}`;
  if (label !== undefined) return link(target ?? "", renderInline(label, true), whole);
  if (bare !== undefined) return link(bare, html`${bare}`, whole);
  if (escaped !== undefined) return html`${escaped}`;
  return html`<em>${renderInline(starred ?? underlined ?? "", isLink)}</em>`;
}

/** Only addresses of the web: nothing that runs, and nothing of the dashboard's own. */
function link(address: string, label: Html, whole: string): Html {
  const url = address.length <= longestAddress ? URL.parse(address) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) return html`${whole}`;
  return html`<a href="${url.href}" rel="noopener noreferrer nofollow">${label}</a>`;
}
