import type { Addresses } from "../addresses.ts";
import { html } from "../html.ts";
import type { Html, HtmlValue } from "../html.ts";

/** Parts that several pages share. */

/** A page's breadcrumbs and title. */
export function pageHead(
  breadcrumbs: readonly (readonly [text: string, href: string])[],
  title: HtmlValue,
  beside?: HtmlValue,
): Html {
  const links = breadcrumbs.map(([text, href]) => html`<li><a href="${href}">${text}</a></li>`);
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

/** A state as a word with a colour. */
export function statusBadge(state: string, text: string = state): Html {
  return html`<span class="badge badge-${state}">${text}</span>`;
}

/** An open draft is one that cannot be merged yet; what has ended is no draft any more. */
export function pullRequestBadge(state: string, isDraft: boolean): Html {
  return isDraft && state === "open" ? statusBadge(state, "draft") : statusBadge(state);
}

/** Text with a copy button; `what` names it for screen readers. */
export function copyable(text: string, what: string): Html {
  return html`<span class="copied"><code data-copy="${what}">${text}</code></span>`;
}

export function emptyNote(text: HtmlValue): Html {
  return html`<p class="empty">${text}</p>`;
}

/** A link to the next page of a list, if there is one. */
export function olderLink(href: string, next: string | number | null, text: string): Html | false {
  const separator = href.includes("?") ? "&" : "?";
  return (
    next !== null &&
    html`<p class="older"><a href="${href}${separator}before=${next}">${text}</a></p>`
  );
}

export function projectBreadcrumbs(
  addresses: Addresses,
  project: { readonly id: string; readonly name: string },
): readonly (readonly [string, string])[] {
  return [
    ["Projects", addresses.projects],
    [project.name, addresses.project(project.id)],
  ];
}
