import { lookup as lookupName } from "node:dns";
import type { LookupAddress } from "node:dns";
import { isIP } from "node:net";
import { isPrivateAddress } from "../core/index.ts";
import { OctavoError } from "@octavo/site/core";
import type { AllowList } from "../core/index.ts";

/**
 * Throws `forbidden` where the address itself shows that it may not be asked: http to a place that the
 * operator did not name, or a private address. Names are checked when they are looked up.
 */
export function checkDestination(url: URL, allow: AllowList): void {
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const port = Number(url.port) || (url.protocol === "http:" ? 80 : 443);
  if (url.protocol === "http:" && !allow.allowsHost(host, port)) {
    throw new OctavoError(
      "forbidden",
      `http sends everything in the clear; use https, or let the operator name ${url.host} in OCTAVO_ALLOW.`,
    );
  }
  if (isIP(host) && isPrivateAddress(host) && !allow.allowsAddress(host, port)) {
    throw forbidden(host, port);
  }
}

export interface Lookup {
  readonly host: string;
  readonly port: number;
  /** Whether the connection takes every address, as Node's happy eyeballs do. */
  readonly all: boolean;
}

type LookupDone = (error: Error | null, address: string | LookupAddress[], family?: number) => void;

/** Looks names up as a connection does, and fails where one of the addresses may not be reached. */
export function createGuardedLookup(allow: AllowList): (lookup: Lookup, done: LookupDone) => void {
  return ({ host, port, all }, done) => {
    lookupName(host, { all: true }, (error, addresses) => {
      if (error) {
        done(error, []);
        return;
      }
      const isForbidden = ({ address }: LookupAddress): boolean =>
        isPrivateAddress(address) && !allow.allowsAddress(address, port);
      const [first] = addresses;
      if (!first || (!allow.allowsHost(host, port) && addresses.some(isForbidden))) {
        done(forbidden(host, port), []);
        return;
      }
      if (all) done(null, addresses);
      else done(null, first.address, first.family);
    });
  };
}

function forbidden(host: string, port: number): OctavoError {
  return new OctavoError(
    "forbidden",
    `${host} is a private or local address, which the service does not reach by itself. An operator allows it by OCTAVO_ALLOW=${host}:${port}.`,
  );
}
