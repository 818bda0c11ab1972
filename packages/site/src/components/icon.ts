import type { IconOptions } from "../markup/index.ts";
import type { Component } from "./component.ts";
import type { Props } from "../page/index.ts";
import { pixels } from "./drawing-size.ts";
import { classProp, colorProp, numberProp, styleProp, textProp } from "./props.ts";

const pixelWidth = /(?:^|;)width:\s*(\d{1,3})px/;

/** The icon attributes of Icon and Badge. */
export function iconOptions(props: Props): IconOptions {
  const styleWidth = pixelWidth.exec(styleProp(props) ?? "")?.[1];
  const isPixels = pixels.test(textProp(props, "size") ?? "");
  const size =
    (isPixels ? numberProp(props, "size", { min: 4, max: 512 }) : undefined) ??
    (styleWidth === undefined ? undefined : Number(styleWidth));
  const color = colorProp(props, "color");
  const type = textProp(props, "iconType");
  const className = classProp(props);
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
  render({ props, place }, context) {
    const name = props.icon ?? props.name ?? props.src;
    if (name === undefined || name === null || name === "") {
      const message = 'This Icon names no icon; write <Icon icon="rocket" />.';
      context.problems.warn("component_value", message, place);
      return "";
    }
    return context.icon(name, iconOptions(props), place);
  },
};
