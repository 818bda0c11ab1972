import type { Component } from "./component.ts";
import { escapeHtml } from "./html.ts";

/** A formula, shown as its source. */
export const latex: Component = {
  names: ["Latex"],
  render({ isFlow, children }, context) {
    const source = escapeHtml(context.textOf(children).trim());
    const code = `<code class="latex">${source}</code>`;
    return isFlow ? `<pre class="latex-block">${code}</pre>` : code;
  },
};
