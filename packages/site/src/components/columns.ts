import type { Component } from "./component.ts";
import { joinAttributes, joinClassNames, html } from "../markup/index.ts";
import { readClassProp, readNumberProp, readStyleProp } from "./props.ts";

/** A grid of at most `cols` columns. On a narrow page, CSS reduces the number of columns. */
export const columns: Component = {
  names: ["Columns", "CardGroup"],
  render(element, context) {
    const { props } = element;
    const count = readNumberProp(props, "cols", { min: 1, max: 6 }) ?? 2;
    const attributes = joinAttributes({
      class: joinClassNames("columns", readClassProp(props)),
      style: [`--cols:${count}`, readStyleProp(props)].filter(Boolean).join(";"),
    });
    return html`<div${attributes}>${context.renderNodes(element.children)}</div>`;
  },
};

export const column: Component = {
  names: ["Column"],
  render(element, context) {
    const attributes = joinAttributes({
      class: joinClassNames("column", readClassProp(element.props)),
    });
    return html`<div${attributes}>${context.renderNodes(element.children)}</div>`;
  },
};
