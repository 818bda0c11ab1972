import { joinAttributes, html, type Html } from "../../markup/index.ts";

interface CollapsibleLink {
  readonly href: Html;
  readonly isCurrent?: boolean;
  /** The attributes of `<details>`. */
  readonly fold?: Parameters<typeof joinAttributes>[0];
  readonly list: Html;
}

/**
 * Renders a group whose name is a link, with a collapsible list. A button with the same name, next to the link, expands
 * the list. The two are separate because a button cannot contain a link, and readers without a mouse must be able to
 * distinguish them.
 */
export function renderCollapsibleLink(
  { name, label }: { readonly name: string; readonly label: Html },
  { href, isCurrent = false, fold = {}, list }: CollapsibleLink,
): Html {
  const state = joinAttributes({ "aria-current": isCurrent && "page" });
  const start = joinAttributes({ class: "group-fold", ...fold });
  const title = joinAttributes({ "aria-label": name });
  return html`<a class="group-name" href="${href}"${state}>${label}</a><details${start}><summary${title}></summary>${list}</details>`;
}
