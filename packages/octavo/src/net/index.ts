/** The guarded way out: requests reach public addresses, and private ones only where the operator allows. */
export { createGuardedFetch } from "./guarded-fetch.ts";
export type { GuardedFetch, GuardedFetchOptions, OutgoingRequest } from "./guarded-fetch.ts";
export { createRemoteFetch } from "./remote-fetch.ts";
export type { RemoteFetch } from "./remote-fetch.ts";
