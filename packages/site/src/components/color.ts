import { isRecordProp, type ElementNode, type PropValue } from "../page/index.ts";
import type { Component, ComponentContext } from "./component.ts";
import {
  attributes,
  classNames,
  escapeHtml,
  html,
  joinHtml,
  wrap,
  type Html,
  cssColor,
} from "../markup/index.ts";
import { classProp, textProp } from "./props.ts";

interface Swatch {
  readonly light: string | undefined;
  readonly dark: string | undefined;
  /** As the author wrote them: for the light scheme, and for the dark one if it differs. */
  readonly texts: readonly string[];
}

function swatchOf(value: PropValue | undefined): Swatch {
  if (isRecordProp(value) && "light" in value) {
    const { light, dark = light } = value;
    const texts = [light, dark].filter((text) => typeof text === "string");
    return { light: cssColor(light), dark: cssColor(dark), texts: [...new Set(texts)] };
  }
  const color = cssColor(value);
  return { light: color, dark: color, texts: typeof value === "string" ? [value.trim()] : [] };
}

function renderColorItem(element: ElementNode, context: ComponentContext): Html {
  const { props, place } = element;
  const { light, dark, texts } = swatchOf(props.value);
  if (light === undefined || dark === undefined) {
    const message = `${JSON.stringify(texts.join(" / "))} is not a colour; use a hex code such as #3B82F6 or another CSS colour.`;
    context.problems.warn("component_value", message, place);
  }
  const declarations = [
    light === undefined ? "" : `--swatch:${light}`,
    dark === undefined || dark === light ? "" : `--swatch-dark:${dark}`,
  ];
  const style = declarations.filter((part) => part !== "").join(";");
  const start = attributes({ class: "color-swatch", style, "aria-hidden": "true" });
  const name = wrap("span", "color-name", escapeHtml(textProp(props, "name") ?? ""));
  return html`<div class="color-item"><span${start}></span><div class="color-text">${name}${valueHtml(texts)}</div></div>`;
}

/** The value of the reader's colour scheme is shown, and copied by the client script. */
function valueHtml(texts: readonly string[]): Html {
  const [light = "", dark] = texts.map(escapeHtml);
  if (dark === undefined) return wrap("code", "color-value", light);
  return joinHtml([
    wrap("code", "color-value color-light", light),
    wrap("code", "color-value color-dark", dark),
  ]);
}

/** A palette, as a grid (`compact`) or in rows with titles (`table`). */
export const color: Component = {
  names: ["Color"],
  render({ props, children }, context) {
    const isTable = textProp(props, "variant")?.toLowerCase() === "table";
    const start = attributes({
      class: classNames("color", isTable && "color-table", classProp(props)),
    });
    return html`<div${start}>${context.renderNodes(children)}</div>`;
  },
};

export const colorRow: Component = {
  names: ["Color.Row"],
  render({ props, place, children }, context) {
    const title = wrap("div", "color-title", context.renderValue(props.title, place));
    return html`<div class="color-row">${title}<div class="color-items">${context.renderNodes(children)}</div></div>`;
  },
};

export const colorItem: Component = { names: ["Color.Item"], render: renderColorItem };
