import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isOctavoError } from "@octavo/site/core";
import { parseAllowList } from "./allow-list.ts";
import { toHostName } from "./hosts.ts";

describe("parseAllowList", () => {
  const list = parseAllowList(
    "file:///srv/git, gitlab.corp.example,10.0.0.0/8 ,127.0.0.1:11434,[::1]:8080,fd00::/8,Build.Corp:2222",
  );

  test("allows folders and what lies below them", () => {
    assert.equal(list.allowsFile("/srv/git"), true);
    assert.equal(list.allowsFile("/srv/git/team/docs.git"), true);
    assert.equal(list.allowsFile("/srv/gitlab"), false);
    assert.equal(list.allowsFile("/srv/git/../secret"), false);
    assert.equal(parseAllowList("file:///").allowsFile("/anything"), true);
  });

  const addresses: [ip: string, port: number, allowed: boolean][] = [
    ["10.1.2.3", 443, true],
    ["11.1.2.3", 443, false],
    ["127.0.0.1", 11434, true],
    ["127.0.0.1", 80, false],
    ["::ffff:10.1.2.3", 443, true],
    ["::1", 8080, true],
    ["0:0:0:0:0:0:0:1", 8080, true],
    ["::1", 8081, false],
    ["fd12::5", 1, true],
    ["not an address", 443, false],
    ["fd12::5%eth0", 1, false],
  ];
  for (const [ip, port, allowed] of addresses) {
    test(`${allowed ? "allows" : "refuses"} ${ip} on port ${port}`, () => {
      assert.equal(list.allowsAddress(ip, port), allowed);
    });
  }

  const hosts: [host: string, port: number, allowed: boolean][] = [
    ["gitlab.corp.example", 443, true],
    ["GITLAB.corp.example.", 22, true],
    ["evil.gitlab.corp.example", 443, false],
    ["build.corp", 2222, true],
    ["build.corp", 22, false],
    ["[::1]", 8080, true],
    ["10.9.9.9", 80, true],
  ];
  for (const [host, port, allowed] of hosts) {
    test(`${allowed ? "allows" : "refuses"} host ${host} on port ${port}`, () => {
      assert.equal(list.allowsHost(host, port), allowed);
    });
  }

  const malformed = [
    "http://example.com",
    "10.0.0.0/33",
    "10.0.0.0/8/8",
    "example.com:99999",
    "example.com:0",
    "file://host/srv",
    "file:///srv/%00",
    "*.corp",
    "300.1.1.1",
    "fe80::1%eth0",
    "fe80::1%eth0/10",
  ];
  for (const entry of malformed) {
    test(`names the malformed entry ${entry}`, () => {
      assert.throws(
        () => parseAllowList(`ok.example,${entry}`),
        (error) => isOctavoError(error, "invalid_input") && error.message.includes(entry),
      );
    });
  }
});

test("toHostName takes host names and nothing else", () => {
  assert.equal(toHostName("Docs.Example.com"), "docs.example.com");
  assert.equal(toHostName("bücher.example"), "xn--bcher-kva.example");
  const others = [
    "",
    "https://a.example",
    "a.example/x",
    "a.example:80",
    "a b",
    "-a.example",
    "a..b",
  ];
  for (const text of [...others, "127.0.0.1", "a.example.", "a_b.example", "0x7f.1", "a%2eb"]) {
    assert.equal(toHostName(text), undefined, text);
  }
});
