import { encodePath } from "../core/index.ts";

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
