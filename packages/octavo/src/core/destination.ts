import { isIP } from "node:net";
import type { AllowList } from "./allow-list.ts";
import { isPrivateAddress } from "./public-address.ts";

/** A network destination from an address that somebody gave. */
export interface NetworkDestination {
  readonly protocol: "http" | "https" | "ssh";
  /** A name or an IP address; IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
}

/** Undefined for an address that is neither http nor https. */
export function destinationOf(url: URL): NetworkDestination | undefined {
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
export function refuseDestination(
  destination: NetworkDestination,
  allow: AllowList,
): string | undefined {
  if (allow.allowsHost(destination.host, destination.port)) return undefined;
  if (destination.protocol === "http") {
    return `${entryFor(destination)} would be contacted over http, which is not encrypted: use https, or let the operator allow it with OCTAVO_ALLOW=${entryFor(destination)}.`;
  }
  const isLocalName = /(?:^|\.)localhost\.?$/i.test(destination.host);
  const isPrivate =
    isLocalName || (isIP(destination.host) !== 0 && isPrivateAddress(destination.host));
  return isPrivate ? privateAddressMessage(destination) : undefined;
}

/** Why the service may not connect to a destination with these addresses; one forbidden address is enough. */
export function refuseAddresses(
  destination: NetworkDestination,
  addresses: readonly string[],
  allow: AllowList,
): string | undefined {
  if (allow.allowsHost(destination.host, destination.port)) return undefined;
  const isForbidden = (ip: string): boolean =>
    isPrivateAddress(ip) && !allow.allowsAddress(ip, destination.port);
  return addresses.some(isForbidden) ? privateAddressMessage(destination) : undefined;
}

function privateAddressMessage(destination: NetworkDestination): string {
  return `${destination.host} is a private or local address, which the service does not contact by default. The operator allows it with OCTAVO_ALLOW=${entryFor(destination)}.`;
}

/** In the form of `OCTAVO_ALLOW`. */
function entryFor({ host, port }: NetworkDestination): string {
  return isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
}
