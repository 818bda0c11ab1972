/** What tests of other rooms need of this one. Only tests may import it. */
export { parseOperationText } from "./api/operation-index.ts";
export { createAddressPart, parsePageAddress } from "./api/api-pages.ts";
