/**
 * The frame around articles and its files in a bundle. `createLayout` creates the documents of a site.
 * `createThemeFiles` creates the style sheet, the reader's script and the navigation of large divisions.
 */
export { createLayout, type Layout } from "./layout.ts";
export { createThemeFiles } from "./assets.ts";
export { listChangelogTags } from "./changelog.ts";
export { createTrails } from "./navigation/trail.ts";
export { toLanguageTag, getLanguageWords } from "../markup/index.ts";
export { findInlineTargets, getPlainDescription } from "./inline-markdown.ts";
export { findSiteIcons } from "./site-icons.ts";
export type { SiteIcons } from "./site-icons.ts";
export {
  findClassNames,
  findScriptClassNames,
  findSelectorNames,
  findSheetClassNames,
} from "./utilities/utility-styles.ts";
export { readClientScript, createNotFoundScript, notFoundScriptPath } from "./assets.ts";
export { isPictureTag } from "./head/head.ts";
export { readFirstScript, renderFirstScript, type FirstScript } from "./head/first-script.ts";
export { findConfiguredMedia, findConfiguredTexts } from "./configured-media.ts";
export { readBrowserFile } from "./browser-file.ts";
