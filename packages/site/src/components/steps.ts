import type { ElementNode } from "../page/index.ts";
import { createNameTest, splitChildren } from "./children.ts";
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
interface StepSettings {
  readonly titleSize?: string;
  readonly isListItem: boolean;
}

function renderStepMark(element: ElementNode, context: ComponentContext): Html {
  const { props, position } = element;
  const type = readTextProp(props, "iconType");
  const icon = context.renderIcon(
    props.icon,
    { size: 14, ...(type === undefined ? {} : { type }) },
    position,
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
  const { props, position } = element;
  const markup = context.renderValue(props.title, position);
  if (markup === "") return "";
  const size = options.titleSize?.toLowerCase() ?? "p";
  const tagName = headingSizes.has(size) ? size : "p";
  const { id } = options;
  if (id !== undefined && tagName !== "p")
    context.outline.add({
      depth: Number(tagName.slice(1)),
      id,
      text: context.getText(props.title),
    });
  const mark =
    id === undefined || context.links.isWithinLink || readFlagProp(props, "noAnchor") === true
      ? ""
      : html`<a class="step-anchor" href="#${escapeHtml(id)}" aria-hidden="true" tabindex="-1"></a>`;
  return wrapInElement(tagName, "step-title", html`${markup}${mark}`);
}

function renderStep(element: ElementNode, context: ComponentContext, settings: StepSettings): Html {
  const { props } = element;
  const authoredId = readTextProp(props, "id");
  const title = context.getText(props.title).trim();
  let id: string | undefined;
  if (authoredId !== undefined) id = context.ids.claim(authoredId, { isExact: true });
  else if (title !== "") id = context.ids.claim(title);

  const titleSize = readTextProp(props, "titleSize") ?? settings.titleSize;
  const attributes = joinAttributes({
    class: joinClassNames("step", readClassProp(props)),
    id,
    role: settings.isListItem ? "listitem" : undefined,
  });
  const heading = renderStepTitle(element, context, { id, titleSize });
  const content = wrapInElement("div", "step-content", context.renderNodes(element.children));
  return html`<div${attributes}>${renderStepMark(element, context)}<div class="step-body">${heading}${content}</div></div>`;
}

const isStep = createNameTest("Step");

/** A list of numbered steps. CSS numbers the steps, so that steps within other elements are also counted. */
export const steps: Component = {
  names: ["Steps"],
  render(element, context) {
    const titleSize = readTextProp(element.props, "titleSize");
    const settings: StepSettings = {
      isListItem: true,
      ...(titleSize === undefined ? {} : { titleSize }),
    };
    const parts = splitChildren(element.children, isStep);
    const markup = parts.map((part) =>
      part.kind === "wanted"
        ? renderStep(part.node, context, settings)
        : html`<div class="step-rest" role="listitem">${context.renderNodes(part.nodes)}</div>`,
    );
    const attributes = joinAttributes({
      class: joinClassNames("steps", readClassProp(element.props)),
      role: "list",
    });
    return html`<div${attributes}>${joinHtml(markup)}</div>`;
  },
};

/** A step outside Steps, or not directly within them. */
export const step: Component = {
  names: ["Step"],
  render: (element, context) => renderStep(element, context, { isListItem: false }),
};
