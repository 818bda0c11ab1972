import type { Component } from "./component.ts";
import { joinAttributes, joinClassNames, html, wrapInElement } from "../markup/index.ts";
import { readClassProp, readTextProp } from "./props.ts";

/**
 * Content that is only for readers of the page, or only for programs that read its Markdown. The HTML omits the content
 * for programs.
 */
export const visibility: Component = {
  names: ["Visibility"],
  render({ props, position, children }, context) {
    const audience = readTextProp(props, "for")?.toLowerCase();
    if (audience === "agents") {
      context.recordUnshownReferences(children);
      return "";
    }
    if (audience !== "humans") {
      const message = 'Visibility needs for="humans" or for="agents"; it is shown to everybody.';
      context.problems.warn("component_value", message, position);
    }
    return context.renderNodes(children);
  },
};

/**
 * One of several views of a page between which readers can switch. Without scripts, all views are shown one after
 * another, each below its title. The client script finds the views by `data-view`.
 */
export const view: Component = {
  names: ["View"],
  render({ props, position, children }, context) {
    const title = context.getText(props.title).trim();
    const type = readTextProp(props, "iconType");
    const icon = context.renderIcon(props.icon, type === undefined ? {} : { type }, position);
    const attributes = joinAttributes({
      class: joinClassNames("view", readClassProp(props)),
      "data-view": title === "" ? undefined : title,
    });
    const heading = wrapInElement(
      "div",
      "view-title",
      html`${icon}${context.renderValue(props.title, position)}`,
    );
    return html`<section${attributes}>${heading}${context.renderNodes(children)}</section>`;
  },
};

/** Content that is shown next to the page instead of the table of contents. The layout finds it by `data-panel`. */
export const panel: Component = {
  names: ["Panel"],
  render({ props, children }, context) {
    const attributes = joinAttributes({
      class: joinClassNames("panel", readClassProp(props)),
      "data-panel": true,
    });
    return html`<aside${attributes}>${context.renderNodes(children)}</aside>`;
  },
};
