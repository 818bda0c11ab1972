/**
 * Templates that escape: every value is text, except what such a template made itself. There is no way to
 * mark a string as markup, so none can be by mistake.
 */
export class Html {
  readonly #text: string;

  constructor(parts: TemplateStringsArray, values: readonly HtmlValue[]) {
    let text = parts[0] ?? "";
    for (const [index, value] of values.entries()) {
      text += Html.#render(value) + (parts[index + 1] ?? "");
    }
    this.#text = text;
  }

  static #render(value: HtmlValue): string {
    if (value instanceof Html) return value.#text;
    if (typeof value === "string") return escapeText(value);
    if (typeof value === "number") return String(value);
    if (value === undefined || value === null || value === false) return "";
    return value.map((item) => Html.#render(item)).join("");
  }

  toString(): string {
    return this.#text;
  }
}

/** Text and numbers; markup, also in lists; nothing for what is absent or `false`. */
export type HtmlValue = Html | string | number | false | null | undefined | readonly HtmlValue[];

/** Values stand between tags or within quoted attributes; there they can end neither. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(parts, values);
}

const special = /[&<>"']/g;
const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeText(text: string): string {
  return text.replace(special, (character) => escapes[character] ?? character);
}
