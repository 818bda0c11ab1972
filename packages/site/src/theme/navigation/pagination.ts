import { attributes, escapeHtml, html, type Html } from "../../markup/index.ts";
import type { SitePage } from "../../site/index.ts";
import type { FrameContext } from "../frame-context.ts";
import { plainDescription } from "../inline-markdown.ts";
import { truncateWords } from "../head/summary.ts";

/** There is no room for more below a title, and the style sheet cuts it further in narrow windows. */
const maxDescription = 100;

/** Links to the pages before and after, given by their paths. */
export function renderPagination(
  { links, words }: FrameContext,
  { previous, next }: { readonly previous?: string; readonly next?: string },
): Html {
  const render = (path: string | undefined, side: "previous" | "next"): Html => {
    const page = path === undefined ? undefined : links.page(path);
    if (page === undefined) return "";
    const start = attributes({
      class: `pagination-${side}`,
      rel: side === "next" ? "next" : "prev",
    });
    return html`<a${start} href="${links.toPage(page.path)}"><small>${escapeHtml(words[side])}</small>${renderTarget(page)}</a>`;
  };
  const both = html`${render(previous, "previous")}${render(next, "next")}`;
  if (both === "") return "";
  const label = escapeHtml(`${words.previous}, ${words.next}`);
  return html`<nav id="pagination" aria-label="${label}">${both}</nav>`;
}

function renderTarget({ navTitle, frontmatter: { description } }: SitePage): Html {
  const title = html`<span>${escapeHtml(navTitle)}</span>`;
  if (description === undefined) return title;
  return html`${title}<small>${escapeHtml(truncateWords(plainDescription(description), maxDescription))}</small>`;
}
