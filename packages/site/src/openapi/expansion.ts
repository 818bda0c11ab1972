import { limits } from "../core/index.ts";

/** Limits on the schemas that one page of a description may show. */
export interface SchemaExpansion {
  /** Maximum bytes of JSON for the page's whole subject. */
  readonly subjectBytes: number;
  /** Maximum bytes of HTML for the schemas on the page; undefined if only the page's own limit applies. */
  readonly schemaBytes?: number;
  /** Maximum bytes of HTML for the schemas that load when readers expand them. */
  readonly deferredBytes?: number;
}

/**
 * Bytes of HTML allowed per byte of a description. Real descriptions grow to 1.4 times their size, but schemas that
 * refer to each other can grow without limit.
 */
const schemaBytesPerByte = 8;
/**
 * The same limit for the schemas that readers expand. It is higher, because each of these schemas is on every page that
 * refers to it.
 */
const deferredBytesPerByte = 16;
/** The number of pages that may use their whole limit, no matter how small their description is. */
const fullPageCount = 10;
const minSchemaBytes = 8 * 1024;
/** Bytes of JSON allowed per byte of HTML. Schemas are smaller as JSON, except where most of them are not shown. */
const jsonPerHtml = 4;

/**
 * Divides the allowance of a description among its pages, so that the cost of the pages is proportional to the size of
 * the description, no matter how its schemas refer to each other.
 */
export function shareSchemaExpansion(descriptionBytes: number, pages: number): SchemaExpansion {
  const share = (perByte: number, limit: number) => {
    const allowance = descriptionBytes * perByte + fullPageCount * limit;
    return roundShare(allowance / Math.max(1, pages), limit);
  };
  const schemaBytes = share(schemaBytesPerByte, limits.schemaBytes);
  const deferredBytes = share(deferredBytesPerByte, limits.deferredSchemaBytes);
  const subjectBytes =
    schemaBytes === undefined || deferredBytes === undefined
      ? limits.subjectBytes
      : Math.max(schemaBytes * jsonPerHtml, deferredBytes);
  return {
    subjectBytes,
    ...(schemaBytes === undefined ? {} : { schemaBytes }),
    ...(deferredBytes === undefined ? {} : { deferredBytes }),
  };
}

/**
 * Rounds down in steps, so that most edits to a description do not change all its pages. Returns undefined if the limit
 * suffices.
 */
function roundShare(share: number, limit: number): number | undefined {
  if (share >= limit) return undefined;
  return Math.max(minSchemaBytes, 2 ** Math.floor(Math.log2(share)));
}
