import { BlockList, isIP } from "node:net";
import type { AllowList } from "./allow-list.ts";

/** A network destination from a user-supplied URL. */
export interface NetworkDestination {
  readonly protocol: "http" | "https" | "ssh";
  /** A name or an IP address. IPv6 addresses have no brackets. */
  readonly host: string;
  readonly port: number;
}

type Range = readonly [address: string, bits: number, name: string];

/**
 * IPv4 ranges that contain no hosts on the public Internet, from IANA's registry of special-purpose addresses
 * (iana.org/assignments/iana-ipv4-special-registry, as of July 2026). Ranges inside other ranges are omitted. The
 * registry marks some of the ranges (AS112, AMT and 6to4 relays) as globally reachable, but they are shared services.
 */
const specialIPv4: readonly Range[] = [
  ["0.0.0.0", 8, "this network"],
  ["10.0.0.0", 8, "private use"],
  ["100.64.0.0", 10, "carrier-grade NAT; Alibaba Cloud metadata"],
  ["127.0.0.0", 8, "loopback"],
  ["169.254.0.0", 16, "link local; metadata of most clouds"],
  ["172.16.0.0", 12, "private use"],
  ["192.0.0.0", 24, "IETF protocol assignments; Oracle Cloud metadata"],
  ["192.0.2.0", 24, "documentation"],
  ["192.31.196.0", 24, "AS112"],
  ["192.52.193.0", 24, "multicast relays (AMT)"],
  ["192.88.99.0", 24, "6to4 relays"],
  ["192.168.0.0", 16, "private use"],
  ["192.175.48.0", 24, "AS112"],
  ["198.18.0.0", 15, "benchmarking"],
  ["198.51.100.0", 24, "documentation"],
  ["203.0.113.0", 24, "documentation"],
  // The following ranges are not in that registry. The last range is a public address that only virtual machines in
  // Azure can reach.
  ["224.0.0.0", 4, "multicast"],
  ["240.0.0.0", 4, "reserved, broadcast"],
  ["168.63.129.16", 32, "Azure platform services"],
];

/**
 * The range that IANA has allocated for public hosts. Loopback, local, mapped and multicast addresses are outside it.
 */
const globalIPv6: Range = ["2000::", 3, "global unicast"];

/**
 * Parts of `globalIPv6` that contain no public hosts (iana.org/assignments/iana-ipv6-special-registry, as of July
 * 2026).
 */
const specialIPv6: readonly Range[] = [
  ["2001::", 23, "IETF protocol assignments: Teredo, benchmarking, ORCHID and others"],
  ["2001:db8::", 32, "documentation"],
  ["2002::", 16, "6to4, which leads to any IPv4 address"],
  ["2620:4f:8000::", 48, "AS112"],
  ["3fff::", 20, "documentation"],
];

/**
 * The NAT64 range. A host without IPv4 reaches an IPv4 address through the address in this range that ends with the
 * IPv4 address.
 */
const translatedIPv4: Range = ["64:ff9b::", 96, "NAT64"];
const mappedIPv4: Range = ["::ffff:0:0", 96, "IPv4-mapped IPv6"];

const blockLists = {
  specialIPv4: createBlockList(specialIPv4),
  globalIPv6: createBlockList([globalIPv6]),
  specialIPv6: createBlockList(specialIPv6),
  mappedIPv4: createBlockList([mappedIPv4]),
  translatedIPv4: createBlockList([translatedIPv4]),
  specialTranslated: createBlockList(
    specialIPv4.map(([address, bits, name]) => [`64:ff9b::${address}`, 96 + bits, name]),
  ),
};

/** Returns a URL's destination, or undefined if the URL is neither http nor https. */
export function findDestination(url: URL): NetworkDestination | undefined {
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  if (url.protocol === "https:") return { protocol: "https", host, port: Number(url.port) || 443 };
  if (url.protocol === "http:") return { protocol: "http", host, port: Number(url.port) || 80 };
  return undefined;
}

/**
 * Explains why the service may not connect to a destination, judged only by its name or IP address. The message names
 * the setting that would allow the connection. Returns undefined if the service may connect, or if the answer depends
 * on the addresses to which the name resolves. For a name, also call `explainAddressRefusal`.
 */
export function explainDestinationRefusal(
  destination: NetworkDestination,
  allowList: AllowList,
): string | undefined {
  if (allowList.allowsHost(destination.host, destination.port)) return undefined;
  if (destination.protocol === "http") {
    return `${formatAllowEntry(destination)} would be contacted over http, which is not encrypted. Use https, or ask the operator to allow it with OCTAVO_ALLOW=${formatAllowEntry(destination)}.`;
  }
  const isLocalName = /(?:^|\.)localhost\.?$/i.test(destination.host);
  const isPrivate =
    isLocalName || (isIP(destination.host) !== 0 && isPrivateAddress(destination.host));
  return isPrivate ? describePrivateAddress(destination) : undefined;
}

/**
 * Explains why the service may not connect to a destination whose name resolves to these addresses. One forbidden
 * address is enough for a refusal. Returns undefined if the service may connect.
 */
export function explainAddressRefusal(
  destination: NetworkDestination,
  addresses: readonly string[],
  allowList: AllowList,
): string | undefined {
  if (allowList.allowsHost(destination.host, destination.port)) return undefined;
  const isForbidden = (ip: string): boolean =>
    isPrivateAddress(ip) && !allowList.allowsAddress(ip, destination.port);
  return addresses.some(isForbidden) ? describePrivateAddress(destination) : undefined;
}

function describePrivateAddress(destination: NetworkDestination): string {
  return `${destination.host} is a private or local address, which the service does not contact by default. The operator can allow it with OCTAVO_ALLOW=${formatAllowEntry(destination)}.`;
}

/** Formats a destination as an entry of `OCTAVO_ALLOW`. */
function formatAllowEntry({ host, port }: NetworkDestination): string {
  return isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
}

function createBlockList(ranges: readonly Range[]): BlockList {
  const list = new BlockList();
  for (const [address, bits] of ranges) {
    list.addSubnet(address, bits, address.includes(":") ? "ipv6" : "ipv4");
  }
  return list;
}

/**
 * Reports whether an IP address is outside the public Internet. Returns true for text that is not an IP address, and
 * for an address with a zone (`fe80::1%eth0`), because only local addresses have zones.
 */
export function isPrivateAddress(ip: string): boolean {
  if (isIP(ip) === 4) return blockLists.specialIPv4.check(ip, "ipv4");
  if (isIP(ip) !== 6 || ip.includes("%")) return true;
  if (blockLists.mappedIPv4.check(ip, "ipv6")) return blockLists.specialIPv4.check(ip, "ipv6");
  if (blockLists.translatedIPv4.check(ip, "ipv6"))
    return blockLists.specialTranslated.check(ip, "ipv6");
  return !blockLists.globalIPv6.check(ip, "ipv6") || blockLists.specialIPv6.check(ip, "ipv6");
}
