import { frontmatterFields } from "@octavo/site/text";
import { scanInline } from "./inline-spans.ts";
import { pageBlocks } from "./page-blocks.ts";
import type { Span } from "./span.ts";

const metadataKeys: ReadonlySet<string> = new Set([
  "title",
  "sidebarTitle",
  "description",
  "og:title",
  "og:description",
  "twitter:title",
  "twitter:description",
]);

/**
 * The words of a page, in order: everything else (tags, addresses, imports, expressions, comments, ids,
 * other frontmatter) belongs to no span. Linear in the text; never throws. Markup that is not closed
 * hides the text behind it rather than giving it away as prose.
 */
export function pageSpans(text: string): Span[] {
  return pageBlocks(text).flatMap((block): Span[] => {
    if (block.kind === "code") return [{ kind: "code", start: block.start, end: block.end }];
    if (block.kind === "text") return scanInline(text, block.start, block.end);
    return block.kind === "frontmatter" ? metadataSpans(text, block.end) : [];
  });
}

function metadataSpans(text: string, end: number): Span[] {
  return frontmatterFields(text.slice(0, end))
    .filter(({ key }) => metadataKeys.has(key))
    .map(({ valueStart, valueEnd }) => ({ kind: "metadata", start: valueStart, end: valueEnd }));
}
