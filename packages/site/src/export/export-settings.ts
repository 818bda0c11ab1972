import type { PackedArchive } from "./archive/pack-files.ts";
import type { RenderChildren } from "./pool/render-children.ts";
import type { RenderedPage } from "./page/rendered-page.ts";
import type { ExportBudget } from "./pool/usage-meter.ts";
import type { SiteSettings } from "../load/index.ts";
import type { RemoteMediaMode, Site, SitePage } from "../site/index.ts";
import { readRemoteOrigins } from "../core/index.ts";
import type { Problem, RemoteOrigins } from "../core/index.ts";

/**
 * What an export is told: one value, made from flags or from a job's row, which all steps share under this
 * name. Parts of it have names of their own.
 */
export interface ExportSettings extends SiteSettings {
  /**
   * The folder that becomes the bundle; what an earlier export left there is replaced. If absent this is a check:
   * nothing is written, and pages are rendered only as far as `check` and `problems` need, without documents, colours
   * or search terms.
   */
  readonly outDir?: string | undefined;
  /**
   * Packs the bundle into this file. `outDir` must then be an empty folder. It holds some of
   * the bundle's files meanwhile, and the caller removes it.
   */
  readonly archive?: { readonly format: "tar.gz" | "zip"; readonly file: string } | undefined;
  /**
   * The site's folder was made for this export, as a checkout is: what its files are is seen from their content, since
   * their stats are new.
   */
  readonly isNewFolder?: boolean | undefined;
  /** Pages to include, as navigation names them; all when absent. */
  readonly paths?: readonly string[] | undefined;
  /** Folder of the cache; nothing is cached when absent. */
  readonly cacheDir?: string | undefined;
  /** How files on other hosts are shown; `keep` by default, and always in a check. */
  readonly remoteMedia?: RemoteMediaMode | undefined;
  /**
   * Hosts that pages may ask for scripts, styles, fonts, frames and data: `cdn.example.com`, `*.example.com`; none by
   * default.
   */
  readonly remoteScripts?: readonly string[] | undefined;
  /** Also reports what readers who cannot see the pages miss. */
  readonly accessibility?: boolean | undefined;
  /** Render children at work at the same time; by default as many as the site and the machine warrant. */
  readonly workers?: number | undefined;
  /**
   * The export fails with `too_large` if this process and its children use more together: a process that has a budget
   * makes this export alone. Nothing is limited by default.
   */
  readonly budget?: ExportBudget | undefined;
  /** Children that wait between exports of one site, which the caller ends; by default each export starts its own. */
  readonly children?: RenderChildren | undefined;
  /**
   * The link check, and whatever else the caller requires of the pages. Its findings join the report. What a page has
   * can be read until the check returns.
   */
  readonly check?: ((site: Site, pages: readonly ExportedPage[]) => readonly Problem[]) | undefined;
  /**
   * Names what `check` finds. Pages in whose references a check of this name found nothing have `hasSoundLinks` the next
   * time, while nothing that they depend on has changed. Without a name no page has it.
   */
  readonly checkedAs?: string | undefined;
  readonly onProgress?: ((progress: RenderProgress) => void) | undefined;
  /** The pages are done, and the archive is packed now. */
  readonly onPacking?: ((pages: PageCounts) => void) | undefined;
}

export interface PageCounts {
  /** Pages in the bundle. */
  readonly pages: number;
  /** Newly rendered pages; the others came from the cache. */
  readonly rendered: number;
}

/** The part of the settings that changes what pages look like, completed. */
export interface PageSettings {
  readonly baseUrl?: string | undefined;
  readonly remoteMedia: RemoteMediaMode;
  /** Read from the settings' `remoteScripts`. */
  readonly remoteOrigins: RemoteOrigins;
  /** Pages are rendered for their problems, not to be shown: `html`, `markdown` and `terms` are empty. */
  readonly isForCheck: boolean;
}

export type CompleteSettings = ExportSettings & PageSettings;

/** The settings with their defaults. Throws `invalid_input` if `remoteScripts` has what is not a host. */
export function completeSettings(settings: ExportSettings): CompleteSettings {
  const isForCheck = settings.outDir === undefined;
  const remoteMedia = isForCheck ? "keep" : (settings.remoteMedia ?? "keep");
  const remoteOrigins = readRemoteOrigins(settings.remoteScripts ?? []);
  return { ...settings, isForCheck, remoteMedia, remoteOrigins };
}

export interface RenderProgress {
  /** Pages that are in the bundle by now. */
  readonly done: number;
  readonly total: number;
  /** How many of them were rendered; the others came from the cache. */
  readonly rendered: number;
}

export interface ExportedPage {
  readonly page: SitePage;
  readonly rendered: RenderedPage;
  /** An earlier export found no problem in its references, and nothing that they depend on has changed. */
  readonly hasSoundLinks?: boolean;
}

export interface RenderResult {
  readonly pages: number;
  readonly rendered: number;
  readonly problems: readonly Problem[];
  readonly site: Site;
  /** Size of all files in the bundle's folder; 0 if there is none. */
  readonly bytes: number;
  /** If an archive was asked for. */
  readonly packed?: PackedArchive;
}
