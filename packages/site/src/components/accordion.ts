import {
  joinAttributes,
  joinClassNames,
  escapeHtml,
  html,
  joinHtml,
  wrapInElement,
} from "../markup/index.ts";
import type { Html } from "../markup/index.ts";
import type { ElementNode } from "../page/index.ts";
import type { Component, ComponentContext, ComponentLinks } from "./component.ts";
import { readClassProp, readFlagProp, readTextProp } from "./props.ts";

interface CollapsibleOptions {
  readonly className: string;
  /** The title if the author did not set one. */
  readonly fallbackTitle: string;
}

function renderCollapsible(
  element: ElementNode,
  context: ComponentContext,
  options: CollapsibleOptions,
): Html {
  const { props, position } = element;
  const type = readTextProp(props, "iconType");
  const authoredId = readTextProp(props, "id");
  const title = context.getText(props.title).trim() || options.fallbackTitle;
  const isOpen = readFlagProp(props, "defaultOpen") === true;
  const attributes = joinAttributes({
    class: joinClassNames("fold", options.className, readClassProp(props)),
    id:
      authoredId === undefined
        ? context.ids.claim(title)
        : context.ids.claim(authoredId, { isExact: true }),
    open: isOpen,
  });
  const summary = renderCollapsibleTitle(() => {
    const icon = context.renderIcon(props.icon, type === undefined ? {} : { type }, position);
    const titleHtml = context.renderValue(props.title, position) || escapeHtml(title);
    const description = context.renderValue(props.description, position);
    return html`${icon}<span class="fold-text"><span class="fold-title">${titleHtml}</span>${wrapInElement("span", "fold-description", description)}</span>`;
  }, context.links);
  const render = () => context.renderNodes(element.children);
  const children = isOpen ? render() : context.outline.renderHidden(render);
  const content = html`<div class="fold-content">${summary.links}${children}</div>`;
  return html`<details${attributes}><summary>${summary.title}</summary>${content}</details>`;
}

export const accordion: Component = {
  names: ["Accordion"],
  render: (element, context) =>
    renderCollapsible(element, context, { className: "accordion", fallbackTitle: "Details" }),
};

export const accordionGroup: Component = {
  names: ["AccordionGroup"],
  render({ props, position, children }, context) {
    const attributes = joinAttributes({
      class: joinClassNames("accordion-group", readClassProp(props)),
    });
    const title = wrapInElement(
      "div",
      "accordion-group-title",
      context.renderValue(props.title, position),
    );
    return html`${title}<div${attributes}>${context.renderNodes(children)}</div>`;
  },
};

/** The collapsible fields of an object, within the field that describes the object. */
export const expandable: Component = {
  names: ["Expandable"],
  render: (element, context) =>
    renderCollapsible(element, context, { className: "expandable", fallbackTitle: "Details" }),
};

/** The title of a collapsible section without its links, which are shown in the section's content instead. */
interface CollapsibleTitle {
  readonly title: Html;
  /** The links in the title; an empty string if there are none. */
  readonly links: Html;
}

/**
 * Renders the title of collapsible content without its links. The title is a button, which must not contain other
 * controls, because readers without a mouse could not tell which control they would activate.
 */
export function renderCollapsibleTitle(
  render: () => Html,
  links: ComponentLinks,
): CollapsibleTitle {
  const { html: title, collectedLinks } = links.renderWithoutLinks(render);
  return { title, links: wrapInElement("p", "fold-links", joinHtml(collectedLinks, html` `)) };
}
