import type { ComponentContext } from "./component.ts";
import { attributes, escapeHtml, html, wrap, type Html } from "../markup/index.ts";

interface AnchorOptions {
  /** Already escaped, as from `ComponentLinks.href`. */
  readonly href: Html;
  readonly className: string;
  /** The accessible name of a link without text. */
  readonly label?: string;
}

/**
 * A link around `content`, or the content alone inside another link, as anchors do not nest, and where links are taken
 * out: a link that is taken has words and no looks, since it stands somewhere else.
 */
export function anchor(content: Html, options: AnchorOptions, context: ComponentContext): Html {
  const { href, className, label } = options;
  if (context.links.isWithinLink) return wrap("span", className, content);
  if (context.links.take(html`<a href="${href}">${content || escapeHtml(label ?? "")}</a>`)) {
    return wrap("span", className, content);
  }
  return html`<a${attributes({ class: className })} href="${href}"${attributes({ "aria-label": label })}>${content}</a>`;
}
