import type { PackedArchive } from "./archive/pack-files.ts";
import type { RenderChildren } from "./pool/render-children.ts";
import type { RenderedPage } from "./page/rendered-page.ts";
import type { ExportBudget } from "./pool/usage-meter.ts";
import type { SiteSettings } from "../load/index.ts";
import type { RemoteMediaMode, Site, SitePage } from "../site/index.ts";
import { readRemoteOrigins } from "../core/index.ts";
import type { Problem, RemoteOrigins } from "../core/index.ts";

/**
 * The settings of an export: one value, built from flags or from a job's row, which all steps share under this name.
 * Parts of it have their own types.
 */
export interface ExportSettings extends SiteSettings {
  /**
   * The folder that becomes the bundle; the files that an earlier export left there are replaced. If absent this is a
   * check: nothing is written, and pages are rendered only as far as `check` and `problems` need, without documents,
   * colors or search terms.
   */
  readonly outDir?: string | undefined;
  /**
   * Packs the bundle into this file. `outDir` must then be an empty folder. During the export it holds some of the
   * bundle's files; the caller removes it.
   */
  readonly archive?: { readonly format: "tar.gz" | "zip"; readonly file: string } | undefined;
  /**
   * Whether the site's folder was created for this export, as a checkout is: files are then identified by their
   * content, because their stats are new.
   */
  readonly isNewFolder?: boolean | undefined;
  /** The pages to include, by their names in the navigation; all pages if absent. */
  readonly paths?: readonly string[] | undefined;
  /** The cache's folder; nothing is cached if absent. */
  readonly cacheDir?: string | undefined;
  /** How files on other hosts are shown; `keep` by default, and always in a check. */
  readonly remoteMedia?: RemoteMediaMode | undefined;
  /**
   * Hosts from which pages may load scripts, styles, fonts, frames and data: `cdn.example.com`, `*.example.com`; none
   * by default.
   */
  readonly remoteScripts?: readonly string[] | undefined;
  /** Also reports problems that affect readers who cannot see the pages. */
  readonly accessibility?: boolean | undefined;
  /** Number of render children at work at the same time; by default it depends on the site and the machine. */
  readonly workers?: number | undefined;
  /**
   * The export fails with `too_large` if this process and its children together use more. A process with a budget must
   * not run more than one export. Unlimited by default.
   */
  readonly budget?: ExportBudget | undefined;
  /** Children that wait between exports of one site; the caller ends them. By default each export starts its own. */
  readonly children?: RenderChildren | undefined;
  /**
   * Runs the link check and any other checks that the caller needs. Its problems are added to the report. The contents
   * of the pages can be read until it returns.
   */
  readonly check?: ((site: Site, pages: readonly ExportedPage[]) => readonly Problem[]) | undefined;
  /**
   * A name for the checks in `check`. If a check with this name found no problems in a page's references, the page has
   * `hasVerifiedLinks` in the next export, as long as nothing that the references depend on has changed. Without a name no
   * page has it.
   */
  readonly checkedAs?: string | undefined;
  readonly onProgress?: ((progress: RenderProgress) => void) | undefined;
  /** Called when the pages are complete and packing of the archive begins. */
  readonly onPacking?: ((pages: PageCounts) => void) | undefined;
}

export interface PageCounts {
  /** Number of pages in the bundle. */
  readonly pages: number;
  /** Number of newly rendered pages; the others came from the cache. */
  readonly rendered: number;
}

/** The settings that change how pages look, completed with defaults. */
export interface PageSettings {
  readonly baseUrl?: string | undefined;
  readonly remoteMedia: RemoteMediaMode;
  /** Parsed from the settings' `remoteScripts`. */
  readonly remoteOrigins: RemoteOrigins;
  /** Whether pages are rendered only for their problems: `html`, `markdown` and `terms` are then empty. */
  readonly isForCheck: boolean;
}

export type CompleteSettings = ExportSettings & PageSettings;

/**
 * Returns the settings completed with their defaults. Throws `invalid_input` if `remoteScripts` contains an invalid
 * host.
 */
export function completeSettings(settings: ExportSettings): CompleteSettings {
  const isForCheck = settings.outDir === undefined;
  const remoteMedia = isForCheck ? "keep" : (settings.remoteMedia ?? "keep");
  const remoteOrigins = readRemoteOrigins(settings.remoteScripts ?? []);
  return { ...settings, isForCheck, remoteMedia, remoteOrigins };
}

export interface RenderProgress {
  /** Number of pages in the bundle so far. */
  readonly done: number;
  readonly total: number;
  /** Number of these pages that were rendered; the others came from the cache. */
  readonly rendered: number;
}

export interface ExportedPage {
  readonly page: SitePage;
  readonly rendered: RenderedPage;
  /**
   * Whether an earlier export found no problem in the page's references, and nothing that they depend on has changed.
   */
  readonly hasVerifiedLinks?: boolean;
}

export interface RenderResult {
  readonly pages: number;
  readonly rendered: number;
  readonly problems: readonly Problem[];
  readonly site: Site;
  /** Size of all files in the bundle's folder in bytes; 0 if there is no folder. */
  readonly bytes: number;
  /** The archive, if one was requested. */
  readonly packed?: PackedArchive;
}
