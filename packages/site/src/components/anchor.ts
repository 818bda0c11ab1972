import type { ComponentContext } from "./component.ts";
import { attributes, html, wrap, type Html } from "../markup/index.ts";

export interface AnchorOptions {
  /** Escaped already, as `ComponentContext.href` gives it. */
  readonly href: Html;
  readonly className: string;
  /** Said of a link that holds no words. */
  readonly label?: string;
}

/** A link around `content`, or the content alone where a link is open already: anchors do not nest. */
export function anchor(content: Html, options: AnchorOptions, context: ComponentContext): Html {
  const { href, className, label } = options;
  if (context.links.isWithinLink) return wrap("span", className, content);
  return html`<a${attributes({ class: className })} href="${href}"${attributes({ "aria-label": label })}>${content}</a>`;
}
