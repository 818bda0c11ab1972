import type { ElementNode, PropValue, Props } from "../page/index.ts";
import { renderAnchor } from "./anchor.ts";
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
import { createFieldSlug } from "../text/index.ts";
import { readClassProp, readFlagProp, readListProp, readTextProp } from "./props.ts";

/**
 * The locations of a parameter. The attribute `path="id"` specifies both the location and the name; `path name="id"`
 * specifies them separately.
 */
const locations = ["path", "query", "header", "body"] as const;

interface FieldName {
  readonly name: string;
  readonly location?: (typeof locations)[number];
}

function readFieldName(props: Props): FieldName {
  for (const location of locations) {
    const name = readTextProp(props, location);
    if (name !== undefined) return { name, location };
  }
  const location = locations.find((location) => readFlagProp(props, location) === true);
  return {
    name: readTextProp(props, "name") ?? "",
    ...(location === undefined ? {} : { location }),
  };
}

/** Formats the value of `default` or `type`, which may have any type, as text. */
function formatValue(value: PropValue | undefined, context: ComponentContext): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value.trim();
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return isPlainData(value) ? JSON.stringify(value) : context.getText(value);
}

function isPlainData(value: PropValue): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every(isPlainData);
  return !("type" in value && value.type === "jsx");
}

/**
 * Reserves the id that published sites use in links to a field, e.g. `#param-thumbnails-background` for
 * `thumbnails.background`, and `#param-invoice-id` for `invoiceId`.
 */
function claimFieldId(name: string, context: ComponentContext): string | undefined {
  const slug = createFieldSlug(name);
  return slug === "" ? undefined : context.ids.claim(`param-${slug}`);
}

function renderLabel(className: string, text: string): Html {
  return wrapInElement("span", `field-label ${className}`.trim(), escapeHtml(text));
}

function renderFieldHead(element: ElementNode, context: ComponentContext): Html {
  const { props, position } = element;
  const { name, location } = readFieldName(props);
  const id = claimFieldId(name, context);
  const nameHtml =
    id === undefined
      ? wrapInElement("code", "field-name", escapeHtml(name))
      : renderAnchor(
          html`<code>${escapeHtml(name)}</code>`,
          { href: html`#${escapeHtml(id)}`, className: "field-name" },
          context,
        );
  const defaultText = formatValue(props.default, context);
  const { words } = context;
  const isRequired = readFlagProp(props, "required") === true;
  const isOptional = !isRequired && readFlagProp(props, "optional") === true;
  const parts = [
    ...readListProp(props, "pre").map((text) => renderLabel("", text)),
    nameHtml,
    renderLabel("field-type", formatValue(props.type, context)),
    renderLabel("field-location", location ?? ""),
    isRequired ? renderLabel("field-required", words.required) : "",
    isOptional ? renderLabel("field-optional", words.optional) : "",
    readFlagProp(props, "deprecated") === true
      ? renderLabel("field-deprecated", words.deprecated)
      : "",
    defaultText === ""
      ? ""
      : html`<span class="field-default">${escapeHtml(words.default)}: <code>${escapeHtml(defaultText)}</code></span>`,
    ...readListProp(props, "post").map((text) => renderLabel("", text)),
  ];
  if (name === "") {
    const message =
      `This ${element.name} has no name; add one, such as ` +
      `${element.name === "ParamField" ? 'path="id"' : 'name="id"'}.`;
    context.problems.warn("component_value", message, position);
  }
  const attributes = joinAttributes({ class: "field-head", id });
  return html`<div${attributes}>${joinHtml(
    parts.filter((part) => part !== ""),
    html` `,
  )}</div>`;
}

function renderField(element: ElementNode, context: ComponentContext): Html {
  const { props } = element;
  const isDeprecated = readFlagProp(props, "deprecated") === true;
  const attributes = joinAttributes({
    class: joinClassNames("field", isDeprecated && "field-is-deprecated", readClassProp(props)),
  });
  const placeholder = readTextProp(props, "placeholder");
  const hint =
    placeholder === undefined
      ? ""
      : html`<p class="field-placeholder">${escapeHtml(context.words.example)}: <code>${escapeHtml(placeholder)}</code></p>`;
  const head = renderFieldHead(element, context);
  const content = wrapInElement(
    "div",
    "field-content",
    html`${context.renderNodes(element.children)}${hint}`,
  );
  return html`<div${attributes}>${head}${content}</div>`;
}

/** A parameter of a request (`ParamField`) or a value of a response (`ResponseField`). */
export const field: Component = { names: ["ParamField", "ResponseField"], render: renderField };
