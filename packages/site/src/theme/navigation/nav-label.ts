import { escapeHtml, html, renderMethodLabel, type Html } from "../../markup/index.ts";
import { findOperation, type SitePage } from "../../site/index.ts";
import type { SiteIconRenderer } from "../site-icons.ts";

/** The parts of a page, group, link or division that the navigation shows. */
interface NavLabel {
  readonly icon?: string | undefined;
  readonly iconType?: string | undefined;
  /** The method of the operation that the page documents, if any. */
  readonly method?: string | undefined;
  readonly label: string;
  readonly tag?: string | undefined;
}

/** Renders the content of a navigation link. */
export function renderNavLabel(shown: NavLabel, renderIcon: SiteIconRenderer): Html {
  const { icon, iconType, method, label, tag } = shown;
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
