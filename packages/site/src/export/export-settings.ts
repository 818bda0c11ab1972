import type { PackedArchive } from "./archive/pack-files.ts";
import type { RenderChildren } from "./pool/render-children.ts";
import type { RenderedPage } from "./page/rendered-page.ts";
import type { ExportBudget } from "./pool/usage-meter.ts";
import type { SourceMemory } from "./source/source-index.ts";
import type { SiteSettings } from "../load/index.ts";
import type { RemoteMediaMode, Site, SitePage } from "../site/index.ts";
import { readRemoteOrigins } from "../core/index.ts";
import type { Problem, RemoteOrigins } from "../core/index.ts";

/**
 * The settings of an export, built from command-line flags or from a job's row. All steps share this value; parts of it
 * have their own types.
 */
export interface ExportSettings extends SiteSettings {
  /**
   * The folder that becomes the bundle; the files of an earlier export in it are replaced. If omitted, this is a check:
   * nothing is written, and pages are rendered only as far as `check` and `problems` need, without documents, colors or
   * search terms.
   */
  readonly outDir?: string | undefined;
  /**
   * Packs the bundle into this file. `outDir` must then be an empty folder, which contains some of the bundle's files
   * during the export and which the caller removes.
   */
  readonly archive?: { readonly format: "tar.gz" | "zip"; readonly file: string } | undefined;
  /**
   * Whether the site's folder was created for this export, as with a checkout. Files are then identified by their
   * content, because their stats are new.
   */
  readonly isNewFolder?: boolean | undefined;
  /**
   * State kept between exports of a folder that only this process changes, so that only changed files are read again.
   * The source index in the cache is then not used, because the folder may be so new that stats do not show changes.
   */
  readonly memory?: SourceMemory | undefined;
  /** The pages to include, by their names in the navigation. Defaults to all pages. */
  readonly paths?: readonly string[] | undefined;
  /** The cache's folder. If omitted, nothing is cached. */
  readonly cacheDir?: string | undefined;
  /** How files on other hosts are shown. Defaults to `keep`; a check always uses `keep`. */
  readonly remoteMedia?: RemoteMediaMode | undefined;
  /**
   * Hosts, such as `cdn.example.com` or `*.example.com`, from which pages may load scripts, styles, fonts, frames and
   * data. If omitted, pages may load them from no other host.
   */
  readonly remoteScripts?: readonly string[] | undefined;
  /** Whether to also report problems that affect readers who cannot see the pages. */
  readonly accessibility?: boolean | undefined;
  /** Number of render children that work at the same time. The default depends on the site and the machine. */
  readonly workers?: number | undefined;
  /**
   * The export fails with `too_large` if this process and its children together use more than this. A process must not
   * run more than one export at a time if it has a budget. Unlimited by default.
   */
  readonly budget?: ExportBudget | undefined;
  /**
   * Render children that are kept alive between exports of one site; the caller stops them. By default, each export
   * starts its own.
   */
  readonly children?: RenderChildren | undefined;
  /**
   * Runs the link check and any other checks that the caller needs. The returned problems are added to the report. The
   * contents of the pages can be read until it returns.
   */
  readonly check?: ((site: Site, pages: readonly ExportedPage[]) => readonly Problem[]) | undefined;
  /**
   * A name for the checks in `check`. If checks with this name found no problems in a page's references, the page has
   * `hasVerifiedLinks` in the next export, as long as nothing that the references depend on has changed. Without a
   * name, no page has this flag.
   */
  readonly checkName?: string | undefined;
  readonly onProgress?: ((progress: RenderProgress) => void) | undefined;
  /** Called when the pages are complete, before the archive is packed. */
  readonly onPacking?: ((pages: PageCounts) => void) | undefined;
}

export interface PageCounts {
  /** Number of pages in the bundle. */
  readonly pages: number;
  /** Number of newly rendered pages; the others came from the cache. */
  readonly rendered: number;
}

/** The settings that affect the rendered pages, with defaults filled in. */
export interface PageSettings {
  readonly baseUrl?: string | undefined;
  readonly remoteMedia: RemoteMediaMode;
  /** The parsed value of the setting `remoteScripts`. */
  readonly remoteOrigins: RemoteOrigins;
  /** Whether pages are rendered only to find problems. `html`, `markdown` and `terms` are then empty. */
  readonly isForCheck: boolean;
}

export type CompleteSettings = ExportSettings & PageSettings;

/**
 * Returns the settings with defaults filled in. Throws `invalid_input` if `remoteScripts` contains an invalid host.
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
  /** Number of these pages that were rendered; the others come from the cache. */
  readonly rendered: number;
}

export interface ExportedPage {
  readonly page: SitePage;
  readonly rendered: RenderedPage;
  /**
   * Whether an earlier export found no problems in the page's references and nothing that they depend on has changed.
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
