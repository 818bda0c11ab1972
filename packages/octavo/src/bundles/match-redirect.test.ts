import assert from "node:assert/strict";
import { test } from "node:test";
import { parseRedirectRules } from "@octavo/site/core";
import { matchRedirect } from "./match-redirect.ts";

/** Returns the target of a path by some rules. */
function follow(rules: string, path: string): string | undefined {
  return matchRedirect(parseRedirectRules(rules), path)?.target;
}

test("rules without placeholders come first, then those with, in their order", () => {
  const rules = "/a/* /star\n/a/:name /name\n/a/b /exact\n/a/b /later";
  assert.equal(follow(rules, "a/b"), "/exact");
  assert.equal(follow(rules, "a/c"), "/star");
  assert.equal(follow("/a/:name /name\n/a/* /star", "a/c"), "/name");
  assert.equal(follow(rules, "b"), undefined);
});

test("a placeholder is a whole part, and * the rest", () => {
  const rules = "/:a/x/:b /y/:b/:a\n/wiki/* /new/:splat#:splat\n/all/* /";
  assert.equal(follow(rules, "1/x/2"), "/y/2/1");
  assert.equal(follow(rules, "1/x"), undefined);
  assert.equal(follow(rules, "wiki/a b/\u00E4"), "/new/a%20b/%C3%A4#a%20b/%C3%A4");
  assert.equal(follow(rules, "wiki"), "/new/#");
  assert.equal(follow(rules, "all/1/2/3"), "/");
  assert.equal(follow("/a%20b/:c /:unknown/:c", "a b/x"), "/:unknown/x");
});

test("a path never becomes another host", () => {
  assert.equal(follow("/go/* /:splat", "go//evil.example"), "/evil.example");
  assert.equal(follow("/go/:a/* /:splat", "go/x/\\evil.example"), "/%5Cevil.example");
  assert.equal(follow("/go/:a /:a", "go/"), "/");
});

test("lines that cannot be used are reported with their reasons", () => {
  const lines = {
    "# a comment": undefined,
    "": undefined,
    "/a /b 301 # a comment": undefined,
    "/a": /no target/,
    "a /b": /not a path/,
    "/a /b 404": /status "404"/,
    "/a /b 999": /status/,
    "/a /b Country=de": /status/,
    "/a /b 301 Country=de": /Conditions/,
    "/a/*/b /c": /last part/,
    "/a* /b": /last part/,
    "/a //evil.example": /neither/,
    "/a /\\evil.example": /neither/,
    "/a javascript:alert(1)": /neither/,
    "/a/* https://:splat.example/": /neither/,
    "/a https://host.example/ 200": /must be a path/,
    [`/${"a".repeat(2_000)} /b`]: /too long/,
  };
  for (const [line, want] of Object.entries(lines)) {
    const { ignored } = parseRedirectRules(`\n${line}\n`);
    if (want === undefined) assert.deepEqual(ignored, [], line);
    else assert.match(ignored.map(({ reason }) => reason).join(), want, line);
    for (const each of ignored) assert.equal(each.line, 2);
  }
});

test("at most 2,000 rules without and 100 with placeholders count", () => {
  const exact = Array.from({ length: 2_010 }, (_, at) => `/page-${at} /b`);
  const patterns = Array.from({ length: 103 }, (_, at) => `/folder-${at}/* /b`);
  const rules = parseRedirectRules([...exact, ...patterns].join("\n"));
  assert.equal(rules.exact.size, 2_000);
  assert.equal(rules.patterns.length, 100);
  assert.equal(rules.ignoredCount, 13);
  assert.equal(rules.ignored[0]?.line, 2_001);
});

test("a hostile file is read in linear time", () => {
  const rules = parseRedirectRules("/* /b\n".repeat(300_000) + "/:a".repeat(100_000));
  assert.equal(rules.patterns.length, 100);
  assert.equal(rules.ignored.length, 100);
  assert.equal(matchRedirect(rules, "a/".repeat(2_000))?.target, "/b");
});
