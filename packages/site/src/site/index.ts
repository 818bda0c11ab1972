/** A site as data, and queries about its pages, navigation, links and redirects. No files are read. */
export {
  listBreadcrumbs,
  collectSiteLanguages,
  createFolderPageFinder,
  createPageFinder,
  listDivisionsTo,
  findSitePage,
  findFirstOwnPage,
  findFirstPage,
  indexPages,
  findNeighborPages,
  type Crumb,
  listOuterEntries,
} from "./navigation.ts";
export { findCounterpart, listLanguageAlternates, findSamePage } from "./counterpart.ts";
export type { LanguageAlternate } from "./counterpart.ts";
export { createRedirectMatcher, collectExactRedirects } from "./redirect-matcher.ts";
export type {
  Site,
  ConfigLocations,
  SitePage,
  NavDirectory,
  NavDivision,
  NavEntry,
  NavGroup,
  NavPosition,
  SiteRedirect,
  Frontmatter,
} from "./site.ts";
export {
  createPageFiles,
  getFeedPath,
  getFileAddress,
  getPageAddress,
  getRelativeAddress,
  getRelativePageAddress,
  getSchemaScriptPath,
} from "./address.ts";
export type { FindPageFile } from "./address.ts";
export type {
  ContextualMenu,
  ContextualOption,
  Font,
  NavbarLink,
  SiteConfig,
  ThemeName,
  Themed,
} from "./config.ts";
export { themeNames } from "./config.ts";
export {
  assistants,
  findAuthoredDay,
  getContextualMenu,
  findModifiedDay,
  findOperation,
  shouldShowModifiedDay,
} from "./page-settings.ts";
export type { Operation } from "./page-settings.ts";
export {
  getHref,
  createSiteLinks,
  stripOrderNumbers,
  isOffSite,
  resolveLink,
  resolveMedia,
  replaceAnchor,
  stripBasePaths,
  stripFileAddress,
} from "./links.ts";
export type { LinkOrigin, Resolution, SiteLinks } from "./links.ts";
export {
  findFirstHeading,
  formatTitledMarkdown,
  createTitleFromPath,
  type FoundHeading,
} from "./page-title.ts";
export { hasWildcard, wildcardPattern } from "./redirect-pattern.ts";
export type { FindCopy, MediaCopies, RemoteMediaMode } from "./remote-media.ts";
export { createCopyFinder, normalizeRemoteAddress, remoteMediaModes } from "./remote-media.ts";
export { createSearchScope, getSearchIndexName } from "./search-scope.ts";
export type { SiteOrigin, SourceLinks } from "./site-origin.ts";
export { fillLink } from "./site-origin.ts";
export { createSuggestions } from "./suggestions.ts";
export {
  createAnchorIndex,
  createAnchorIndexes,
  avoidLayoutId,
  layoutIds,
} from "./anchor-index.ts";
export type { AnchorIndex } from "./anchor-index.ts";
