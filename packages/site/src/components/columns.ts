import type { Component } from "./component.ts";
import { attributes, classNames, html } from "../markup/index.ts";
import { classProp, numberProp, styleProp } from "./props.ts";

/** A grid of at most `cols` columns; CSS makes fewer of them on a narrow page. */
export const columns: Component = {
  names: ["Columns", "CardGroup"],
  render(element, context) {
    const { props } = element;
    const count = numberProp(props, "cols", { min: 1, max: 6 }) ?? 2;
    const start = attributes({
      class: classNames("columns", classProp(props)),
      style: [`--cols:${count}`, styleProp(props)].filter(Boolean).join(";"),
    });
    return html`<div${start}>${context.renderNodes(element.children)}</div>`;
  },
};

export const column: Component = {
  names: ["Column"],
  render(element, context) {
    const start = attributes({ class: classNames("column", classProp(element.props)) });
    return html`<div${start}>${context.renderNodes(element.children)}</div>`;
  },
};
