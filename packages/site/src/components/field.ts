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
 * The locations of a parameter. `path="id"` names both the location and the parameter; `path name="id"` names them
 * separately.
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

/** Formats a default or a type as text. It can be a value of any type. */
function formatValue(value: PropValue | undefined, context: ComponentContext): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value.trim();
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return isPlainData(value) ? JSON.stringify(value) : context.textOf(value);
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

function label(className: string, text: string): Html {
  return wrapInElement("span", `field-label ${className}`.trim(), escapeHtml(text));
}

function renderFieldHead(element: ElementNode, context: ComponentContext): Html {
  const { props, place } = element;
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
  const fallback = formatValue(props.default, context);
  const { words } = context;
  const isRequired = readFlagProp(props, "required") === true;
  const isOptional = !isRequired && readFlagProp(props, "optional") === true;
  const parts = [
    ...readListProp(props, "pre").map((text) => label("", text)),
    nameHtml,
    label("field-type", formatValue(props.type, context)),
    label("field-location", location ?? ""),
    isRequired ? label("field-required", words.required) : "",
    isOptional ? label("field-optional", words.optional) : "",
    readFlagProp(props, "deprecated") === true ? label("field-deprecated", words.deprecated) : "",
    fallback === ""
      ? ""
      : html`<span class="field-default">${escapeHtml(words.default)}: <code>${escapeHtml(fallback)}</code></span>`,
    ...readListProp(props, "post").map((text) => label("", text)),
  ];
  if (name === "") {
    const message =
      `This ${element.name} has no name; add one, such as ` +
      `${element.name === "ParamField" ? 'path="id"' : 'name="id"'}.`;
    context.problems.warn("component_value", message, place);
  }
  const start = joinAttributes({ class: "field-head", id });
  return html`<div${start}>${joinHtml(
    parts.filter((part) => part !== ""),
    html` `,
  )}</div>`;
}

function renderField(element: ElementNode, context: ComponentContext): Html {
  const { props } = element;
  const isDeprecated = readFlagProp(props, "deprecated") === true;
  const start = joinAttributes({
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
  return html`<div${start}>${head}${content}</div>`;
}

/** A parameter of a request (`ParamField`) or a value of a response (`ResponseField`). */
export const field: Component = { names: ["ParamField", "ResponseField"], render: renderField };
