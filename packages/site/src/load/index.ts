/** Reads a site's folder: its configuration, navigation and pages, with their problems and locations. */
export { addOrigin } from "./add-origin.ts";
export { hasSameBasePaths } from "./base-paths.ts";
export { listBundlePaths } from "./folder.ts";
export type { AbsentSubject, PageMaterial } from "./api/api-pages.ts";
export type { FetchRemote, SiteSettings } from "./site-settings.ts";
export { hasSameEntries, settleFolders, type FolderRecord } from "./folder-record.ts";
export { loadSite, readSite, type LoadedSite, type SiteBasis } from "./load-site.ts";
export { describeMissingFile, explainExclusion } from "./published-files.ts";
export { locateRedirect } from "./redirects.ts";
export { locateInFrontmatter, readPages, type PageSource } from "./read-pages.ts";
export { hasTextHash } from "./read-text.ts";
