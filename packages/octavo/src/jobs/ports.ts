import type { ProjectsTable } from "../db/index.ts";
import type { ExportSettings, RenderProgress, SiteOrigin } from "@octavo/site";

/** What a job needs of rooms that it does not import; `cli/` hands them in. */

/** What a checkout must know of a project. */
export interface CheckoutProject {
  readonly id: string;
  /** https, ssh or file URL without credentials, or `local`. */
  readonly repository: string;
  /** Where the site lies in the repository; `.` is its root. */
  readonly directory: string;
  /** Knows how the repository is read, and where the service's own branches are. */
  readonly codeHost: ProjectsTable["code_host"];
}

export interface CheckoutRequest {
  readonly project: CheckoutProject;
  /** Branch, tag or commit; null means the remote's HEAD. Not read where `commit` is given. */
  readonly ref: string | null;
  /** The full commit that the first attempt fixed; null on the first. */
  readonly commit: string | null;
  /** For this attempt alone: made here, and removed with all that is in it after the attempt. */
  readonly targetDir: string;
  readonly signal: AbortSignal;
}

export interface CheckedOut {
  /** The folder that holds the site. */
  readonly dir: string;
  /** The full commit. */
  readonly commit: string;
  /** What can be asked of where these files come from, while the attempt runs. */
  readonly origin?: SiteOrigin;
}

/**
 * Brings the files of one commit. Throws `repository_unreachable`, `ref_not_found` or `site_invalid`
 * with what a person can do about it; no message holds a credential.
 */
export type CheckOut = (request: CheckoutRequest) => Promise<CheckedOut>;

/** What a job tells an export; `cli/` adds what the operator decides: other hosts, and the check. */
export interface JobExportSettings extends ExportSettings {
  readonly outDir: string;
  readonly onProgress: (progress: RenderProgress) => void;
  readonly signal: AbortSignal;
}

export interface RenderSummary {
  /** Pages in the bundle. */
  readonly pages: number;
  /** Of these, rendered anew; the others came from the cache. */
  readonly rendered: number;
}

/**
 * Renders a site into a folder. Throws `site_invalid` where there is no site to render, and
 * `invalid_input` that names every requested path which is not a page. A page that cannot be
 * rendered is a problem in the bundle's report, never an error.
 */
export type RenderSite = (settings: JobExportSettings) => Promise<RenderSummary>;

export interface PackedFile {
  readonly bytes: number;
  /** Of the archive, 64 lower-case hexadecimal digits. */
  readonly sha256: string;
}

/** Packs a folder into one file; the same content gives the same bytes. */
export type PackFolder = (
  folder: string,
  format: "tar.gz" | "zip",
  outFile: string,
  options: { readonly signal: AbortSignal },
) => Promise<PackedFile>;

/** Where jobs say what an operator may want to know. Never a secret; a logger of `pino` fits. */
export interface JobLog {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}
