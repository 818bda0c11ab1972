/** Exports for tests of other rooms. Only tests may import it. */
export { parseOperationText } from "./api/operation-index.ts";
export { createAddressPart, parsePageAddress } from "./api/api-pages.ts";
