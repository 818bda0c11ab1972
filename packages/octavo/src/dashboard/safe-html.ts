/**
 * Markup from templates that escape values. Every value is treated as text, except the result of another template, so
 * that no string becomes markup by mistake. Only `restoreHtml` treats a string as markup.
 */
export class SafeHtml {
  readonly #text: string;

  constructor(parts: TemplateStringsArray, values: readonly HtmlValue[]) {
    let text = parts[0] ?? "";
    for (const [index, value] of values.entries()) {
      text += SafeHtml.#render(value) + (parts[index + 1] ?? "");
    }
    this.#text = text;
  }

  static #render(value: HtmlValue): string {
    if (value instanceof SafeHtml) return value.#text;
    if (typeof value === "string") return escapeText(value);
    if (typeof value === "number") return String(value);
    if (value === undefined || value === null || value === false) return "";
    return value.map((item) => SafeHtml.#render(item)).join("");
  }

  toString(): string {
    return this.#text;
  }
}

/**
 * A value in a template: text, a number, markup, or a list of such values. Missing values and `false` render nothing.
 */
export type HtmlValue =
  | SafeHtml
  | string
  | number
  | false
  | null
  | undefined
  | readonly HtmlValue[];

/**
 * Renders a template. Put values only between tags or inside quoted attributes, which escaped values cannot break out
 * of.
 */
export function safeHtml(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): SafeHtml {
  return new SafeHtml(parts, values);
}

/** Restores markup that templates rendered in another process of this program. */
export function restoreHtml(markup: string): SafeHtml {
  return new SafeHtml(Object.assign([markup], { raw: [markup] }), []);
}

const specialCharacters = /[&<>"']/g;
const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeText(text: string): string {
  return text.replace(specialCharacters, (character) => escapes[character] ?? character);
}
