/**
 * A site's folder to the files of a bundle, to what is wrong with it, and to a preview of it while it is written.
 * Knows no database, queue, HTTP service or network: it is given folders and values, and a function that fetches
 * where something may be fetched. The work, in order: `site/` reads the folder, `export/` has each page rendered in
 * a child process (`page/`, `article/`, `theme/`) and makes what stands beside them (`search/`, `outputs/`).
 */
export {
  longRunPages,
  packFolder,
  renderSite,
  tuneForLongRun,
  tuneForShortRun,
} from "./export/index.ts";
export type {
  ExportedPage,
  ExportSettings,
  PackedArchive,
  RenderedPage,
  RenderProgress,
  RenderResult,
} from "./export/index.ts";
export { checkSite } from "./check/index.ts";
export { openPreview } from "./preview/index.ts";
export type { PreviewChange, PreviewFile, SitePreview } from "./preview/index.ts";
export {
  createSiteLinks,
  createSuggestions,
  fillLink,
  loadSite,
  remoteMediaModes,
  resolveLink,
  resolveMedia,
} from "./site/index.ts";
export type {
  FetchRemote,
  LinkOrigin,
  NavDivision,
  NavEntry,
  Redirect,
  RemoteMediaMode,
  Resolution,
  Site,
  SiteConfig,
  SiteLinks,
  SiteOrigin,
  SitePage,
  SiteSettings,
  SourceLinks,
} from "./site/index.ts";
export type { Reference } from "./page/index.ts";
export type { Problem } from "./core/index.ts";
