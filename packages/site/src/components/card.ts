import {
  joinAttributes,
  joinClassNames,
  escapeHtml,
  html,
  joinHtml,
  wrapInElement,
} from "../markup/index.ts";
import type { Html, IconOptions } from "../markup/index.ts";
import type { ElementNode, Props } from "../page/index.ts";
import { renderAnchor } from "./anchor.ts";
import type { Component, ComponentContext } from "./component.ts";
import { readClassProp, readColorProp, readFlagProp, readTextProp } from "./props.ts";
import { findNamedTone } from "./tone.ts";

/** The title of a card or tile, and its link if the whole box is a link. */
interface BoxLink {
  readonly isLink: boolean;
  readonly isExternal: boolean;
  /** The HTML of the title, which contains the link if possible. */
  readonly title: Html;
  /** A separate link for a box whose title cannot contain a link; otherwise an empty string. */
  readonly overlay: Html;
}

const externalTarget = /^(?:https?:)?\/\//i;
const anchorTag = /<a[\s>]/;

function renderCardIcon(element: ElementNode, context: ComponentContext): Html {
  const { props, position } = element;
  const color = readColorProp(props, "color");
  const type = readTextProp(props, "iconType");
  const options: IconOptions = {
    defaultSize: 22,
    ...(color === undefined ? {} : { color }),
    ...(type === undefined ? {} : { type }),
  };
  const fallback = findNamedTone(readTextProp(props, "type") ?? "")?.icon;
  return wrapInElement(
    "div",
    "card-icon",
    context.renderIcon(props.icon ?? fallback, options, position),
  );
}

/** Renders the call to action, with an arrow unless the arrow is disabled. */
function renderCallToAction(props: Props): Html {
  const cta = readTextProp(props, "cta");
  if (cta === undefined) return "";
  const className = joinClassNames(
    "card-cta",
    readFlagProp(props, "arrow") === false && "card-cta-plain",
  );
  return wrapInElement("div", className, escapeHtml(cta));
}

/** Reports an empty card. The usual cause is a misspelled attribute, so the message names the card's attributes. */
function reportEmptyCard({ props, position }: ElementNode, context: ComponentContext): void {
  const names = Object.keys(props).slice(0, 10).join(", ");
  const attributeList = names === "" ? "" : ` Its attributes are ${names}.`;
  const message = `This card is an empty box: it has no title, text, icon or image.${attributeList}`;
  context.problems.warn("component_value", message, position);
}

function renderCard(element: ElementNode, context: ComponentContext): Html {
  const { props, position } = element;
  const link = renderBoxLink(element, context);
  const tone = findNamedTone(readTextProp(props, "type") ?? "");
  const image = readTextProp(props, "img");
  const hasArrow = readFlagProp(props, "arrow") ?? link.isExternal;

  const attributes = joinAttributes({
    class: joinClassNames(
      "card",
      readFlagProp(props, "horizontal") === true && "card-horizontal",
      tone?.className,
      readClassProp(props),
    ),
    "data-link": link.isLink,
  });
  const source = image === undefined ? "" : context.links.resolveMediaUrl(image, position);
  const picture =
    source === "" ? "" : html`<img class="card-image" src="${source}" alt="" loading="lazy">`;
  const arrow =
    hasArrow && link.isLink && readTextProp(props, "cta") === undefined
      ? html`<span class="card-arrow" aria-hidden="true"></span>`
      : "";
  const description = wrapInElement(
    "p",
    "card-description",
    context.renderValue(props.description, position),
  );
  const parts = joinHtml([
    wrapInElement("div", "card-title", link.title),
    wrapInElement(
      "div",
      "card-content",
      html`${description}${context.renderNodes(element.children)}`,
    ),
    renderCallToAction(props),
  ]);
  const icon = renderCardIcon(element, context);
  if (parts + picture + icon === "" && image === undefined) reportEmptyCard(element, context);
  return html`<div${attributes}>${link.overlay}${picture}<div class="card-body">${icon}<div class="card-text">${parts}</div></div>${arrow}</div>`;
}

/** A box with a title, an icon or an image. The whole box may be a link. */
export const card: Component = { names: ["Card"], render: renderCard };

/** A preview with a title below it. */
export const tile: Component = {
  names: ["Tile"],
  render(element, context) {
    const { props, position } = element;
    const link = renderBoxLink(element, context);
    const attributes = joinAttributes({
      class: joinClassNames("tile", readClassProp(props)),
      "data-link": link.isLink,
    });
    const preview = wrapInElement("div", "tile-preview", context.renderNodes(element.children));
    const title = wrapInElement("div", "tile-title", link.title);
    const text = wrapInElement(
      "div",
      "tile-text",
      context.renderValue(props.description, position),
    );
    return html`<div${attributes}>${link.overlay}${preview}${title}${text}</div>`;
  },
};

/**
 * Renders the link of a card or tile. The anchor contains only the title, and CSS (`.box-link::after`) extends it over
 * the box. The anchor cannot contain the content, because the content may contain links, and HTML does not allow nested
 * anchors.
 */
function renderBoxLink(element: ElementNode, context: ComponentContext): BoxLink {
  const { props, position } = element;
  const title = context.renderValue(props.title, position);
  const target = readTextProp(props, "href");
  if (target === undefined) return { isLink: false, isExternal: false, title, overlay: "" };

  const href = context.links.resolveHref(target, position);
  const isExternal = externalTarget.test(target);
  if (title !== "" && !anchorTag.test(title)) {
    const link = renderAnchor(title, { href, className: "box-link" }, context);
    return { isLink: true, isExternal, title: link, overlay: "" };
  }
  const label =
    context.getText(props.title) ||
    (readTextProp(props, "cta") ?? context.getText(element.children).trim().slice(0, 120)) ||
    target;
  const overlay = renderAnchor("", { href, className: "box-link", label }, context);
  return { isLink: true, isExternal, title, overlay };
}
