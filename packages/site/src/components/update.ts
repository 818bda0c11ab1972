import type { ElementNode } from "../page/index.ts";
import { anchor } from "./anchor.ts";
import type { Component, ComponentContext } from "./component.ts";
import {
  attributes,
  classNames,
  escapeHtml,
  html,
  joinHtml,
  wrap,
  type Html,
} from "../markup/index.ts";
import { newsOf } from "./news.ts";
import { classProp, listProp, textProp } from "./props.ts";

/**
 * One entry of a changelog: its label is a link target and is in the table of contents. The page's filters use
 * the class `update-tag-<n>` of each of its tags.
 */
export const update: Component = {
  names: ["Update"],
  render(element, context) {
    const { props, place, children } = element;
    const label = context.textOf(props.label).trim();
    const explicit = textProp(props, "id");
    const id = explicit === undefined ? labelId(label, context) : exactId(explicit, context);
    if (id !== undefined && label !== "") context.outline.add({ depth: 2, id, text: label });
    const tags = [...new Set(listProp(props, "tags"))];
    const numbers = addChangelogEntry(element, { label, id, tags }, context);
    const start = attributes({
      class: classNames(
        "update",
        ...numbers.map((number) => `update-tag-${number}`),
        classProp(props),
      ),
      id,
    });
    const tagHtml = joinHtml(
      tags.map((tag) => wrap("span", "badge badge-sm", escapeHtml(tag))),
      html` `,
    );
    const meta = joinHtml([
      labelHtml(label, id, context),
      wrap("div", "update-tags", tagHtml),
      wrap("div", "update-description", context.renderValue(props.description, place)),
    ]);
    const render = () => context.renderNodes(children);
    const inner = id === undefined ? render() : context.outline.below(render);
    const content = html`<div class="update-content">${inner}</div>`;
    return html`<section${start}><div class="update-meta">${meta}</div>${content}</section>`;
  },
};

function labelId(label: string, context: ComponentContext): string | undefined {
  return label === "" ? undefined : context.ids.claim(label);
}

function exactId(id: string, context: ComponentContext): string {
  return context.ids.claim(id, { isExact: true });
}

function labelHtml(label: string, id: string | undefined, context: ComponentContext): Html {
  if (label === "" || id === undefined) return wrap("span", "update-label", escapeHtml(label));
  const options = { href: html`#${escapeHtml(id)}`, className: "update-label" };
  return anchor(escapeHtml(label), options, context);
}

function addChangelogEntry(
  element: ElementNode,
  { label, id, tags }: { label: string; id: string | undefined; tags: readonly string[] },
  context: ComponentContext,
): readonly number[] {
  const { props } = element;
  const texts = [textProp(props, "date") ?? "", label, context.textOf(props.description).trim()];
  const when = texts.filter((text) => text !== "");
  return context.changelog.add({
    label,
    tags,
    when,
    news: newsOf(element, { label, id }, context),
  });
}
