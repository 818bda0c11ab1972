import { joinAttributes, buildElement, escapeHtml, html, replaceHtml, type Html } from "./html.ts";

/** Renders a label with the method of a request or the action of a message, in the method's or action's color. */
export function renderMethodLabel(method: string, word: string): Html {
  return buildElement(
    "span",
    joinAttributes({ class: `method method-${method}` }),
    escapeHtml(word),
  );
}

const slash = /(?<!\/)\/(?!\/)/g;

/** Renders an address so that browsers can break it at its slashes. */
export function renderAddress(address: string): Html {
  return html`<code>${replaceHtml(escapeHtml(address), slash, html`<wbr>/`)}</code>`;
}
