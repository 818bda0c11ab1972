import { escapeHtml } from "../../markup/index.ts";

/** Small pieces of the fields' markup. Texts are plain; `html` is finished. */

export function label(className: string, text: string): string {
  const name = className === "" ? "field-label" : `field-label ${className}`;
  return `<span class="${name}">${escapeHtml(text)}</span>`;
}

export function code(text: string): string {
  return `<code>${escapeHtml(text)}</code>`;
}

/** A line below a field's description: `Options: a b`. */
export function note(html: string): string {
  return `<p class="field-note">${html}</p>`;
}

export function wordNote(word: string, html: string): string {
  return note(`${escapeHtml(word)}: ${html}`);
}

/** An address that may break at its slashes. */
export function addressCode(address: string): string {
  return `<code>${escapeHtml(address).replaceAll(/(?<!\/)\/(?!\/)/g, "<wbr>/")}</code>`;
}
