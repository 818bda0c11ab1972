import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isOctavoError } from "@octavo/site/core";
import { createLinearPattern, createLiteralPattern, createPathMatcher } from "./patterns.ts";

const line = "a".repeat(20_000);

describe("a linear pattern", () => {
  it("returns the start of its leftmost match, in code units", () => {
    assert.equal(createLinearPattern("b+|c").find("\u{1F600}ac bb"), 3);
    assert.equal(createLinearPattern("^b").find("ab"), -1);
  });

  it("ignores the case of letters of any script, without changing offsets", () => {
    assert.equal(createLinearPattern("ж+", { ignoreCase: true }).find("\u0130\u0130ЖЖ"), 2);
    assert.equal(createLiteralPattern("(Ä", { ignoreCase: true }).find("x(ä"), 1);
  });

  it(`takes \\b only next to ASCII letters, and as plain text next to any`, () => {
    assert.equal(createLinearPattern(String.raw`\bb`).find("ab b"), 3);
    assert.throws(() => createLinearPattern(String.raw`\bж`), /only ASCII letters/);
    assert.equal(createLiteralPattern(String.raw`\bж`).find(String.raw`a\bж`), 1);
  });

  it("never overlooks a match because of how the pattern begins", () => {
    for (const [source, text, start] of [
      ["host(s|ts)?", "a Hoſt", 2],
      ["kelvin", "x\u212Aelvin", 1],
      ["hosts?", "the HOST", 4],
      ["hosts{0}", "the host", 4],
      ["ab*", "xa", 1],
      ["host|guest", "a guest", 2],
      ["host[|]|guest", "a guest", 2],
      [String.raw`host\||guest`, "a guest", 2],
      ["(host|x)|guest", "a guest", 2],
      ["host(a|b)", "a hostb", 2],
      [String.raw`host\(|guest`, "a guest", 2],
    ] as const) {
      const pattern = createLinearPattern(source, { ignoreCase: true });
      assert.equal(pattern.find(text), start, source);
      assert.ok(pattern.mayOccurIn(text), source);
    }
    assert.ok(!createLinearPattern("host(a|b)").mayOccurIn("Hosta"));
  });

  for (const [source, start] of [
    [".*".repeat(200), 0],
    [`${"a?".repeat(400)}b`, -1],
    ["(?:a*)*(?:a|aa)+$", 0],
    [`(?:${"(".repeat(200)}a${")*".repeat(200)})b`, -1],
    ["[a-q][^u-z]{200}x", -1],
  ] as const) {
    it(`ends with ${source.slice(0, 20)}`, () => {
      assert.equal(createLinearPattern(source).find(line), start);
    });
  }

  it("refuses a pattern that would expand to too many steps", () => {
    for (const source of ["a{1000}".repeat(142), "(?:.?|){1000}".repeat(76)]) {
      assert.throws(
        () => createLinearPattern(source),
        (error) => isOctavoError(error, "invalid_input"),
      );
    }
  });

  it("finds the same in many lines as in each of them", () => {
    const lines = [
      "a b",
      line,
      `${line}b`,
      "",
      "b\u{1F600}",
      ...Array.from({ length: 3_000 }, () => "cab"),
    ];
    const pattern = createLinearPattern("b+");
    const each = lines.map((text, index) => [index, pattern.find(text)] as const);
    assert.deepEqual(
      [...pattern.findInLines(lines)],
      each.filter(([, start]) => start !== -1),
    );
  });

  it("stops when its time is up", () => {
    const pattern = createLinearPattern("a", { maxMs: 0 });
    assert.throws(
      () => pattern.find("a"),
      (error) => isOctavoError(error, "too_large"),
    );
  });
});

describe("a pattern of paths", () => {
  for (const [pattern, matching, other] of [
    ["*.mdx", ["a.mdx", "b/c.mdx"], ["a.mdxx", "a.mdx/b", "amdx"]],
    ["a/*", ["a/b"], ["a/b/c", "b/a/c"]],
    ["a/**", ["a/b", "a/b/c"], ["b"]],
    ["a/**/c", ["a/c", "a/b/c", "a/b/b/c"], ["ac"]],
    ["{a,b}/?.md", ["a/x.md", "b/y.md"], ["c/x.md", "a/xy.md"]],
    ["./a b.md", ["a b.md"], ["ab.md"]],
    ["a/b.md", ["a/b.md"], ["c/a/b.md", "a/b.md/c"]],
    ["a/**/b?", ["a/bc", "a/c/bd"], ["a/b", "abc"]],
    ["**/b/*", ["b/c", "a/b/c"], ["b", "ab/c"]],
  ] as const) {
    it(`takes ${pattern} by parts of a path`, () => {
      const matches = createPathMatcher(pattern);
      assert.deepEqual([...matching, ...other].filter(matches), matching);
    });
  }

  it("ends, whatever the pattern and the path are", () => {
    const matches = createPathMatcher(`${"*a".repeat(200)}b`);
    assert.equal(matches("a".repeat(4_000)), false);
  });

  it("refuses unclosed brackets", () => {
    assert.throws(() => createPathMatcher("{a,b"), /pattern/);
  });
});
