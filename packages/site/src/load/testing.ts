/** Exports for tests in other folders. Only tests may import this module. */
export { parseOperationText } from "./api/operation-index.ts";
export { createAddressPart, parsePageAddress } from "./api/api-pages.ts";
