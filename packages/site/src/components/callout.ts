import type { ElementNode } from "../page/index.ts";
import type { Component, ComponentContext } from "./component.ts";
import { attributes, classNames, escapeHtml, html, wrap, type Html } from "../markup/index.ts";
import { classProp, textProp } from "./props.ts";
import { namedTone, toneOf, type Tone } from "./tone.ts";

interface CalloutOptions {
  readonly tone: Tone;
  /** The accessible name, for readers who cannot see the colour. */
  readonly label?: string;
}

function renderCallout(
  element: ElementNode,
  context: ComponentContext,
  options: CalloutOptions,
): Html {
  const { props, place } = element;
  const { tone, label } = options;
  const type = textProp(props, "iconType");
  const icon = context.icon(props.icon ?? tone.icon, type === undefined ? {} : { type }, place);
  const start = attributes({
    class: classNames("callout", tone.className, classProp(props)),
    style: tone.style,
    role: "note",
    "aria-label": label,
  });
  const title = wrap("div", "callout-title", context.renderValue(props.title, place));
  const content = context.renderNodes(element.children);
  return html`<div${start}>${wrap("div", "callout-icon", icon)}<div class="callout-body">${title}${content}</div></div>`;
}

function namedCallout(name: string): Component {
  const tone = namedTone(name) ?? { className: "tone-plain" };
  return {
    names: [name],
    render: (element, context) => renderCallout(element, context, { tone, label: name }),
  };
}

const customCallout: Component = {
  names: ["Callout"],
  render(element, context) {
    const { props, place } = element;
    const type = textProp(props, "type");
    const tone = toneOf(props) ?? { className: "tone-plain" };
    if (type !== undefined && namedTone(type) === undefined) {
      const message = `There is no callout of type ${JSON.stringify(escapeHtml(type))}; use note, tip, info, warning, check or danger.`;
      context.problems.warn("component_value", message, place);
    }
    return renderCallout(element, context, { tone });
  },
};

/** `Note`, `Tip`, ... with their own colour and icon, and `Callout` with the author's. */
export const callouts: readonly Component[] = [
  ...["Note", "Tip", "Info", "Warning", "Check", "Danger"].map(namedCallout),
  customCallout,
];
