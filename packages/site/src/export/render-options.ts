import type { PackedArchive } from "./archive/pack-folder.ts";
import type { RenderedPage } from "./rendered-page.ts";
import type { RemoteMediaMode, FetchRemote, SiteOrigin, Site, SitePage } from "../site/index.ts";
import type { Problem } from "../core/index.ts";

export interface RenderOptions {
  /** The site's folder. Nothing outside it is read, and nothing in it is written. */
  readonly siteDir: string;
  /** Absolute path of a file that is no part of the site: the archive of an earlier export in its folder. */
  readonly leaveOut?: string;
  /**
   * Becomes the bundle; what an earlier export left there is replaced. Where absent nothing is written, and
   * pages are rendered only as far as `check` and `problems` need: no documents, colours or search terms.
   */
  readonly outDir?: string;
  /**
   * Packs the bundle into this file, as `packFolder` does it. `outDir`, which must be an empty folder then, holds some
   * of its files until that and is the caller's to remove.
   */
  readonly archive?: { readonly format: "tar.gz" | "zip"; readonly file: string };
  /** Name of the folder where a person gave it, for a site that names itself nowhere. */
  readonly folderName?: string;
  /** Pages to include, as navigation names them; all when absent. */
  readonly paths?: readonly string[];
  /** Address at which the bundle will be served, for canonical links and the sitemap. */
  readonly baseUrl?: string;
  /** Where rendered pages are kept between exports; nothing is kept when absent. */
  readonly cacheDir?: string;
  /** How what lies on other hosts is shown; `keep` by default. Pages rendered for a check are the same for all. */
  readonly remoteMedia?: RemoteMediaMode;
  /**
   * Brings what is to be in the bundle, and descriptions of APIs that the site names on other hosts; nothing
   * can be brought when absent, and pages say it.
   */
  readonly fetchRemote?: FetchRemote;
  /** Where the site's files come from; asked only for what its pages show, and nothing of it is shown when absent. */
  readonly origin?: SiteOrigin | undefined;
  /** Where a file of the site is edited, with `{path}` for its path: each page links there, whatever the site says. */
  readonly editUrl?: string | undefined;
  readonly workers?: number;
  /** The link check and what else the caller holds against the pages; its findings join the report. */
  readonly check?: (site: Site, pages: readonly ExportedPage[]) => readonly Problem[];
  readonly onProgress?: (progress: RenderProgress) => void;
  readonly signal?: AbortSignal;
}

export interface RenderProgress {
  /** Pages that are in the bundle by now. */
  readonly done: number;
  readonly total: number;
  /** How many of them were rendered anew. */
  readonly rendered: number;
}

export interface ExportedPage {
  readonly page: SitePage;
  readonly rendered: RenderedPage;
}

export interface RenderResult {
  readonly pages: number;
  readonly rendered: number;
  readonly problems: readonly Problem[];
  readonly site: Site;
  /** Of all files in the bundle's folder; 0 where there is none. */
  readonly bytes: number;
  /** Where an archive was asked for. */
  readonly packed?: PackedArchive;
}
