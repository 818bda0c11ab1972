import type { ElementNode } from "../page/index.ts";
import { anchor } from "./anchor.ts";
import type { ComponentContext } from "./component.ts";
import type { Html } from "../markup/index.ts";
import { textProp } from "./props.ts";

/** The parts of a box that is a link as a whole. */
export interface BoxLink {
  readonly isLink: boolean;
  readonly isExternal: boolean;
  /** HTML of the title, with the link in it if that is possible. */
  readonly title: Html;
  /** A separate link for a box whose title cannot contain one; else empty. */
  readonly overlay: Html;
}

const external = /^(?:https?:)?\/\//i;
const anchorTag = /<a[\s>]/;

/**
 * The link of a card or tile. The anchor contains only the title and is stretched over the box by CSS
 * (`.box-link::after`): content may contain links of its own, and HTML allows no anchors inside anchors.
 */
export function boxLink(element: ElementNode, context: ComponentContext): BoxLink {
  const { props, place } = element;
  const title = context.renderValue(props.title, place);
  const target = textProp(props, "href");
  if (target === undefined) return { isLink: false, isExternal: false, title, overlay: "" };

  const href = context.links.href(target, place);
  const isExternal = external.test(target);
  if (title !== "" && !anchorTag.test(title)) {
    const link = anchor(title, { href, className: "box-link" }, context);
    return { isLink: true, isExternal, title: link, overlay: "" };
  }
  const label =
    context.textOf(props.title) ||
    (textProp(props, "cta") ?? context.textOf(element.children).trim().slice(0, 120)) ||
    target;
  const overlay = anchor("", { href, className: "box-link", label }, context);
  return { isLink: true, isExternal, title, overlay };
}
