import { joinAttributes, buildElement, escapeHtml, html, replaceHtml, type Html } from "./html.ts";

/** Renders the method of a request or the action on a message in its color. */
export function renderMethodLabel(method: string, word: string): Html {
  return buildElement(
    "span",
    joinAttributes({ class: `method method-${method}` }),
    escapeHtml(word),
  );
}

const slash = /(?<!\/)\/(?!\/)/g;

/** Renders an address that browsers may break at its slashes. */
export function renderAddress(address: string): Html {
  return html`<code>${replaceHtml(escapeHtml(address), slash, html`<wbr>/`)}</code>`;
}
