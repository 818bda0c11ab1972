import { lookup } from "node:dns/promises";
import type { LookupAddress } from "node:dns";
import { isIP } from "node:net";
import type { LookupFunction } from "node:net";
import { callbackify } from "node:util";
import { OctavoError } from "@octavo/site/core";
import { refuseAddresses, refuseDestination } from "../core/index.ts";
import type { AllowList, NetworkDestination } from "../core/index.ts";

/** Resolves a host name to all of its addresses. Rejects if there are none. */
export type ResolveHostName = (name: string) => Promise<readonly LookupAddress[]>;

/** Resolves names as the system does, including its hosts file. */
export const resolveHostName: ResolveHostName = (name) => lookup(name, { all: true });

/**
 * Returns the current addresses of a destination, all of which are permitted. The caller must connect to one of these
 * addresses without resolving the name again, so that a DNS change after the check has no effect. Throws `forbidden`
 * with the entry for OCTAVO_ALLOW, and any error of `resolve`.
 */
export async function findAddresses(
  place: NetworkDestination,
  allow: AllowList,
  resolve: ResolveHostName = resolveHostName,
): Promise<readonly LookupAddress[]> {
  checkDestination(place, allow);
  const family = isIP(place.host);
  const found = family === 0 ? await resolve(place.host) : [{ address: place.host, family }];
  if (found.length === 0) throw Object.assign(new Error("no address"), { code: "ENOTFOUND" });
  const ips = found.map(({ address }) => address);
  throwIfRefused(refuseAddresses(place, ips, allow));
  return found;
}

/** Throws `forbidden` if the destination's name or address itself is not permitted. */
export function checkDestination(place: NetworkDestination, allow: AllowList): void {
  throwIfRefused(refuseDestination(place, allow));
}

/**
 * Creates a function for Node's `lookup` that passes the checked addresses to connections to `place`, and fails if any
 * address is not permitted. Node does not look up IP addresses, so `checkDestination` checks those.
 */
export function createGuardedLookup(
  place: NetworkDestination,
  allow: AllowList,
  resolve: ResolveHostName,
): LookupFunction {
  const find = callbackify(() => findAddresses(place, allow, resolve));
  return (_host, options, done) => {
    find((error: Error | null, found: readonly LookupAddress[]) => {
      if (error) done(error, []);
      else if (options.all) done(null, [...found]);
      else done(null, found[0]?.address ?? "", found[0]?.family);
    });
  };
}

function throwIfRefused(sentence: string | undefined): void {
  if (sentence !== undefined) throw new OctavoError("forbidden", sentence);
}
