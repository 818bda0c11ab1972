/**
 * A site's folder to the files of a bundle, to what is wrong with it, and to a preview of it while it is written.
 * Knows no database, queue, HTTP service or network: it is given folders and values, and a function that fetches
 * where something may be fetched. The work, in order: `site/` reads the folder, `export/` has each page rendered in
 * a child process (`page/`, `article/`, `theme/`) and makes what stands beside them (`search/`, `outputs/`).
 */

// What others may build on, as README.md says.
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

// What the program `octavo` needs beside it: it may change with any version.
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
