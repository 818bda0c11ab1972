/**
 * Turns a site's folder into the files of a bundle, a list of its problems, and a preview while it is being written.
 * The module is independent of databases, queues, HTTP services and the network: callers pass folders and values, and a
 * function that fetches where fetching is allowed. The steps, in order: `load/` reads the folder, `export/` has each
 * page rendered in a child process (`page/`, `article/`, `theme/`) and creates the accompanying files (`search/`,
 * `outputs/`).
 */

// The exports that others may build on, as described in README.md.
export { renderSite } from "./export/index.ts";
export type {
  ExportedPage,
  ExportSettings,
  PackedArchive,
  PageCounts,
  RenderedPage,
  RenderProgress,
  RenderResult,
} from "./export/index.ts";
export { checkSite } from "./check/index.ts";
export type { CheckedPage } from "./check/index.ts";
export { openPreview } from "./preview/index.ts";
export type { PreviewChange, PreviewFile, SitePreview } from "./preview/index.ts";
export type { FetchRemote } from "./load/index.ts";
export type { RemoteMediaMode, Site, SiteOrigin, SitePage } from "./site/index.ts";
export type { Problem } from "./core/index.ts";

// Additional exports for the program `octavo`, which may change in any version.
export { isEmptyOrExport, openRenderChildren, packFiles } from "./export/index.ts";
export type { RenderChildren, SourceMemory } from "./export/index.ts";
export { tuneForRendering } from "./sandbox/index.ts";
export { loadSite } from "./load/index.ts";
export {
  createSiteLinks,
  createSuggestions,
  fillLink,
  indexPages,
  remoteMediaModes,
  resolveLink,
  resolveMedia,
  findSamePage,
} from "./site/index.ts";
export type { SiteSettings } from "./load/index.ts";
export type {
  LinkOrigin,
  NavDivision,
  NavEntry,
  SiteRedirect,
  Resolution,
  SiteConfig,
  SiteLinks,
  SourceLinks,
} from "./site/index.ts";
export type { Reference } from "./page/index.ts";
