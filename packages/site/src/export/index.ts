export { packFiles } from "./archive/pack-files.ts";
export type { PackedArchive } from "./archive/pack-files.ts";
export type {
  ExportedPage,
  ExportSettings,
  PageCounts,
  RenderProgress,
  RenderResult,
} from "./export-settings.ts";
export { isEmptyOrExport } from "./staging-folder.ts";
export { renderFailedPage } from "./page/render-failed-page.ts";
export { locateInDescription } from "./page/locate-in-description.ts";
export { mapBounded } from "./map-bounded.ts";
export { createPageKeys } from "./page/page-key.ts";
export type { PageKeys } from "./page/page-key.ts";
export { readPageTask } from "./page/page-task.ts";
export { openPool } from "./pool/pool.ts";
export type { RenderPool } from "./pool/pool.ts";
export { openRenderChildren } from "./pool/render-children.ts";
export type { RenderChildren } from "./pool/render-children.ts";
export type { PageTask } from "./pool/protocol.ts";
export { renderSite } from "./render-site.ts";
export { omitDocument, type RenderedPage } from "./page/rendered-page.ts";
export { createSharedParts } from "./shared-parts.ts";
export type { SharedParts } from "./shared-parts.ts";
export type { SourceMemory } from "./source/source-index.ts";
export { createSiteFiles } from "./source/site-files.ts";
export type { SiteFiles } from "./source/site-files.ts";
