import { isElement, type TreeNode } from "../page/index.ts";
import type { Component } from "./component.ts";
import { joinAttributes, joinClassNames, html, wrapInElement } from "../markup/index.ts";
import { readClassProp, readFlagProp, readStyleProp } from "./props.ts";

function makeVideosPlayable(nodes: readonly TreeNode[]): readonly TreeNode[] {
  return nodes.map((node) => {
    if (!isElement(node)) {
      if (node.type !== "paragraph" && node.type !== "componentSlot") return node;
      return { ...node, children: makeVideosPlayable(node.children) };
    }
    if (node.name === "") return { ...node, children: makeVideosPlayable(node.children) };
    const hasAutoplay =
      readFlagProp(node.props, "autoPlay") ?? readFlagProp(node.props, "autoplay");
    const isAutoplayed = node.name === "video" && hasAutoplay === true;
    // Browsers autoplay a video only if it is muted and plays inline.
    const playableProps = { playsInline: true, loop: true, muted: true, ...node.props };
    return isAutoplayed ? { ...node, props: playableProps } : node;
  });
}

/** An image, video or any other content in a frame, with text above (`hint`) and below it (`caption`). */
export const frame: Component = {
  names: ["Frame"],
  render({ props, position, children }, context) {
    const attributes = joinAttributes({
      class: joinClassNames("frame", readClassProp(props)),
      style: readStyleProp(props),
    });
    const hint = wrapInElement("div", "frame-hint", context.renderValue(props.hint, position));
    const content = context.renderNodes(makeVideosPlayable(children));
    const caption = wrapInElement(
      "figcaption",
      "frame-caption",
      context.renderValue(props.caption, position),
    );
    return html`${hint}<figure${attributes}><div class="frame-content">${content}</div>${caption}</figure>`;
  },
};
