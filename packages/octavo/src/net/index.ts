/**
 * Guarded network access. All of the service's connections to user-supplied addresses go through this room: requests
 * (`createGuardedFetch`), files from other hosts (`createRemoteFetch`), and git, which connects by itself to the
 * addresses that `findAddresses` returns.
 */
export { findAddresses } from "./exchange.ts";
export type { ResolveHostName } from "./exchange.ts";
export { createGuardedFetch } from "./guarded-fetch.ts";
export type { GuardedFetch, GuardedFetchOptions, OutgoingRequest } from "./guarded-fetch.ts";
export { createLinkProbe } from "./link-probe.ts";
export type { LinkState, ProbeLinks } from "./link-probe.ts";
export { createTextRecordReader } from "./text-records.ts";
export { createRemoteFetch } from "./remote-fetch.ts";
export type { RemoteFetch } from "./remote-fetch.ts";
