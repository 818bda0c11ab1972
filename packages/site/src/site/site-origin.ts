import { encodePath } from "../core/index.ts";

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

/** Addresses with a placeholder: `{path}` for the path of a file below the site's folder, or `{title}` for a page's title. */
export interface SourceLinks {
  /** For editing a file. */
  readonly edit?: string;
  /** For reporting an issue. */
  readonly issue?: string;
}

/** Replaces the placeholder with the percent-encoded value. */
export function fillLink(template: string, placeholder: "path" | "title", value: string): string {
  const text =
    placeholder === "path" ? encodePath(value) : encodeURIComponent(value.toWellFormed());
  return template.replaceAll(`{${placeholder}}`, () => text);
}
