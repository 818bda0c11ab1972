import type { ElementNode } from "../page/index.ts";
import { isNamed, splitChildren } from "./children.ts";
import type { Component, ComponentContext } from "./component.ts";
import {
  joinAttributes,
  joinClassNames,
  escapeHtml,
  html,
  joinHtml,
  wrapInElement,
  type Html,
} from "../markup/index.ts";
import { readClassProp, readFlagProp, readNumberProp, readTextProp } from "./props.ts";

const headingSizes: ReadonlySet<string> = new Set(["h2", "h3", "h4"]);

/** The settings that a step inherits from the enclosing Steps. */
interface StepSetting {
  readonly titleSize?: string;
  readonly isListItem: boolean;
}

function renderStepMark(element: ElementNode, context: ComponentContext): Html {
  const { props, place } = element;
  const type = readTextProp(props, "iconType");
  const icon = context.icon(
    props.icon,
    { size: 14, ...(type === undefined ? {} : { type }) },
    place,
  );
  if (icon !== "") return html`<div class="step-mark step-icon">${icon}</div>`;
  const number = readNumberProp(props, "stepNumber", { min: 0, max: 9999 });
  return html`<div class="step-mark"${joinAttributes({ "data-number": number?.toString() })}></div>`;
}

/**
 * Renders the title as a paragraph or, if its size is that of a heading, as a heading that the table of contents lists.
 */
function renderStepTitle(
  element: ElementNode,
  context: ComponentContext,
  options: { readonly id: string | undefined; readonly titleSize: string | undefined },
): Html {
  const { props, place } = element;
  const markup = context.renderValue(props.title, place);
  if (markup === "") return "";
  const size = options.titleSize?.toLowerCase() ?? "p";
  const name = headingSizes.has(size) ? size : "p";
  const { id } = options;
  if (id !== undefined && name !== "p")
    context.outline.add({ depth: Number(name.slice(1)), id, text: context.textOf(props.title) });
  const mark =
    id === undefined || context.links.isWithinLink || readFlagProp(props, "noAnchor") === true
      ? ""
      : html`<a class="step-anchor" href="#${escapeHtml(id)}" aria-hidden="true" tabindex="-1"></a>`;
  return wrapInElement(name, "step-title", html`${markup}${mark}`);
}

function renderStep(element: ElementNode, context: ComponentContext, setting: StepSetting): Html {
  const { props } = element;
  const explicit = readTextProp(props, "id");
  const title = context.textOf(props.title).trim();
  let id: string | undefined;
  if (explicit !== undefined) id = context.ids.claim(explicit, { isExact: true });
  else if (title !== "") id = context.ids.claim(title);

  const titleSize = readTextProp(props, "titleSize") ?? setting.titleSize;
  const start = joinAttributes({
    class: joinClassNames("step", readClassProp(props)),
    id,
    role: setting.isListItem ? "listitem" : undefined,
  });
  const heading = renderStepTitle(element, context, { id, titleSize });
  const content = wrapInElement("div", "step-content", context.renderNodes(element.children));
  return html`<div${start}>${renderStepMark(element, context)}<div class="step-body">${heading}${content}</div></div>`;
}

const isStep = isNamed("Step");

/** Numbered steps. CSS numbers them, so that steps within other elements are also counted. */
export const steps: Component = {
  names: ["Steps"],
  render(element, context) {
    const titleSize = readTextProp(element.props, "titleSize");
    const setting: StepSetting = {
      isListItem: true,
      ...(titleSize === undefined ? {} : { titleSize }),
    };
    const parts = splitChildren(element.children, isStep);
    const markup = parts.map((part) =>
      part.kind === "wanted"
        ? renderStep(part.node, context, setting)
        : html`<div class="step-rest" role="listitem">${context.renderNodes(part.nodes)}</div>`,
    );
    const start = joinAttributes({
      class: joinClassNames("steps", readClassProp(element.props)),
      role: "list",
    });
    return html`<div${start}>${joinHtml(markup)}</div>`;
  },
};

/** A step outside Steps, or not directly within them. */
export const step: Component = {
  names: ["Step"],
  render: (element, context) => renderStep(element, context, { isListItem: false }),
};
