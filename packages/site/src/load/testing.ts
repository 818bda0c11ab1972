/** What tests of other rooms need of this one. Only tests may import it. */
export { operationText } from "./api/operation-text.ts";
export { addressPart, parsePageAddress } from "./api/page-address.ts";
