import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseAllowList } from "./allow-list.ts";
import {
  findDestination,
  explainAddressRefusal,
  explainDestinationRefusal,
} from "./destination.ts";

describe("refuseDestination", () => {
  const refused: [url: string, setting: string][] = [
    ["https://127.0.0.1/", "OCTAVO_ALLOW=127.0.0.1:443"],
    ["https://[::1]:8443/", "OCTAVO_ALLOW=[::1]:8443"],
    ["https://[::ffff:127.0.0.1]/", "OCTAVO_ALLOW=[::ffff:7f00:1]:443"],
    ["https://[::ffff:0:127.0.0.1]/", "OCTAVO_ALLOW=[::ffff:0:7f00:1]:443"],
    ["https://[64:ff9b::169.254.169.254]/", "OCTAVO_ALLOW=[64:ff9b::a9fe:a9fe]:443"],
    ["https://168.63.129.16/", "OCTAVO_ALLOW=168.63.129.16:443"],
    ["https://localhost:1/", "OCTAVO_ALLOW=localhost:1"],
    ["https://LOCALHOST./", "OCTAVO_ALLOW=localhost.:443"],
    ["https://a.localhost/", "OCTAVO_ALLOW=a.localhost:443"],
    ["http://example.com/", "OCTAVO_ALLOW=example.com:80"],
    // Spellings that the URL parser normalizes.
    ["https://0x7f.1/", "OCTAVO_ALLOW=127.0.0.1:443"],
    ["https://0177.0.0.1/", "OCTAVO_ALLOW=127.0.0.1:443"],
    ["https://2130706433/", "OCTAVO_ALLOW=127.0.0.1:443"],
    ["https://127.1./", "OCTAVO_ALLOW=127.0.0.1:443"],
    ["https://①②⑦.0.0.1/", "OCTAVO_ALLOW=127.0.0.1:443"],
    ["https://%31%32%37.0.0.1/", "OCTAVO_ALLOW=127.0.0.1:443"],
  ];
  for (const [url, setting] of refused) {
    test(`refuses ${url}, and says what to set`, () => {
      const place = findDestination(new URL(url));
      assert.ok(place);
      const sentence = explainDestinationRefusal(place, parseAllowList("10.0.0.0/8,127.0.0.1:2"));
      assert.ok(sentence?.endsWith(`${setting}.`), sentence);
      // The setting in the message works.
      const allow = parseAllowList(setting.slice("OCTAVO_ALLOW=".length));
      assert.equal(explainDestinationRefusal(place, allow), undefined);
    });
  }

  test("permits names, which are checked when they are resolved, and public addresses", () => {
    const allow = parseAllowList("");
    for (const url of ["https://example.com/", "https://localhost.example/", "https://1.1.1.1/"]) {
      const place = findDestination(new URL(url));
      assert.ok(place);
      assert.equal(explainDestinationRefusal(place, allow), undefined, url);
    }
    assert.equal(findDestination(new URL("ftp://example.com/")), undefined);
  });
});

test("refuseAddresses requires every address of a name to be public or allowed", () => {
  const place = { protocol: "https", host: "a.example", port: 443 } as const;
  const refuse = (addresses: string[], allowed = "") =>
    explainAddressRefusal(place, addresses, parseAllowList(allowed)) !== undefined;
  assert.equal(refuse(["1.1.1.1", "2606:4700::1111"]), false);
  assert.equal(refuse(["1.1.1.1", "10.0.0.1"]), true);
  assert.equal(refuse(["fe80::1%eth0"], "fe80::/10"), true);
  assert.equal(refuse(["10.0.0.1"], "10.0.0.0/8"), false);
  assert.equal(refuse(["10.0.0.1"], "10.0.0.1:80"), true);
  assert.equal(refuse(["10.0.0.1", "192.168.0.1"], "10.0.0.0/8"), true);
  assert.equal(refuse(["10.0.0.1"], "a.example"), false);
});
