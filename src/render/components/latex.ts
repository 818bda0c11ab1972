import type { Component } from "./component.ts";
import { escapeHtml } from "./html.ts";

/** A formula, shown as its source. */
export const latex: Component = {
  names: ["Latex"],
  render({ isFlow, children, place }, context) {
    const message = "Formulas are not typeset; readers see the source of this one.";
    context.problem({ severity: "warning", code: "math_not_rendered", message }, place);
    const source = escapeHtml(context.textOf(children).trim());
    const code = `<code class="latex">${source}</code>`;
    return isFlow ? `<pre class="latex-block">${code}</pre>` : code;
  },
};
