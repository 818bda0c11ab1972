import type { ElementNode } from "../page/index.ts";
import type { Component, ComponentContext } from "./component.ts";
import {
  joinAttributes,
  joinClassNames,
  escapeHtml,
  html,
  wrapInElement,
  type Html,
} from "../markup/index.ts";
import { readClassProp, readTextProp } from "./props.ts";
import { findNamedTone, readTone, type Tone } from "./tone.ts";

function renderCallout(
  element: ElementNode,
  context: ComponentContext,
  tone: Tone,
  label?: string,
): Html {
  const { props, position } = element;
  const type = readTextProp(props, "iconType");
  const icon = context.renderIcon(
    props.icon ?? tone.icon,
    type === undefined ? {} : { type },
    position,
  );
  const attributes = joinAttributes({
    class: joinClassNames("callout", tone.className, readClassProp(props)),
    style: tone.style,
    role: "note",
    // The label names the kind of callout for readers who cannot see the color.
    "aria-label": label,
  });
  const title = wrapInElement("div", "callout-title", context.renderValue(props.title, position));
  const content = context.renderNodes(element.children);
  return html`<div${attributes}>${wrapInElement("div", "callout-icon", icon)}<div class="callout-body">${title}${content}</div></div>`;
}

function createNamedCallout(name: string): Component {
  const tone = findNamedTone(name) ?? { className: "tone-plain" };
  return {
    names: [name],
    render: (element, context) => renderCallout(element, context, tone, name),
  };
}

const customCallout: Component = {
  names: ["Callout"],
  render(element, context) {
    const { props, position } = element;
    const type = readTextProp(props, "type");
    const tone = readTone(props) ?? { className: "tone-plain" };
    if (type !== undefined && findNamedTone(type) === undefined) {
      const message = `There is no callout of type ${JSON.stringify(escapeHtml(type))}; use note, tip, info, warning, check or danger.`;
      context.problems.warn("component_value", message, position);
    }
    return renderCallout(element, context, tone);
  },
};

/**
 * The callouts `Note`, `Tip` and so on, each with a fixed color and icon, and `Callout`, whose color and icon the
 * author chooses.
 */
export const callouts: readonly Component[] = [
  ...["Note", "Tip", "Info", "Warning", "Check", "Danger"].map(createNamedCallout),
  customCallout,
];
