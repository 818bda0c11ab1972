import type { IconOptions } from "../markup/index.ts";
import type { Props, TreeNode } from "../page/index.ts";
import { isElement } from "../page/index.ts";
import type { Component } from "./component.ts";
import {
  readClassProp,
  readColorProp,
  readNumberProp,
  readStyleProp,
  readTextProp,
} from "./props.ts";

const pixelWidth = /(?:^|;)width:\s*(\d{1,3})px/;

/** Reads the attributes of an Icon that determine its appearance. */
function readIconOptions(props: Props): IconOptions {
  const styleWidth = pixelWidth.exec(readStyleProp(props) ?? "")?.[1];
  const isPixels = pixelPattern.test(readTextProp(props, "size") ?? "");
  const size =
    (isPixels ? readNumberProp(props, "size", { min: 4, max: 512 }) : undefined) ??
    (styleWidth === undefined ? undefined : Number(styleWidth));
  const color = readColorProp(props, "color");
  const type = readTextProp(props, "iconType");
  const className = readClassProp(props);
  return {
    ...(size === undefined ? {} : { size }),
    ...(color === undefined ? {} : { color }),
    ...(type === undefined ? {} : { type }),
    ...(className === undefined ? {} : { className }),
  };
}

/** An icon within a line of text. */
export const icon: Component = {
  names: ["Icon"],
  render({ props, position }, context) {
    const name = props.icon ?? props.name ?? props.src;
    if (name === undefined || name === null || name === "") {
      const message = 'This Icon names no icon; write <Icon icon="rocket" />.';
      context.problems.warn("component_value", message, position);
      return "";
    }
    return context.renderIcon(name, readIconOptions(props), position);
  },
};

/** Matches a size such as `24` or `24px`, but no other units. */
const pixelPattern = /^[\d.]+(?:px)?$/;

const pixelRange = { min: 4, max: 512 };

/**
 * Returns the width in pixels of an author's own drawing, or its height if the width is unknown. Returns undefined if
 * both are unknown.
 */
export function readDrawingSize(nodes: readonly TreeNode[]): number | undefined {
  const [svg] = nodes;
  if (svg === undefined || !isElement(svg) || svg.name !== "svg") return undefined;
  const name = ["width", "height"].find((side) =>
    pixelPattern.test(readTextProp(svg.props, side) ?? ""),
  );
  return name === undefined ? undefined : readNumberProp(svg.props, name, pixelRange);
}
