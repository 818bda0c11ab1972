import type { Addresses } from "../addresses.ts";
import { html } from "../html.ts";
import type { Html, HtmlValue } from "../html.ts";

/** What several pages have in common. */

/** The head of a page below others: the way there, and its title. */
export function pageHead(
  way: readonly (readonly [text: string, href: string])[],
  title: HtmlValue,
  beside?: HtmlValue,
): Html {
  const links = way.map(([text, href]) => html`<li><a href="${href}">${text}</a></li>`);
  return html`${
    links.length > 0 &&
    html`<nav class="way" aria-label="Breadcrumb">
        <ol>
          ${links}
        </ol>
      </nav>`
  }
    <div class="head">
      <h1>${title}</h1>
      ${beside}
    </div>`;
}

/** A word for a state, told by a colour too. */
export function statusBadge(state: string, text: string = state): Html {
  return html`<span class="badge badge-${state}">${text}</span>`;
}

/** Something that people take elsewhere; `what` names it for those who do not see it. */
export function copied(text: string, what: string): Html {
  return html`<span class="copied"><code data-copy="${what}">${text}</code></span>`;
}

export function empty(text: HtmlValue): Html {
  return html`<p class="empty">${text}</p>`;
}

/** A link to what is older, where there is any. */
export function olderLink(href: string, next: string | number | null, text: string): Html | false {
  const separator = href.includes("?") ? "&" : "?";
  return (
    next !== null &&
    html`<p class="older"><a href="${href}${separator}before=${next}">${text}</a></p>`
  );
}

export function projectWay(
  addresses: Addresses,
  project: { readonly id: string; readonly name: string },
): readonly (readonly [string, string])[] {
  return [
    ["Projects", addresses.projects],
    [project.name, addresses.project(project.id)],
  ];
}
