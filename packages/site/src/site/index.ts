/** A site's folder as data: its configuration, pages and navigation, and what can be asked of them. */
export { loadSite, readSite } from "./load-site.ts";
export {
  breadcrumbs,
  findPage,
  firstPage,
  neighbours,
  pageIndex,
  type Crumb,
  divisionsTo,
  firstOwnPage,
} from "./navigation.ts";
export { counterpart } from "./counterpart.ts";
export { redirectMatcher, exactRedirects } from "./redirect-matcher.ts";
export type {
  Site,
  SitePage,
  NavDirectory,
  NavDivision,
  NavEntry,
  NavGroup,
  NavPlace,
  Redirect,
} from "./site.ts";
export { siteLanguages } from "./site-languages.ts";
export { feedFile, fileAddress, pageFile, relativeAddress } from "./address.ts";
export type { PageMaterial } from "./api/api-pages.ts";
export type {
  ContextualMenu,
  ContextualOption,
  Font,
  NavbarLink,
  SiteConfig,
  ThemeName,
  Themed,
} from "./config.ts";
export { assistants, contextualMenu } from "./contextual.ts";
export type { FetchRemote } from "./fetch-remote.ts";
export { languageAlternates } from "./language-alternates.ts";
export type { LanguageAlternate } from "./language-alternates.ts";
export {
  addressOf,
  createSiteLinks,
  leadsOut,
  resolveLink,
  resolveMedia,
  withAnchor,
} from "./links.ts";
export type { LinkOrigin, Resolution, SiteLinks } from "./links.ts";
export type { LoadedSite } from "./load-site.ts";
export { modifiedDay, showsModifiedDay } from "./modified-day.ts";
export { operationOf } from "./operation.ts";
export type { Operation } from "./operation.ts";
export { firstHeading } from "./page-title.ts";
export type { PageSource } from "./read-pages.ts";
export { readPages } from "./read-pages.ts";
export { matchPatterns, readPattern } from "./redirect-pattern.ts";
export type { FindCopy, MediaCopies, RemoteMediaMode } from "./remote-media.ts";
export { copyFinder, remoteAddress, remoteMediaModes } from "./remote-media.ts";
export { hasWildcard, wildcardPattern } from "./schemas/redirect.ts";
export { createSearchScope, searchIndexName } from "./search-scope.ts";
export type { SiteOrigin } from "./site-origin.ts";
export type { SiteSettings } from "./site-settings.ts";
export type { SourceLinks } from "./source-links.ts";
export { fillLink } from "./source-links.ts";
export { createSuggestions, letters } from "./suggestions.ts";
