import type { ComponentContext } from "./component.ts";
import { attributes } from "../markup/index.ts";

export interface AnchorOptions {
  /** Escaped already, as `ComponentContext.href` gives it. */
  readonly href: string;
  readonly className: string;
  /** Said of a link that holds no words. */
  readonly label?: string;
}

/** A link around `content`, or the content alone where a link is open already: anchors do not nest. */
export function anchor(content: string, options: AnchorOptions, context: ComponentContext): string {
  const { href, className, label } = options;
  if (context.links.isWithinLink)
    return content === "" ? "" : `<span class="${className}">${content}</span>`;
  return `<a class="${className}" href="${href}"${attributes({ "aria-label": label })}>${content}</a>`;
}
