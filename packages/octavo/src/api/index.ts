/** The HTTP API, whose routes validate a request, call an operation in another module, and respond. */
export type { ApiOptions, PageServices, SiteListener } from "./api.ts";
export { parseBasePath } from "./base-path.ts";
export { createApi, createOperationsServer } from "./create-api.ts";
