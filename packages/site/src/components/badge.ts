import { inlineChildren } from "./children.ts";
import type { Component } from "./component.ts";
import { attributes, classNames, html } from "../markup/index.ts";
import { classProp, colorProp, flagProp, textProp } from "./props.ts";

const colors: ReadonlySet<string> = new Set([
  "gray",
  "blue",
  "green",
  "yellow",
  "orange",
  "red",
  "purple",
  "white",
  "surface",
  "white-destructive",
  "surface-destructive",
]);
const sizes: ReadonlySet<string> = new Set(["xs", "sm", "lg"]);

/** A word or two in a coloured box within a line of text. */
export const badge: Component = {
  names: ["Badge"],
  render({ props, place, children }, context) {
    const named = textProp(props, "color")?.toLowerCase() ?? "gray";
    const custom = colors.has(named) ? undefined : colorProp(props, "color");
    const size = textProp(props, "size")?.toLowerCase() ?? "";
    const type = textProp(props, "iconType");
    const start = attributes({
      class: classNames(
        "badge",
        colors.has(named) && `badge-${named}`,
        sizes.has(size) && `badge-${size}`,
        textProp(props, "shape")?.toLowerCase() === "pill" && "badge-pill",
        flagProp(props, "stroke") === true && "badge-stroke",
        flagProp(props, "disabled") === true && "badge-disabled",
        classProp(props),
      ),
      style: custom === undefined ? undefined : `--tone:${custom}`,
    });
    const icon = context.icon(props.icon, type === undefined ? {} : { type }, place);
    return html`<span${start}>${icon}${context.renderNodes(inlineChildren(children))}</span>`;
  },
};
