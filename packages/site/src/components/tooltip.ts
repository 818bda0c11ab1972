import { isElement } from "../page/index.ts";
import type { TreeNode } from "../page/index.ts";
import { unwrapParagraphs } from "./children.ts";
import { renderAnchor } from "./anchor.ts";
import type { Component } from "./component.ts";
import {
  joinAttributes,
  escapeHtml,
  buildElement,
  html,
  joinHtml,
  wrapInElement,
} from "../markup/index.ts";
import { readTextProp } from "./props.ts";

/**
 * Words with an explanation that CSS shows while the pointer is over them or the focus is within them. The explanation
 * is plain text, because it is within a line of text.
 */
export const tooltip: Component = {
  names: ["Tooltip"],
  render({ props, position, children }, context) {
    const tip = context.getText(props.tip).trim();
    const headline = context.getText(props.headline).trim();
    const words = unwrapParagraphs(children);
    const markup = context.renderNodes(words);
    const cta = readTextProp(props, "cta");
    if (tip === "" && headline === "" && cta === undefined) return markup;
    const target = readTextProp(props, "href");
    const action = escapeHtml(cta ?? "");
    const link =
      cta === undefined || target === undefined
        ? action
        : renderAnchor(
            action,
            { href: context.links.resolveHref(target, position), className: "tooltip-link" },
            context,
          );
    const id = context.ids.claim(`tooltip-${headline || context.getText(words).trim()}`);
    const body = joinHtml(
      [
        wrapInElement("strong", "tooltip-headline", escapeHtml(headline)),
        wrapInElement("span", "tooltip-text", escapeHtml(tip)),
        link,
      ],
      html` `,
    );
    const name = isPhrasing(words) ? "span" : "div";
    const attributes = joinAttributes({
      class: "tooltip-term",
      tabindex: context.links.isWithinLink ? undefined : "0",
      "aria-describedby": id,
    });
    const term = buildElement(name, attributes, markup);
    const explanation = html`<span class="tooltip-body" role="tooltip"${joinAttributes({ id })}>${body}</span>`;
    return wrapInElement(name, "tooltip", html`${term}${explanation}`);
  },
};

/** Reports whether every node, after `unwrapParagraphs`, is allowed within a line of text. */
function isPhrasing(nodes: readonly TreeNode[]): boolean {
  return nodes.every((node) => {
    if (node.type === "componentSlot") return isPhrasing(node.children);
    const isBlock = isElement(node) || node.type === "component" ? node.isFlow : undefined;
    return isBlock === undefined ? phrasingTypes.has(node.type) : !isBlock;
  });
}

const phrasingTypes: ReadonlySet<string> = new Set([
  "text",
  "strong",
  "emphasis",
  "delete",
  "inlineCode",
  "inlineMath",
  "link",
  "linkReference",
  "image",
  "imageReference",
  "break",
  "footnoteReference",
]);
