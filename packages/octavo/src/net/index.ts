/**
 * The guarded way out. Every connection that the service opens to a place somebody named goes by here: requests
 * (`createGuardedFetch`), files of other hosts (`createRemoteFetch`), and git, which connects by itself, to the
 * addresses that are found here (`findAddresses`).
 */
export { findAddresses } from "./destination.ts";
export type { ResolveHostName } from "./destination.ts";
export { createGuardedFetch } from "./guarded-fetch.ts";
export type { GuardedFetch, GuardedFetchOptions, OutgoingRequest } from "./guarded-fetch.ts";
export { createLinkProbe } from "./link-probe.ts";
export type { LinkState, ProbeLinks } from "./link-probe.ts";
export { createRemoteFetch } from "./remote-fetch.ts";
export type { RemoteFetch } from "./remote-fetch.ts";
