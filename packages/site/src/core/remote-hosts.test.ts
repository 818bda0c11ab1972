import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isAllowedAddress, readRemoteOrigins } from "./remote-hosts.ts";

describe("hosts that pages may ask", () => {
  const read: readonly (readonly [string, string])[] = [
    ["cdn.example.com", "https://cdn.example.com"],
    [" CDN.Example.com/ ", "https://cdn.example.com"],
    ["*.example.com", "https://*.example.com"],
    ["https://*.example.com:8443", "https://*.example.com:8443"],
    ["https://cdn.example.com:443", "https://cdn.example.com"],
    ["http://localhost:8080", "http://localhost:8080"],
    ["bücher.example", "https://xn--bcher-kva.example"],
    ["[::1]:8080", "https://[::1]:8080"],
  ];
  for (const [entry, origin] of read) {
    it(`${entry} is ${origin}`, () => {
      assert.deepEqual(readRemoteOrigins([entry]), [origin]);
      assert.deepEqual(readRemoteOrigins([origin]), [origin]);
    });
  }

  it("are listed once, in order", () => {
    const origins = readRemoteOrigins(["b.example", "a.example", "https://b.example"]);
    assert.deepEqual(origins, ["https://a.example", "https://b.example"]);
  });

  const refused = [
    "",
    "*",
    "https:",
    "a.example/path",
    "a.example; script-src *",
    "'unsafe-eval'",
    "a.example b.example",
    "user@a.example",
    "a.*.example",
    "a.example:99999",
    "ftp://a.example",
  ];
  for (const entry of refused) {
    it(`${JSON.stringify(entry)} is refused`, () => {
      const named = { code: "invalid_input", message: /is not a host: write a name such as/ };
      assert.throws(() => readRemoteOrigins(["a.example", entry]), named);
    });
  }

  it("are those that browsers allow", () => {
    const origins = readRemoteOrigins(["a.example", "*.b.example", "http://localhost:8080"]);
    const cases: readonly (readonly [string, boolean])[] = [
      ["https://a.example/x.js", true],
      ["//a.example/x.js", true],
      ["wss://a.example/live", true],
      ["http://a.example/x.js", false],
      ["https://a.example:8443/x.js", false],
      ["https://www.a.example/", false],
      ["https://x.y.b.example/", true],
      ["https://b.example/", false],
      ["https://evilb.example/", false],
      ["http://localhost:8080/", true],
      ["https://", false],
    ];
    for (const [address, expected] of cases)
      assert.equal(isAllowedAddress(address, origins), expected, address);
  });
});
