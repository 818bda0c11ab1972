import { findField, yamlText } from "../text/frontmatter.ts";
import { frontmatterEnd } from "../text/page-blocks.ts";
import type { TextEdit } from "@octavo/site/text";

/**
 * The edit that gives a page's frontmatter the field: in its place where it is there, else behind the title, else
 * at the beginning; a page without frontmatter gets one. Quoted as the field was, or else as the title is.
 */
export function metadataEdit(page: string, key: string, value: string): TextEdit {
  const lineEnd = page.includes("\r\n") ? "\r\n" : "\n";
  const field = findField(page, key);
  const title = findField(page, "title");
  const hasValue = field !== undefined && field.valueEnd > field.valueStart;
  const quote = (hasValue ? field : title)?.quote;
  const line = `${key}: ${yamlText(value, quote)}${lineEnd}`;
  if (field !== undefined) return { start: field.start, end: field.end, text: line };
  if (frontmatterEnd(page) === 0) {
    const start = page.startsWith("\uFEFF") ? 1 : 0;
    return { start, end: start, text: `---${lineEnd}${line}---${lineEnd}${lineEnd}` };
  }
  const start = title?.end ?? page.indexOf("\n") + 1;
  return { start, end: start, text: line };
}
