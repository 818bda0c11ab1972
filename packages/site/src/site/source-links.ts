import { encodePath } from "../core/index.ts";

/** Addresses with a gap: `{path}` stands for the path of a file below the site's folder, `{title}` for a page's title. */
export interface SourceLinks {
  /** Where a person edits a file. */
  readonly edit?: string;
  /** Where a person says what is wrong. */
  readonly issue?: string;
}

/** The address with its gap filled; braces that stand in a value are escaped like all else. */
export function fillLink(template: string, placeholder: "path" | "title", value: string): string {
  const text =
    placeholder === "path" ? encodePath(value) : encodeURIComponent(value.toWellFormed());
  return template.replaceAll(`{${placeholder}}`, () => text);
}
