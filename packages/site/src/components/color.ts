import { isRecordProp, type ElementNode, type PropValue } from "../page/index.ts";
import type { Component, ComponentContext } from "./component.ts";
import {
  joinAttributes,
  joinClassNames,
  escapeHtml,
  html,
  joinHtml,
  wrapInElement,
  type Html,
  parseCssColor,
} from "../markup/index.ts";
import { readClassProp, readTextProp } from "./props.ts";

interface Swatch {
  readonly light: string | undefined;
  readonly dark: string | undefined;
  /** The authored values: one for the light scheme, and one for the dark scheme if it differs. */
  readonly texts: readonly string[];
}

function readSwatch(value: PropValue | undefined): Swatch {
  if (isRecordProp(value) && "light" in value) {
    const { light, dark = light } = value;
    const texts = [light, dark].filter((text) => typeof text === "string");
    return { light: parseCssColor(light), dark: parseCssColor(dark), texts: [...new Set(texts)] };
  }
  const color = parseCssColor(value);
  return { light: color, dark: color, texts: typeof value === "string" ? [value.trim()] : [] };
}

function renderColorItem(element: ElementNode, context: ComponentContext): Html {
  const { props, position } = element;
  const { light, dark, texts } = readSwatch(props.value);
  if (light === undefined || dark === undefined) {
    const message = `${JSON.stringify(texts.join(" / "))} is not a color; use a hex code such as #3B82F6 or another CSS color.`;
    context.problems.warn("component_value", message, position);
  }
  const declarations = [
    light === undefined ? "" : `--swatch:${light}`,
    dark === undefined || dark === light ? "" : `--swatch-dark:${dark}`,
  ];
  const style = declarations.filter((part) => part !== "").join(";");
  const attributes = joinAttributes({ class: "color-swatch", style, "aria-hidden": "true" });
  const name = wrapInElement("span", "color-name", escapeHtml(readTextProp(props, "name") ?? ""));
  return html`<div class="color-item"><span${attributes}></span><div class="color-text">${name}${renderValues(texts)}</div></div>`;
}

/** Renders the values. CSS shows the value for the reader's color scheme, and the client script copies it. */
function renderValues(texts: readonly string[]): Html {
  const [light = "", dark] = texts.map(escapeHtml);
  if (dark === undefined) return wrapInElement("code", "color-value", light);
  return joinHtml([
    wrapInElement("code", "color-value color-light", light),
    wrapInElement("code", "color-value color-dark", dark),
  ]);
}

/** A palette of colors, as a grid (`compact`) or in rows with titles (`table`). */
export const color: Component = {
  names: ["Color"],
  render({ props, children }, context) {
    const isTable = readTextProp(props, "variant")?.toLowerCase() === "table";
    const attributes = joinAttributes({
      class: joinClassNames("color", isTable && "color-table", readClassProp(props)),
    });
    return html`<div${attributes}>${context.renderNodes(children)}</div>`;
  },
};

export const colorRow: Component = {
  names: ["Color.Row"],
  render({ props, position, children }, context) {
    const title = wrapInElement("div", "color-title", context.renderValue(props.title, position));
    return html`<div class="color-row">${title}<div class="color-items">${context.renderNodes(children)}</div></div>`;
  },
};

export const colorItem: Component = { names: ["Color.Item"], render: renderColorItem };
