import { isElement, type ElementNode, type TreeNode } from "../page/index.ts";

/** Whether the node is a picture that says nothing to readers who cannot see it, and is not marked as decoration. */
export function isUntitledPicture(node: TreeNode): boolean {
  if (isElement(node)) return node.name === "img" && !isNamed(node);
  return (node.type === "image" || node.type === "imageReference") && node.alt.trim() === "";
}

function isNamed({ props }: ElementNode): boolean {
  const { alt, role } = props;
  const isHidden = props["aria-hidden"] !== undefined || role === "presentation" || role === "none";
  return isHidden || alt !== undefined || props["aria-label"] !== undefined;
}
