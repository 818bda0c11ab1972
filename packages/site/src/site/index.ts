/** A site as data, and queries on it: its pages, navigation, links and redirects. Does not read files. */
export {
  breadcrumbs,
  collectSiteLanguages,
  createFolderPageFinder,
  createPageFinder,
  divisionsTo,
  findSitePage,
  firstOwnPage,
  firstPage,
  indexPages,
  neighbours,
  type Crumb,
} from "./navigation.ts";
export { counterpart, languageAlternates, samePage } from "./counterpart.ts";
export type { LanguageAlternate } from "./counterpart.ts";
export { createRedirectMatcher, exactRedirects } from "./redirect-matcher.ts";
export type {
  Site,
  ConfigPlaces,
  SitePage,
  NavDirectory,
  NavDivision,
  NavEntry,
  NavGroup,
  NavPlace,
  SiteRedirect,
  Frontmatter,
} from "./site.ts";
export { createPageFiles, feedFile, fileAddress, pageAddress, relativeAddress } from "./address.ts";
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
  authoredDay,
  contextualMenu,
  modifiedDay,
  operationOf,
  showsModifiedDay,
} from "./page-settings.ts";
export type { Operation } from "./page-settings.ts";
export {
  hrefOf,
  createSiteLinks,
  isOffSite,
  resolveLink,
  resolveMedia,
  withAnchor,
} from "./links.ts";
export type { LinkOrigin, Resolution, SiteLinks } from "./links.ts";
export { firstHeading, titledMarkdown, titleFromPath, type FoundHeading } from "./page-title.ts";
export { hasWildcard, wildcardPattern } from "./redirect-pattern.ts";
export type { FindCopy, MediaCopies, RemoteMediaMode } from "./remote-media.ts";
export { createCopyFinder, remoteAddress, remoteMediaModes } from "./remote-media.ts";
export { createSearchScope, searchIndexName } from "./search-scope.ts";
export type { SiteOrigin, SourceLinks } from "./site-origin.ts";
export { fillLink } from "./site-origin.ts";
export { createSuggestions, lettersAndDigits } from "./suggestions.ts";
export {
  createAnchorIndex,
  createAnchorIndexes,
  idBesideLayout,
  layoutIds,
} from "./anchor-index.ts";
export type { AnchorIndex } from "./anchor-index.ts";
