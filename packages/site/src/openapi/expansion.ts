import { limits } from "../core/index.ts";

/** Limits on the schemas that one page of a description may show. */
export interface SchemaExpansion {
  /** Maximum bytes of JSON for the page's whole subject. */
  readonly subjectBytes: number;
  /** Maximum bytes of HTML for the schemas; undefined if only the page's own limit applies. */
  readonly schemaBytes?: number;
}

/** Real descriptions grow to 1.4 times their size; schemas that refer to each other grow to any limit. */
const bytesPerByte = 8;
/** The number of pages that may be full regardless of the size of their description. */
const fullPages = 10;
const minSchemaBytes = 8 * 1024;
/** Schemas are smaller as JSON than as HTML, except where most of them are not shown. */
const jsonPerHtml = 4;

/**
 * Divides the allowance of one description among its pages, so that their cost is proportional to its size, however
 * its schemas refer to each other.
 */
export function shareSchemaExpansion(descriptionBytes: number, pages: number): SchemaExpansion {
  const all = descriptionBytes * bytesPerByte + fullPages * limits.schemaBytes;
  const share = all / Math.max(1, pages);
  if (share >= limits.schemaBytes) return { subjectBytes: limits.subjectBytes };
  // In steps, so that few edits of a description change the content of all its pages.
  const schemaBytes = Math.max(minSchemaBytes, 2 ** Math.floor(Math.log2(share)));
  return { subjectBytes: schemaBytes * jsonPerHtml, schemaBytes };
}
