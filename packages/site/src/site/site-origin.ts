import type { SourceLinks } from "./source-links.ts";

/**
 * What is known of where a site's files come from. The renderer knows no Git: it is handed this, and asks only
 * for what the site's pages show. What cannot be known is no failure: both reject only when `signal` is aborted.
 */
export interface SiteOrigin {
  /**
   * The day of the last change, `2026-11-20`, of each of these files that has one; paths are relative to the
   * site's folder.
   */
  lastChanges(
    files: ReadonlySet<string>,
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, string>>;
  /** Undefined where nobody knows them. Nothing in them may be a secret. */
  links(signal?: AbortSignal): Promise<SourceLinks | undefined>;
}
