export { loadHighlighter, renderCodeBlock } from "./code-block.ts";
export { renderCodeStyles, loadPalettes } from "./code-styles.ts";
export { isInfoTruncated, maxMetaLength, parseFence } from "./code-block.ts";
export type { Highlighter } from "./highlighter.ts";
export { isDiagramLanguage } from "./diagram-language.ts";
