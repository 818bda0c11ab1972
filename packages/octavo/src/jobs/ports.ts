import type { ChangedFiles, ProjectsTable } from "../db/index.ts";
import type { ExportSettings, PageCounts, RenderProgress, SiteOrigin } from "@octavo/site";

/** The ports to rooms that jobs do not import; `node/` provides the implementations. */

/** The properties of a project that a checkout uses. */
export interface CheckoutProject {
  readonly id: string;
  /** An https, ssh or file URL without credentials, or `local`. */
  readonly repository: string;
  /** The site's folder in the repository; `.` is its root. */
  readonly directory: string;
  /** Determines how the repository is read, and which repository contains the service's own branches. */
  readonly codeHost: ProjectsTable["code_host"];
}

export interface CheckoutRequest {
  readonly project: CheckoutProject;
  /** A branch, tag or commit; null for the remote's HEAD. Ignored if `commit` is set. */
  readonly ref: string | null;
  /** The full hash of the commit that the first attempt recorded; null in the first attempt. */
  readonly commit: string | null;
  /**
   * A folder for this attempt only. Either it does not exist, or it contains an earlier checkout of the same project,
   * which is then updated.
   */
  readonly folder: string;
  readonly signal: AbortSignal;
}

export interface CommitDescription {
  /** The first line of the message. */
  readonly subject: string;
  /** The author's name. */
  readonly author: string;
  /** The files in which the commit differs from its first parent; undefined if they are not known. */
  readonly filesChanged?: ChangedFiles | undefined;
}

export interface CheckoutResult {
  /** The site's folder, in the `folder` of the request. */
  readonly dir: string;
  /** The size of the request's `folder`; undefined if a later checkout cannot reuse the folder. */
  readonly diskBytes?: number | undefined;
  /** The full commit hash. */
  readonly commit: string;
  /** The source of these files, which can be queried during the attempt. */
  readonly origin?: SiteOrigin;
  /**
   * Reports whether everybody can read the repository. Returns undefined if it was read without credentials, or with
   * the project's credentials.
   */
  readonly isPublic?: ((signal: AbortSignal) => Promise<boolean>) | undefined;
  /** Finds the commit at which this commit diverged from a branch. Returns undefined if they have no common history. */
  readonly findForkCommit?: (branch: string, signal: AbortSignal) => Promise<string | undefined>;
  /** Reads the commit's subject, author and changed files. Returns undefined if they cannot be read. */
  readonly describe?: (signal: AbortSignal) => Promise<CommitDescription | undefined>;
}

/**
 * Checks out the files of one commit. Throws `repository_unreachable`, `ref_not_found` or `site_invalid` with advice
 * for the user. Messages never contain credentials.
 */
export type CheckOut = (request: CheckoutRequest) => Promise<CheckoutResult>;

/**
 * The settings that a job passes to an export. `node/` adds the check and the settings that the operator chooses, such
 * as access to other hosts.
 */
export interface JobExportSettings extends Omit<
  ExportSettings,
  "check" | "checkName" | "children" | "memory"
> {
  readonly outDir: string;
  readonly archive: NonNullable<ExportSettings["archive"]>;
  readonly onProgress: (progress: RenderProgress) => void;
  readonly onPacking: (pages: PageCounts) => void;
  readonly signal: AbortSignal;
}

/** A site to render in a process that starts immediately. */
export interface RenderRequest extends Pick<JobExportSettings, "cacheDir" | "signal"> {
  /** Provides the site's files. Runs while the process starts. */
  readonly prepare: () => Promise<Omit<JobExportSettings, "cacheDir" | "signal">>;
}

/** A rendered site, with the number of problems in its report. */
export interface RenderedSite extends PageCounts {
  readonly errors: number;
  readonly warnings: number;
  /** First segments of the addresses of all pages, such as `guides` for `guides/start.html`. */
  readonly firstSegments: readonly string[];
}

/**
 * Renders a site into an archive. The same content produces the same bytes. Throws `site_invalid` if there is no site
 * to render, and `invalid_input`, naming every requested path that is not a page. A page that cannot be rendered is
 * listed as a problem in the bundle's report; it is never an error. If `prepare` rejects, rejects with the same error.
 */
export type RenderSite = (request: RenderRequest) => Promise<RenderedSite>;

/** An uploaded archive, stored in files on this machine. */
interface ReceivedArchive {
  readonly file: string;
  readonly format: "tar.gz" | "zip";
  readonly bytes: number;
  /** An empty folder for its files. */
  readonly folder: string;
  /** The file to which the bundle is written, as a zip. */
  readonly outFile: string;
}

export interface RepackedUpload {
  readonly pages: number;
  /** The numbers of problems; null for a site built by another program, which writes no report. */
  readonly problems: { readonly errors: number; readonly warnings: number } | null;
  /** Sentences about ignored content, for the deployment's log. */
  readonly notes: readonly string[];
}

/**
 * Repacks the files of an archive, so that equal files give equal bytes. Throws `invalid_input` if the archive is
 * corrupt or is not a site, and `too_large` if it contains too many files or files that are too large.
 */
export type RepackUpload = (
  archive: ReceivedArchive,
  options: { readonly projectId: string; readonly signal: AbortSignal },
) => Promise<RepackedUpload>;

/** A stored bundle. */
export interface BundleReference {
  readonly key: string;
  readonly bytes: number;
}

/** A page that looks different to readers, identified by its path without an extension. */
export interface ChangedPage {
  readonly path: string;
  readonly kind: "added" | "removed" | "changed";
}

/** A problem that the later bundle's report lists, but not the earlier bundle's report. */
export interface NewProblem {
  readonly severity: "error" | "warning";
  readonly file: string;
  readonly line?: number | undefined;
  readonly message: string;
}

/** The differences between the sites in two bundles. */
export interface BundleComparison {
  /** The changed pages, in the order of their paths. */
  readonly pages: readonly ChangedPage[];
  /** The number of pages that changed only outside their content, for example in the navigation. */
  readonly framed: number;
  /** Paths of pictures and other files that changed. */
  readonly files: readonly string[];
  readonly problems: readonly NewProblem[];
  /** The names of the checks that were not performed. */
  readonly notChecked: readonly string[];
}

/** Compares two bundles of one project. Throws `unavailable` if the storage cannot be reached. */
export type CompareBundles = (
  before: BundleReference,
  after: BundleReference,
) => Promise<BundleComparison>;

/** The log for operators, which never receives secrets. A `pino` logger implements it. */
export interface JobLog {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}
