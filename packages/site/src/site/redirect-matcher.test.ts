import assert from "node:assert/strict";
import { test } from "node:test";
import { createRedirectMatcher } from "./redirect-matcher.ts";

test("the first redirect that matches a path is used, exact ones before patterns", () => {
  const redirectOf = createRedirectMatcher(
    [
      ["/docs/:slug*", "/new/:slug*"],
      ["/docs/exact", "/exact"],
      ["/docs/exact/", "/late"],
      ["/user/:id/edit", "/people/:id"],
      ["/a-*", "/b-*"],
      ["/:lang/old/:rest*", "/:rest*?lang=:lang"],
      ["/blog/*.html", "https://blog.example.com/*"],
      ["/with?query=1", "/never"],
      ["/with#hash", "/never"],
      ["/v1.0/*", "/v2/*"],
      ["/money/*", "/$1$&/*"],
      ["/x/(a+)+/*", "/y"],
      ["/caf%C3%A9/%zz", "/raw"],
      ["/caf%C3%A9", "/decoded"],
    ].map(([source = "", destination = ""]) => ({ source, destination, permanent: true })),
  );
  const table: readonly [path: string, destination: string | undefined][] = [
    ["docs/exact", "/exact"],
    ["docs/a", "/new/a"],
    ["docs/a/b", "/new/a/b"],
    ["docs", "/new/"],
    ["docsx", undefined],
    ["user/7/edit", "/people/7"],
    ["user/7/8/edit", undefined],
    ["user//edit", undefined],
    ["a-b/c", "/b-b/c"],
    ["fr/old/x/y", "/x/y?lang=fr"],
    ["blog/2020/a.html", "https://blog.example.com/2020/a"],
    ["blog/a.htm", undefined],
    ["with", undefined],
    ["", undefined],
    ["v1x0/a", undefined],
    ["money/a", "/$1$&/a"],
    ["x/aaaa/b", undefined],
    ["café", "/decoded"],
    ["caf%C3%A9/%zz", "/raw"],
  ];
  for (const [path, destination] of table) assert.equal(redirectOf(path), destination, path);
});

test("patterns that match in many ways take linear time", () => {
  const sources = Array.from({ length: 1_000 }, (_, index) => `/*a*b${index}`);
  const redirectOf = createRedirectMatcher(
    sources.map((source) => ({ source, destination: "/x", permanent: true })),
  );
  // A regular expression would take 2,000,000 steps for each pattern here.
  assert.equal(redirectOf("a".repeat(2_000)), undefined);
});
