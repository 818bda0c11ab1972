import { encodePath } from "../core/index.ts";

/**
 * The origin of a site's files. The renderer does not use Git: the caller passes this object, which is called only for
 * information that pages show. Unknown values are not errors: both methods reject only if `signal` is aborted.
 */
export interface SiteOrigin {
  /**
   * Returns the day of the last change, such as `2026-11-20`, of each of these files, if known; paths are relative to
   * the site's folder.
   */
  lastChanges(
    files: ReadonlySet<string>,
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, string>>;
  /** Returns the links; undefined if unknown. They must not contain secrets: readers see them. */
  links(signal?: AbortSignal): Promise<SourceLinks | undefined>;
}

/**
 * Addresses with a placeholder: `{path}` for the path of a file below the site's folder, or `{title}` for a page's
 * title.
 */
export interface SourceLinks {
  /** Address for editing a file. */
  readonly edit?: string;
  /** Address for reporting an issue. */
  readonly issue?: string;
}

/** Replaces the placeholder with the percent-encoded value. */
export function fillLink(template: string, placeholder: "path" | "title", value: string): string {
  const text =
    placeholder === "path" ? encodePath(value) : encodeURIComponent(value.toWellFormed());
  return template.replaceAll(`{${placeholder}}`, () => text);
}
