export { packFolder } from "./archive/pack-folder.ts";
export type { PackedArchive } from "./archive/pack-folder.ts";
export { failedPage } from "./failed-page.ts";
export { mapBounded } from "./map-bounded.ts";
export { createPageKeys } from "./page-key.ts";
export type { PageKeys } from "./page-key.ts";
export { readPageTask } from "./page-task.ts";
export { placeInDescription } from "./place-in-description.ts";
export { manyPages, optimizeAsUsual, optimizeLittle } from "./pool/optimization.ts";
export { openPool } from "./pool/pool.ts";
export type { RenderPool } from "./pool/pool.ts";
export type { PageTask, RenderSetup } from "./pool/protocol.ts";
export type {
  ExportedPage,
  RenderOptions,
  RenderProgress,
  RenderResult,
} from "./render-options.ts";
export { renderSite } from "./render-site.ts";
export type { RenderedPage } from "./rendered-page.ts";
export { createSharedParts, generator } from "./shared-parts.ts";
export type { SharedParts } from "./shared-parts.ts";
export { createSiteFiles } from "./site-files.ts";
export type { SiteFiles } from "./site-files.ts";
export { withoutDocument } from "./without-document.ts";
