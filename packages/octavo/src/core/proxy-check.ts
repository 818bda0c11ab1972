import { BlockList, isIPv4 } from "node:net";

const namedRanges: Readonly<Record<string, readonly string[]>> = {
  loopback: ["127.0.0.0/8", "::1/128"],
  linklocal: ["169.254.0.0/16", "fe80::/10"],
  uniquelocal: ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"],
};

/**
 * Returns a function that reports whether an address belongs to a trusted proxy, as configured in OCTAVO_TRUST_PROXY.
 */
export function createProxyCheck(trustedProxies: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const range of trustedProxies.flatMap((entry) => namedRanges[entry] ?? entry)) {
    const [address = "", bits] = range.split("/");
    const family = isIPv4(address) ? "ipv4" : "ipv6";
    list.addSubnet(address, Number(bits ?? (family === "ipv4" ? 32 : 128)), family);
  }
  return (address) => list.check(address, isIPv4(address) ? "ipv4" : "ipv6");
}

/**
 * Returns an IPv4 address, or the first half of an IPv6 address. A client can choose the second half of its own IPv6
 * address.
 */
export function toNetwork(address: string): string {
  const plain = address.replace(/^::ffff:/i, "");
  return plain.includes(":") ? plain.split(":", 4).join(":") : plain;
}
