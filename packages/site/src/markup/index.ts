export { escapeXml } from "./escape-xml.ts";
export {
  attributes,
  classNames,
  element,
  escapeHtml,
  html,
  joinHtml,
  replaceHtml,
  trimHtml,
  trustedHtml,
  voidTag,
  wrap,
} from "./html.ts";
export type { Html } from "./html.ts";
export { iconClass } from "./icons/icon-sets.ts";
export type { IconSets } from "./icons/icon-sets.ts";
export { createIconSets } from "./icons/create-icon-sets.ts";
export { iconMask, iconStyles } from "./icons/icon-styles.ts";
export { resolveIcon } from "./icons/resolve-icon.ts";
export type { IconLibrary, ResolvedIcon } from "./icons/resolve-icon.ts";
export { similarName } from "./icons/similar-name.ts";
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
