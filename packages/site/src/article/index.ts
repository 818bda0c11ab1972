export { createDiagrams } from "./diagram/draw-diagram.ts";
export type { Diagrams } from "./diagram/draw-diagram.ts";
export { createFormulas } from "./formula/typeset-formula.ts";
export type { Formulas } from "./formula/typeset-formula.ts";
export { renderPage } from "./render-page.ts";
