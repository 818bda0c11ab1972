import { isIP } from "node:net";
import type { AllowList } from "./allow-list.ts";
import { isPrivateAddress } from "./public-address.ts";

/** A place on the network that somebody named. */
export interface Destination {
  readonly protocol: "http" | "https" | "ssh";
  /** A name or an IP address; IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
}

/** Undefined for an address that is neither http nor https. */
export function destinationOf(url: URL): Destination | undefined {
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  if (url.protocol === "https:") return { protocol: "https", host, port: Number(url.port) || 443 };
  if (url.protocol === "http:") return { protocol: "http", host, port: Number(url.port) || 80 };
  return undefined;
}

/**
 * Why the service may not connect to a place, as far as its name or address itself shows it: a sentence that
 * says what an operator would set. Undefined where it may, or where only looking the name up can tell:
 * `refuseAddresses` is asked then.
 */
export function refuseDestination(place: Destination, allow: AllowList): string | undefined {
  if (allow.allowsHost(place.host, place.port)) return undefined;
  if (place.protocol === "http") {
    return `${entryFor(place)} is asked over http, which sends everything in the clear: use https, or let an operator allow it by OCTAVO_ALLOW=${entryFor(place)}.`;
  }
  const isLocalName = /(?:^|\.)localhost\.?$/i.test(place.host);
  const isPrivate = isLocalName || (isIP(place.host) !== 0 && isPrivateAddress(place.host));
  return isPrivate ? privateSentence(place) : undefined;
}

/** Why the service may not connect to a place that has these addresses: one of them is enough. */
export function refuseAddresses(
  place: Destination,
  addresses: readonly string[],
  allow: AllowList,
): string | undefined {
  if (allow.allowsHost(place.host, place.port)) return undefined;
  const isForbidden = (ip: string): boolean =>
    isPrivateAddress(ip) && !allow.allowsAddress(ip, place.port);
  return addresses.some(isForbidden) ? privateSentence(place) : undefined;
}

function privateSentence(place: Destination): string {
  return `${place.host} is a private or local address, which the service does not reach by itself. An operator allows it by OCTAVO_ALLOW=${entryFor(place)}.`;
}

/** As `OCTAVO_ALLOW` takes it. */
function entryFor({ host, port }: Destination): string {
  return isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
}
