export {
  attributes,
  classNames,
  cssColor,
  element,
  escapeHtml,
  escapeXml,
  html,
  joinHtml,
  replaceHtml,
  trimHtml,
  trustedHtml,
  voidTag,
  wrap,
} from "./html.ts";
export type { Html } from "./html.ts";
export { createIconSets } from "./icons/icon-sets.ts";
export {
  createIconRenderer,
  iconDrawing,
  iconImage,
  iconMask,
  iconStyles,
} from "./icons/icon-renderer.ts";
export type { IconOptions, IconRenderer, RenderedIcon } from "./icons/icon-renderer.ts";
export type { IconLibrary } from "./icons/resolve-icon.ts";
export { languageName, languageTag, textDirection } from "./words/language-tag.ts";
export type { LoadedWords } from "./words/load-words.ts";
export { loadWords, wordsInLanguage } from "./words/load-words.ts";
export { fill, fillHtml } from "./words/template.ts";
export type { Template } from "./words/template.ts";
export type {
  ApiWords,
  ContentWords,
  FrameWords,
  NotFoundWords,
  ScriptWords,
  Words,
} from "./words/words.ts";
export { addressCode, methodLabel } from "./operation-html.ts";
export { searchSections } from "./search-sections.ts";
export type { SearchSection } from "./search-sections.ts";
