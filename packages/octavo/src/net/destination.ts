import { lookup } from "node:dns/promises";
import type { LookupAddress } from "node:dns";
import { isIP } from "node:net";
import type { LookupFunction } from "node:net";
import { callbackify } from "node:util";
import { OctavoError } from "@octavo/site/core";
import { refuseAddresses, refuseDestination } from "../core/index.ts";
import type { AllowList, NetworkDestination } from "../core/index.ts";

/** All addresses of a name; rejects where it has none. */
export type ResolveName = (name: string) => Promise<readonly LookupAddress[]>;

/** As the system does it, its file of hosts included. */
export const resolveName: ResolveName = (name) => lookup(name, { all: true });

/**
 * The addresses of a place now, all of which may be connected to. Who connects takes one of these and asks no
 * name server again: a name that changes its mind after the check gains nothing. Throws `forbidden` with what to
 * set in OCTAVO_ALLOW, and what `resolve` throws.
 */
export async function findAddresses(
  place: NetworkDestination,
  allow: AllowList,
  resolve: ResolveName = resolveName,
): Promise<readonly LookupAddress[]> {
  checkDestination(place, allow);
  const family = isIP(place.host);
  const found = family === 0 ? await resolve(place.host) : [{ address: place.host, family }];
  if (found.length === 0) throw Object.assign(new Error("no address"), { code: "ENOTFOUND" });
  const ips = found.map(({ address }) => address);
  throwIfRefused(refuseAddresses(place, ips, allow));
  return found;
}

/** Throws `forbidden` where the place's name or address itself shows that it may not be asked. */
export function checkDestination(place: NetworkDestination, allow: AllowList): void {
  throwIfRefused(refuseDestination(place, allow));
}

/**
 * For Node's `lookup`: hands connections to `place` the addresses that were checked, and fails where one of them may not be
 * reached. Node looks up no name that is an address: `checkDestination` is asked for those.
 */
export function createGuardedLookup(
  place: NetworkDestination,
  allow: AllowList,
  resolve: ResolveName,
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
