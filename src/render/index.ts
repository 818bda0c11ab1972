/**
 * A site's folder to the files of a bundle. Knows no database, queue, HTTP or network: it gets folders
 * and values. The work, in order: `site/` reads, `pool/` renders pages in children (`page/`,
 * `components/`, `theme/`), `search/` and `outputs/` make what stands beside them, `archive/` packs.
 */
export { renderSite } from "./export/render-site.ts";
export type {
  ExportedPage,
  RenderOptions,
  RenderProgress,
  RenderResult,
} from "./export/render-options.ts";
export { openPreview } from "./preview/index.ts";
export type { PreviewChange, PreviewFile, SitePreview } from "./preview/index.ts";
export { readBrowserScript } from "./browser-script.ts";
export { loadSite } from "./site/index.ts";
export type { NavDivision, NavEntry, Redirect, Site, SitePage } from "./site/site.ts";
export { createSuggestions } from "./site/suggestions.ts";
export type { SiteConfig } from "./site/config.ts";
export type { RenderedPage } from "./rendered-page.ts";
export { manyPages, optimizeAsUsual, optimizeLittle } from "./pool/optimization.ts";
export { packFolder } from "./archive/pack-folder.ts";
export type { PackedArchive } from "./archive/pack-folder.ts";
export { distinctProblems } from "./outputs/index.ts";
export { createAnchorIndex } from "./page/markdown/anchor-index.ts";
export type { AnchorIndex } from "./page/markdown/anchor-index.ts";
export { createSiteLinks, resolveLink, resolveMedia } from "./page/markdown/links.ts";
export type { LinkOrigin, Resolution, SiteLinks } from "./page/markdown/links.ts";
export type { Reference } from "./page/page.ts";
export { remoteMediaModes } from "./media/remote-address.ts";
export type { RemoteMediaMode } from "./media/remote-address.ts";
export type { SiteOrigin } from "./site-origin.ts";
export type { FetchRemote } from "./remote.ts";
export type { Problem } from "./problem.ts";
export type { SourceLinks } from "./source-links.ts";
