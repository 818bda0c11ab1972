import { isElement, type TreeNode } from "../../page/index.ts";
import { numberProp, textProp } from "../props.ts";

/** `24` and `24px`; other units are no number of pixels. */
export const pixels = /^[\d.]+(?:px)?$/;

const range = { min: 4, max: 512 };

/** The pixels that an author gave a drawing of their own as `width`, else as `height`. */
export function drawingSize(nodes: readonly TreeNode[]): number | undefined {
  const [svg] = nodes;
  if (svg === undefined || !isElement(svg) || svg.name !== "svg") return undefined;
  const name = ["width", "height"].find((side) => pixels.test(textProp(svg.props, side) ?? ""));
  return name === undefined ? undefined : numberProp(svg.props, name, range);
}
