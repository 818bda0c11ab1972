import type { Component } from "./component.ts";

/** A formula in TeX. On separate lines, it is display math, like a formula between double dollar signs. */
export const latex: Component = {
  names: ["Latex"],
  render({ isFlow, children, position }, context) {
    const source = context.getText(children).trim();
    return source === "" ? "" : context.renderFormula(source, { isDisplay: isFlow }, position);
  },
};
