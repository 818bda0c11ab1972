import type { ComponentContext } from "./component.ts";
import { attributes, html, wrap, type Html } from "../markup/index.ts";

export interface AnchorOptions {
  /** Already escaped, as from `ComponentLinks.href`. */
  readonly href: Html;
  readonly className: string;
  /** The accessible name of a link without text. */
  readonly label?: string;
}

/** A link around `content`, or the content alone inside another link: anchors do not nest. */
export function anchor(content: Html, options: AnchorOptions, context: ComponentContext): Html {
  const { href, className, label } = options;
  if (context.links.isWithinLink) return wrap("span", className, content);
  return html`<a${attributes({ class: className })} href="${href}"${attributes({ "aria-label": label })}>${content}</a>`;
}
