/** The HTTP API: routes that validate a request, call an operation of another folder, and respond. */
export type { ApiOptions, PageServices } from "./api.ts";
export { createApi } from "./create-api.ts";
export { createOperationsServer } from "./create-operations-server.ts";
