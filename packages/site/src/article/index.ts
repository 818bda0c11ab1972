export { createAnchorIndex } from "./anchor-index.ts";
export type { AnchorIndex } from "./anchor-index.ts";
export { createDiagrams } from "./diagram/draw-diagram.ts";
export type { Diagrams } from "./diagram/draw-diagram.ts";
export { createFormulas } from "./formula/typeset-formula.ts";
export type { Formulas } from "./formula/typeset-formula.ts";
export { renderPage } from "./render-page.ts";
export { searchSections } from "./search-sections.ts";
export { titledMarkdown } from "./titled-markdown.ts";
