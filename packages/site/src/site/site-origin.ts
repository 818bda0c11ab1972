import type { SourceLinks } from "./source-links.ts";

/**
 * Where a site's files come from. The renderer does not use Git: it is given this, and calls it only for what
 * pages show. Unknown values are no errors: both methods reject only if `signal` is aborted.
 */
export interface SiteOrigin {
  /**
   * The day of the last change, `2026-11-20`, of each of these files, if known; paths are relative to the site's
   * folder.
   */
  lastChanges(
    files: ReadonlySet<string>,
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, string>>;
  /** Undefined if unknown. Must not contain secrets: readers see them. */
  links(signal?: AbortSignal): Promise<SourceLinks | undefined>;
}
