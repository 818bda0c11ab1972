import {
  escapeHtml,
  html,
  renderMethodLabel,
  type Html,
  joinAttributes,
} from "../../markup/index.ts";
import { findOperation, type SitePage } from "../../site/index.ts";
import type { SiteIconRenderer } from "../site-icons.ts";

/** The properties of a page, group, link or division that the navigation shows. */
interface NavLabel {
  readonly icon?: string | undefined;
  readonly iconType?: string | undefined;
  /** The method of the operation that the page documents, if any. */
  readonly method?: string | undefined;
  readonly label: string;
  readonly tag?: string | undefined;
}

/** Renders the content of a navigation link. */
export function renderNavLabel(entry: NavLabel, renderIcon: SiteIconRenderer): Html {
  const { icon, iconType, method, label, tag } = entry;
  const badge = method === undefined ? "" : renderShortMethodLabel(method);
  return html`${renderIcon(icon, iconType)}${badge}<span>${escapeHtml(label)}</span>${renderTag(tag)}`;
}

export function createPageNavLabel({ frontmatter, navTitle }: SitePage): NavLabel {
  const { icon, iconType, tag } = frontmatter;
  return { icon, iconType, method: findOperation(frontmatter)?.method, label: navTitle, tag };
}

/** Renders the tag next to a name in the navigation. Returns an empty string without a tag. */
export function renderTag(tag: string | undefined): Html {
  return tag === undefined ? "" : html`<span class="nav-tag-pill">${escapeHtml(tag)}</span>`;
}

/** Renders the colored label of a method. It is short enough for narrow columns, e.g. `DEL` for `DELETE`. */
export function renderShortMethodLabel(method: string): Html {
  return renderMethodLabel(method, method === "delete" ? "DEL" : method.toUpperCase());
}

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
  const detailsAttributes = joinAttributes({ class: "group-fold", ...fold });
  const summaryAttributes = joinAttributes({ "aria-label": name });
  return html`<a class="group-name" href="${href}"${state}>${label}</a><details${detailsAttributes}><summary${summaryAttributes}></summary>${list}</details>`;
}
