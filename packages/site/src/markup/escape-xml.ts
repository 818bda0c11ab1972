import { escapeHtml, html, replaceHtml, type Html, type RawText } from "./html.ts";

/** Escapes text for XML and HTML, also inside quotes of either kind. */
export function escapeXml(text: RawText): Html {
  return replaceHtml(escapeHtml(text), html`'`, html`&#39;`);
}
