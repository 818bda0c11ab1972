import { limits } from "../core/index.ts";

/** How much of its schemas one page of a description may show. */
export interface SchemaExpansion {
  /** As JSON, with everything else that the page is given. */
  readonly subjectBytes: number;
  /** As HTML; absent where that is all that a page has room for. */
  readonly schemaBytes?: number;
}

/** Real descriptions become 1.4 times their size; schemas that refer to each other become whatever is allowed. */
const bytesPerByte = 8;
/** So many pages may be full whatever the size of their description. */
const fullPages = 10;
const minSchemaBytes = 8 * 1024;
/** Schemas are smaller as JSON than as HTML, except where most of them are not shown. */
const jsonPerHtml = 4;

/**
 * Shares out what the pages of one description may show, so that they cost in proportion to its size, however its
 * schemas refer to each other.
 */
export function shareSchemaExpansion(descriptionBytes: number, pages: number): SchemaExpansion {
  const all = descriptionBytes * bytesPerByte + fullPages * limits.schemaBytes;
  const share = all / Math.max(1, pages);
  if (share >= limits.schemaBytes) return { subjectBytes: limits.subjectBytes };
  // In steps, so that few edits of a description change what all of its pages show.
  const schemaBytes = Math.max(minSchemaBytes, 2 ** Math.floor(Math.log2(share)));
  return { subjectBytes: schemaBytes * jsonPerHtml, schemaBytes };
}
