import { findField, frontmatterFields, yamlText } from "../text/frontmatter.ts";
import { frontmatterEnd } from "../text/page-blocks.ts";
import type { TextEdit } from "../text/replacements.ts";

/**
 * The edit that gives a page's frontmatter the field: in its place where it is there, else behind the title, else
 * at the beginning; a page without frontmatter gets one.
 */
export function metadataEdit(page: string, key: string, value: string): TextEdit {
  const lineEnd = page.includes("\r\n") ? "\r\n" : "\n";
  const line = `${key}: ${yamlText(value)}${lineEnd}`;
  const field = findField(page, key);
  if (field !== undefined) return { start: field.start, end: field.end, text: line };
  if (frontmatterEnd(page) === 0) {
    const start = page.startsWith("\uFEFF") ? 1 : 0;
    return { start, end: start, text: `---${lineEnd}${line}---${lineEnd}${lineEnd}` };
  }
  const after = frontmatterFields(page).find((other) => other.key === "title");
  const start = after?.end ?? page.indexOf("\n") + 1;
  return { start, end: start, text: line };
}
