import { unwrapParagraphs } from "./children.ts";
import type { Component } from "./component.ts";
import { joinAttributes, joinClassNames, html } from "../markup/index.ts";
import { readClassProp, readColorProp, readFlagProp, readTextProp } from "./props.ts";

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

/** One or two words in a colored box within a line of text. */
export const badge: Component = {
  names: ["Badge"],
  render({ props, position, children }, context) {
    const colorName = readTextProp(props, "color")?.toLowerCase() ?? "gray";
    const customColor = colors.has(colorName) ? undefined : readColorProp(props, "color");
    const size = readTextProp(props, "size")?.toLowerCase() ?? "";
    const type = readTextProp(props, "iconType");
    const attributes = joinAttributes({
      class: joinClassNames(
        "badge",
        colors.has(colorName) && `badge-${colorName}`,
        sizes.has(size) && `badge-${size}`,
        readTextProp(props, "shape")?.toLowerCase() === "pill" && "badge-pill",
        readFlagProp(props, "stroke") === true && "badge-stroke",
        readFlagProp(props, "disabled") === true && "badge-disabled",
        readClassProp(props),
      ),
      style: customColor === undefined ? undefined : `--tone:${customColor}`,
    });
    const icon = context.renderIcon(props.icon, type === undefined ? {} : { type }, position);
    return html`<span${attributes}>${icon}${context.renderNodes(unwrapParagraphs(children))}</span>`;
  },
};
