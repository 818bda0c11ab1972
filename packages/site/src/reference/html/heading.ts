import { escapeHtml, html, type Html } from "../../markup/index.ts";
import type { ApiContext } from "../api-context.ts";
import { joinSpaced } from "./markup.ts";

export interface HeadingOptions {
  /** In English, so that links lead to the same id in every language of a site. */
  readonly id: string;
  readonly depth?: number;
  /** HTML before and after the text, not shown in the table of contents. */
  readonly before?: Html;
  readonly aside?: Html;
}

/** A heading that the page's table of contents lists. */
export function sectionHeading(text: string, options: HeadingOptions, { page }: ApiContext): Html {
  const { depth = 2, before = "", aside = "" } = options;
  const id = page.ids.claim(options.id);
  page.outline.add({ depth, id, text });
  const target = escapeHtml(id);
  const link = html`<a class="anchor" href="#${target}" aria-hidden="true" tabindex="-1"></a>`;
  const parts = joinSpaced([before, escapeHtml(text), aside]);
  return html`<h${depth} class="api-heading" id="${target}">${parts}${link}</h${depth}>`;
}
