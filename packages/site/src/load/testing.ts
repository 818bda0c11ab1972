/** What tests of other rooms need of this one. Only tests may import it. */
export { operationText } from "./api/operation-index.ts";
export { addressPart, parsePageAddress } from "./api/api-pages.ts";
