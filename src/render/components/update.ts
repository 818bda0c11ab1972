import { anchor } from "./anchor.ts";
import type { Component } from "./component.ts";
import { attributes, classNames, escapeHtml, wrap } from "./html.ts";
import { classProp, listProp } from "./props.ts";

/** One entry of a changelog: its label is a link target and stands in the table of contents. */
export const update: Component = {
  names: ["Update"],
  render({ props, place, children }, context) {
    const label = context.textOf(props.label).trim();
    const id = label === "" ? undefined : context.claimId(label);
    if (id !== undefined) context.addOutline({ depth: 2, id, text: label });
    const tags = listProp(props, "tags");
    const start = attributes({
      class: classNames("update", classProp(props)),
      id,
      "data-tags": tags.length === 0 ? undefined : JSON.stringify(tags),
    });
    const labelHtml =
      id === undefined
        ? ""
        : anchor(
            escapeHtml(label),
            { href: `#${escapeHtml(id)}`, className: "update-label" },
            context,
          );
    const tagHtml = tags.map((tag) => wrap("span", "badge badge-sm", escapeHtml(tag))).join(" ");
    const meta = [
      labelHtml,
      wrap("div", "update-tags", tagHtml),
      wrap("div", "update-description", context.renderValue(props.description, place)),
    ].join("");
    const render = () => context.renderNodes(children);
    const inner = id === undefined ? render() : context.withinOutline(render);
    const content = `<div class="update-content">${inner}</div>`;
    return `<section${start}><div class="update-meta">${meta}</div>${content}</section>`;
  },
};
