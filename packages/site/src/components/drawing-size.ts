import { isElement, type TreeNode } from "../page/index.ts";
import { numberProp, textProp } from "./props.ts";

/** `24` and `24px`; no other units. */
export const pixels = /^[\d.]+(?:px)?$/;

const range = { min: 4, max: 512 };

/** The `width`, else `height`, in pixels of an author's own drawing. */
export function drawingSize(nodes: readonly TreeNode[]): number | undefined {
  const [svg] = nodes;
  if (svg === undefined || !isElement(svg) || svg.name !== "svg") return undefined;
  const name = ["width", "height"].find((side) => pixels.test(textProp(svg.props, side) ?? ""));
  return name === undefined ? undefined : numberProp(svg.props, name, range);
}
