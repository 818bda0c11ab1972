import { encodePath } from "../core/index.ts";

/**
 * The origin of a site's files. The renderer itself does not use Git. Instead, the caller passes this object, whose
 * methods are called only for information that pages show. Unknown values are not errors. Both methods reject only if
 * `signal` is aborted.
 */
export interface SiteOrigin {
  /**
   * Returns the day of the last change, such as `2026-11-20`, of each of these files for which it is known. Paths are
   * relative to the site's folder.
   */
  lastChanges(
    files: ReadonlySet<string>,
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, string>>;
  /**
   * Returns the links to the source, or undefined if they are unknown. They must not contain secrets, because readers
   * see them.
   */
  links(signal?: AbortSignal): Promise<SourceLinks | undefined>;
}

/**
 * Addresses with a placeholder. `{path}` represents the path of a file below the site's folder, and `{title}`
 * represents a page's title.
 */
export interface SourceLinks {
  /** The address for editing a file. */
  readonly edit?: string;
  /** The address for reporting an issue. */
  readonly issue?: string;
}

/** Replaces the placeholder with the percent-encoded value. */
export function fillLink(template: string, placeholder: "path" | "title", value: string): string {
  const text =
    placeholder === "path" ? encodePath(value) : encodeURIComponent(value.toWellFormed());
  return template.replaceAll(`{${placeholder}}`, () => text);
}
