import { isIP } from "node:net";
import type { AllowList } from "./allow-list.ts";
import { isPrivateAddress } from "./public-address.ts";

/** A network destination from an address that somebody gave. */
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
 * Why the service may not connect to a destination, judged by its name or IP address alone: a message with the
 * setting that would allow it. Undefined if it may connect, or if that depends on the name's addresses: then call
 * `refuseAddresses`.
 */
export function refuseDestination(place: Destination, allow: AllowList): string | undefined {
  if (allow.allowsHost(place.host, place.port)) return undefined;
  if (place.protocol === "http") {
    return `${entryFor(place)} would be contacted over http, which is not encrypted: use https, or let the operator allow it with OCTAVO_ALLOW=${entryFor(place)}.`;
  }
  const isLocalName = /(?:^|\.)localhost\.?$/i.test(place.host);
  const isPrivate = isLocalName || (isIP(place.host) !== 0 && isPrivateAddress(place.host));
  return isPrivate ? privateSentence(place) : undefined;
}

/** Why the service may not connect to a destination with these addresses; one forbidden address is enough. */
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
  return `${place.host} is a private or local address, which the service does not contact by default. The operator allows it with OCTAVO_ALLOW=${entryFor(place)}.`;
}

/** In the form of `OCTAVO_ALLOW`. */
function entryFor({ host, port }: Destination): string {
  return isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
}
