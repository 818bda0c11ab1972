export {
  joinAttributes,
  joinClassNames,
  parseCssColor,
  buildElement,
  escapeHtml,
  escapeXml,
  html,
  joinHtml,
  replaceHtml,
  trimHtml,
  trustHtml,
  buildVoidTag,
  wrapInElement,
} from "./html.ts";
export type { Html } from "./html.ts";
export { createIconSets } from "./icons/icon-renderer.ts";
export {
  createIconRenderer,
  renderIconDrawing,
  renderIconImage,
  createIconMask,
  renderIconStyles,
} from "./icons/icon-renderer.ts";
export type { IconOptions, IconRenderer } from "./icons/icon-renderer.ts";
export { getLanguageName, toLanguageTag, getTextDirection } from "./words/load-words.ts";
export type { LoadedWords } from "./words/load-words.ts";
export { loadWords, getLanguageWords } from "./words/load-words.ts";
export { fillPlaceholders, fillHtmlPlaceholders } from "./words/template.ts";
export type { Template } from "./words/template.ts";
export type {
  ApiWords,
  ContentWords,
  FrameWords,
  NotFoundWords,
  ScriptWords,
  Words,
} from "./words/words.ts";
export { mermaidVersion, readMermaidScript } from "./mermaid-script.ts";
export { renderAddress, renderMethodLabel } from "./operation-html.ts";
export { splitSearchSections } from "./search-sections.ts";
export type { SearchSection } from "./search-sections.ts";
