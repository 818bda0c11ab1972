import { limits } from "../core/index.ts";

/** Limits on the schemas that one page of a description may show. */
export interface SchemaExpansion {
  /** Maximum bytes of JSON for the page's whole subject. */
  readonly subjectBytes: number;
  /** Maximum bytes of HTML for the schemas. Undefined if only the page's own limit applies. */
  readonly schemaBytes?: number;
}

/** Real descriptions grow to 1.4 times their size, but schemas that refer to each other can grow without limit. */
const bytesPerByte = 8;
/** Number of pages that may reach the page limit regardless of the size of their description. */
const fullPages = 10;
const minSchemaBytes = 8 * 1024;
/** JSON bytes per byte of HTML. Schemas are smaller as JSON, except where most of them are not shown. */
const jsonPerHtml = 4;

/**
 * Divides the allowance of a description among its pages, so that the cost of the pages is proportional to the size of
 * the description, however its schemas refer to each other.
 */
export function shareSchemaExpansion(descriptionBytes: number, pages: number): SchemaExpansion {
  const all = descriptionBytes * bytesPerByte + fullPages * limits.schemaBytes;
  const share = all / Math.max(1, pages);
  if (share >= limits.schemaBytes) return { subjectBytes: limits.subjectBytes };
  // Rounded to a power of two, so that an edit to a description rarely changes the content of all its pages.
  const schemaBytes = Math.max(minSchemaBytes, 2 ** Math.floor(Math.log2(share)));
  return { subjectBytes: schemaBytes * jsonPerHtml, schemaBytes };
}
