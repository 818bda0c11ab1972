import type { ComponentContext } from "./component.ts";
import { joinAttributes, escapeHtml, html, wrapInElement, type Html } from "../markup/index.ts";

interface AnchorOptions {
  /** The escaped address, e.g. from `ComponentLinks.href`. */
  readonly href: Html;
  readonly className: string;
  /** The accessible name of a link without text. */
  readonly label?: string;
}

/**
 * Renders a link around `content`. Within another link, renders only the content, because anchors cannot be nested.
 * Within `renderWithoutLinks`, also renders only the content, and collects the link. A collected link has text but no
 * styling, because it is shown elsewhere.
 */
export function renderAnchor(
  content: Html,
  options: AnchorOptions,
  context: ComponentContext,
): Html {
  const { href, className, label } = options;
  if (context.links.isWithinLink) return wrapInElement("span", className, content);
  if (
    context.links.collectLink(html`<a href="${href}">${content || escapeHtml(label ?? "")}</a>`)
  ) {
    return wrapInElement("span", className, content);
  }
  return html`<a${joinAttributes({ class: className })} href="${href}"${joinAttributes({ "aria-label": label })}>${content}</a>`;
}
