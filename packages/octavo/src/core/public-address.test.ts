import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isPrivateAddress } from "./destination.ts";

/**
 * IANA's registries of special-purpose addresses as of July 2026: every block with its first and last address, and an
 * address just outside if that is public.
 */
const ipv4: readonly [block: string, first: string, last: string, outside?: string][] = [
  ["0.0.0.0/8", "0.0.0.0", "0.255.255.255", "1.0.0.0"],
  ["10.0.0.0/8", "10.0.0.0", "10.255.255.255", "11.0.0.0"],
  ["100.64.0.0/10", "100.64.0.0", "100.127.255.255", "100.128.0.0"],
  ["127.0.0.0/8", "127.0.0.0", "127.255.255.255", "126.255.255.255"],
  ["169.254.0.0/16", "169.254.0.0", "169.254.255.255", "169.255.0.0"],
  ["172.16.0.0/12", "172.16.0.0", "172.31.255.255", "172.32.0.0"],
  ["192.0.0.0/24", "192.0.0.0", "192.0.0.255", "192.0.1.0"],
  ["192.0.0.0/29", "192.0.0.0", "192.0.0.7"],
  ["192.0.0.8/32", "192.0.0.8", "192.0.0.8"],
  ["192.0.0.9/32", "192.0.0.9", "192.0.0.9"],
  ["192.0.0.10/32", "192.0.0.10", "192.0.0.10"],
  ["192.0.0.170/31", "192.0.0.170", "192.0.0.171"],
  ["192.0.2.0/24", "192.0.2.0", "192.0.2.255", "192.0.3.0"],
  ["192.31.196.0/24", "192.31.196.0", "192.31.196.255", "192.31.195.255"],
  ["192.52.193.0/24", "192.52.193.0", "192.52.193.255", "192.52.194.0"],
  ["192.88.99.0/24", "192.88.99.0", "192.88.99.255", "192.88.100.0"],
  ["192.168.0.0/16", "192.168.0.0", "192.168.255.255", "192.169.0.0"],
  ["192.175.48.0/24", "192.175.48.0", "192.175.48.255", "192.175.49.0"],
  ["198.18.0.0/15", "198.18.0.0", "198.19.255.255", "198.20.0.0"],
  ["198.51.100.0/24", "198.51.100.0", "198.51.100.255", "198.51.101.0"],
  ["203.0.113.0/24", "203.0.113.0", "203.0.113.255", "203.0.114.0"],
  ["240.0.0.0/4", "240.0.0.0", "255.255.255.255"],
  // Multicast has a separate registry.
  ["224.0.0.0/4", "224.0.0.0", "239.255.255.255", "223.255.255.255"],
];

const ipv6: readonly [block: string, first: string, last: string, outside?: string][] = [
  ["::/128", "::", "0:0:0:0:0:0:0:0"],
  ["::1/128", "::1", "0:0:0:0:0:0:0:1"],
  ["64:ff9b:1::/48", "64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff"],
  ["100::/64", "100::", "100::ffff:ffff:ffff:ffff"],
  ["100:0:0:1::/64", "100:0:0:1::", "100::1:ffff:ffff:ffff:ffff"],
  ["2001::/23", "2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:200::"],
  ["2001::/32 Teredo", "2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["2001:1::1/128", "2001:1::1", "2001:1::1"],
  ["2001:1::2/128", "2001:1::2", "2001:1::2"],
  ["2001:1::3/128", "2001:1::3", "2001:1::3"],
  ["2001:2::/48", "2001:2::", "2001:2:0:ffff:ffff:ffff:ffff:ffff"],
  ["2001:3::/32", "2001:3::", "2001:3:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["2001:4:112::/48", "2001:4:112::", "2001:4:112:ffff:ffff:ffff:ffff:ffff"],
  ["2001:10::/28", "2001:10::", "2001:1f:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["2001:20::/28", "2001:20::", "2001:2f:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["2001:30::/28", "2001:30::", "2001:3f:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["2001:db8::/32", "2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db9::"],
  ["2002::/16 6to4", "2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2003::"],
  [
    "2620:4f:8000::/48",
    "2620:4f:8000::",
    "2620:4f:8000:ffff:ffff:ffff:ffff:ffff",
    "2620:4f:8001::",
  ],
  ["3fff::/20", "3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff:1000::"],
  ["5f00::/16", "5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["fc00::/7", "fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["fe80::/10", "fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  // From other registries: site-local (deprecated), multicast, IPv4-compatible and IPv4-translated (RFC 2765).
  ["fec0::/10", "fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["ff00::/8", "ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["::/96", "::1.1.1.1", "::255.255.255.255"],
  ["::ffff:0:0:0/96", "::ffff:0:1.1.1.1", "::ffff:0:255.255.255.255"],
];

describe("isPrivateAddress", () => {
  for (const [block, first, last, outside] of ipv4) {
    test(`knows ${block}, also in the forms of IPv6`, () => {
      for (const ip of [first, last]) {
        assert.equal(isPrivateAddress(ip), true, ip);
        // Mapped, translated by NAT64, and as an address that 6to4 and Teredo tunnel to.
        assert.equal(isPrivateAddress(`::ffff:${ip}`), true, ip);
        assert.equal(isPrivateAddress(`64:ff9b::${ip}`), true, ip);
        assert.equal(isPrivateAddress(`2002:${inHex(ip)}::1`), true, ip);
        assert.equal(isPrivateAddress(`2001:0:${inHex(ip)}::1`), true, ip);
      }
      if (outside === undefined) return;
      assert.equal(isPrivateAddress(outside), false, outside);
      assert.equal(isPrivateAddress(`::ffff:${outside}`), false, outside);
      assert.equal(isPrivateAddress(`64:ff9b::${outside}`), false, outside);
    });
  }

  for (const [block, first, last, outside] of ipv6) {
    test(`knows ${block}`, () => {
      for (const ip of [first, last]) assert.equal(isPrivateAddress(ip), true, ip);
      if (outside !== undefined) assert.equal(isPrivateAddress(outside), false, outside);
    });
  }

  const metadata = [
    ["Amazon, Google, Azure, DigitalOcean and others", "169.254.169.254"],
    ["Amazon, over IPv6", "fd00:ec2::254"],
    ["containers of Amazon", "169.254.170.2"],
    ["Alibaba", "100.100.100.200"],
    ["Azure's services for its machines", "168.63.129.16"],
    ["Azure's services, mapped", "::ffff:168.63.129.16"],
    ["Azure's services, translated", "64:ff9b::a83f:8110"],
    ["Oracle", "192.0.0.192"],
  ] as const;
  for (const [name, ip] of metadata) {
    test(`knows the metadata of ${name}`, () => assert.equal(isPrivateAddress(ip), true));
  }

  test("treats what is not an address, and every address with a zone, as private", () => {
    const others = ["", "localhost", "example.com", "1.1.1", "0x7f.1", "0177.0.0.1", "2130706433"];
    const zoned = ["fe80::1%eth0", "2606:4700::1111%1", "::ffff:1.1.1.1%lo"];
    for (const ip of [...others, ...zoned, "1.1.1.1:80", "[::1]", "1.1.1.1."]) {
      assert.equal(isPrivateAddress(ip), true, ip);
    }
  });

  test("knows hosts of the public Internet, however they are spelled", () => {
    const hosts = ["1.1.1.1", "140.82.121.3", "168.63.129.15", "168.63.129.17", "100.63.255.255"];
    const others = [
      "2606:4700::1111",
      "2A00:1450:4001:080b::200e",
      "::ffff:1.1.1.1",
      "::ffff:101:101",
    ];
    for (const ip of [...hosts, ...others, "64:ff9b::8c52:7903", "2000::", "3fff:ffff::"]) {
      assert.equal(isPrivateAddress(ip), false, ip);
    }
  });
});

/** Formats `10.0.0.1` as `0a00:0001`. */
function inHex(ip: string): string {
  const [a, b, c, d] = ip.split(".").map((part) => Number(part).toString(16).padStart(2, "0"));
  return `${a}${b}:${c}${d}`;
}
