import { inlineChildren, isPhrasing } from "./children.ts";
import { anchor } from "./anchor.ts";
import type { Component } from "./component.ts";
import { attributes, escapeHtml, element, html, joinHtml, wrap } from "../markup/index.ts";
import { textProp } from "./props.ts";

/**
 * Words with an explanation that CSS shows while a pointer is over them or the focus is within. The
 * explanation is only text, since it is within a line.
 */
export const tooltip: Component = {
  names: ["Tooltip"],
  render({ props, place, children }, context) {
    const tip = context.textOf(props.tip).trim();
    const headline = context.textOf(props.headline).trim();
    const words = inlineChildren(children);
    const markup = context.renderNodes(words);
    const cta = textProp(props, "cta");
    if (tip === "" && headline === "" && cta === undefined) return markup;
    const target = textProp(props, "href");
    const action = escapeHtml(cta ?? "");
    const link =
      cta === undefined || target === undefined
        ? action
        : anchor(
            action,
            { href: context.links.href(target, place), className: "tooltip-link" },
            context,
          );
    const id = context.ids.claim(`tooltip-${headline || context.textOf(words).trim()}`);
    const body = joinHtml(
      [
        wrap("strong", "tooltip-headline", escapeHtml(headline)),
        wrap("span", "tooltip-text", escapeHtml(tip)),
        link,
      ],
      html` `,
    );
    const name = isPhrasing(words) ? "span" : "div";
    const start = attributes({
      class: "tooltip-term",
      tabindex: context.links.isWithinLink ? undefined : "0",
      "aria-describedby": id,
    });
    const term = element(name, start, markup);
    const explanation = html`<span class="tooltip-body" role="tooltip"${attributes({ id })}>${body}</span>`;
    return wrap(name, "tooltip", html`${term}${explanation}`);
  },
};
