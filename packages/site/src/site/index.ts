/** A site as data, and queries on it: its pages, navigation, links and redirects. Reads no files. */
export {
  breadcrumbs,
  createPageFinder,
  findSitePage,
  firstPage,
  neighbours,
  indexPages,
  type Crumb,
  divisionsTo,
  firstOwnPage,
} from "./navigation.ts";
export { counterpart, samePage } from "./counterpart.ts";
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
export { collectSiteLanguages } from "./site-languages.ts";
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
export { assistants, contextualMenu } from "./contextual.ts";
export { languageAlternates } from "./language-alternates.ts";
export type { LanguageAlternate } from "./language-alternates.ts";
export { createFolderPageFinder } from "./folder-pages.ts";
export {
  hrefOf,
  createSiteLinks,
  isOffSite,
  resolveLink,
  resolveMedia,
  withAnchor,
} from "./links.ts";
export type { LinkOrigin, Resolution, SiteLinks } from "./links.ts";
export { authoredDay, modifiedDay, showsModifiedDay } from "./modified-day.ts";
export { operationOf } from "./operation.ts";
export type { Operation } from "./operation.ts";
export { firstHeading, titleFromPath, type FoundHeading } from "./page-title.ts";
export { hasWildcard, wildcardPattern } from "./redirect-pattern.ts";
export type { FindCopy, MediaCopies, RemoteMediaMode } from "./remote-media.ts";
export { createCopyFinder, remoteAddress, remoteMediaModes } from "./remote-media.ts";
export { createSearchScope, searchIndexName } from "./search-scope.ts";
export type { SiteOrigin } from "./site-origin.ts";
export type { SourceLinks } from "./source-links.ts";
export { fillLink } from "./source-links.ts";
export { createSuggestions, lettersAndDigits } from "./suggestions.ts";
export { createAnchorIndex, createAnchorIndexes } from "./anchor-index.ts";
export type { AnchorIndex } from "./anchor-index.ts";
export { idBesideLayout, layoutIds } from "./layout-ids.ts";
export { titledMarkdown } from "./titled-markdown.ts";
