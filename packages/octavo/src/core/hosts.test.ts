import assert from "node:assert/strict";
import { test } from "node:test";
import { isOctavoError } from "@octavo/site/core";
import { parseRemoteHosts } from "./hosts.ts";

const cases: [list: string, host: string, isAllowed: boolean][] = [
  ["", "cdn.example.com", false],
  ["cdn.example.com", "cdn.example.com", true],
  ["cdn.example.com", "CDN.example.com.", true],
  ["cdn.example.com", "a.cdn.example.com", false],
  ["cdn.example.com", "cdn.example.com.evil.example", false],
  [" a.example , *.example.com", "cdn.example.com", true],
  ["*.example.com", "a.b.example.com", true],
  ["*.example.com", "example.com", false],
  ["*.example.com", "badexample.com", false],
  ["bücher.example", "xn--bcher-kva.example", true],
  ["*", "anything.example", true],
];
for (const [list, host, isAllowed] of cases) {
  test(`the list "${list}" has ${isAllowed ? "" : "not "}${host}`, () => {
    assert.equal(parseRemoteHosts(list).allows(host), isAllowed);
  });
}

for (const entry of [
  "https://cdn.example.com",
  "cdn.example.com:443",
  "*.",
  "*.*",
  "a b",
  "10.0.0.1",
]) {
  test(`${entry} is not a host name`, () => {
    assert.throws(
      () => parseRemoteHosts(`ok.example,${entry}`),
      (error: unknown) => isOctavoError(error, "invalid_input") && error.message.includes(entry),
    );
  });
}
