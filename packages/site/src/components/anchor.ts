import type { ComponentContext } from "./component.ts";
import { joinAttributes, escapeHtml, html, wrapInElement, type Html } from "../markup/index.ts";

interface AnchorOptions {
  /** The address, already escaped, as from `ComponentLinks.href`. */
  readonly href: Html;
  readonly className: string;
  /** The accessible name of a link without text. */
  readonly label?: string;
}

/**
 * Renders a link around `content`, or only the content inside another link, since anchors do not nest, and where links
 * are taken out. A link that is taken out has text but no styling, since it appears somewhere else.
 */
export function renderAnchor(
  content: Html,
  options: AnchorOptions,
  context: ComponentContext,
): Html {
  const { href, className, label } = options;
  if (context.links.isWithinLink) return wrapInElement("span", className, content);
  if (context.links.take(html`<a href="${href}">${content || escapeHtml(label ?? "")}</a>`)) {
    return wrapInElement("span", className, content);
  }
  return html`<a${joinAttributes({ class: className })} href="${href}"${joinAttributes({ "aria-label": label })}>${content}</a>`;
}
