/**
 * What stands around an article and what a bundle needs to show it: `createLayout` makes the documents of
 * a site, `themeFiles` the style sheet, the reader's script and the navigation of large divisions.
 */
export { createLayout, searchIndexName, type Layout } from "./layout.ts";
export type { LayoutOptions } from "./layout-options.ts";
export { themeFiles, type ThemeFilesOptions } from "./assets.ts";
export { siteIcons, type SiteIcons } from "./site-icons.ts";
export { schemeScriptHash } from "./scheme-script.ts";
export { collectClassNames } from "./utilities/utility-styles.ts";
