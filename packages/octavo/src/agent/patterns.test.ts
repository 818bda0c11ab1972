import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isOctavoError } from "@octavo/site/core";
import {
  createLinearPattern,
  createLiteralPattern,
  createPathMatcher,
  findCertainTexts,
} from "./patterns.ts";

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

  it("never overlooks a line because of the texts that every match contains", () => {
    for (const [source, text, start] of [
      ["host(s|ts)?", "a Hoſt", 2],
      ["kelvin", "x\u212Aelvin", 1],
      ["hosts?", "the HOST", 4],
      ["hosts{0}", "the host", 4],
      ["hosts{0,2}x", "the hostx", 4],
      ["hosts{x", "the hosts{x", 4],
      ["ho+st", "a hooost", 2],
      ["ab*", "xa", 1],
      ["(ab)*c", "xc", 1],
      ["(?:ab)?c", "xc", 1],
      ["(?:ab){1,2}?c", "xababc", 1],
      ["a(b|)c", "xac", 1],
      [String.raw`\ba(b|c(d|))\b`, "xacd ACD", 5],
      [String.raw`\b(host|guest)\b`, "\u017fhost", 1],
      ["(a|a)(a|a)b", "xaab", 1],
      ["host|guest", "a guest", 2],
      ["host[|]|guest", "a guest", 2],
      ["[]a]b", "x]b", 1],
      [String.raw`[\]x]b`, "x]b", 1],
      ["[[:alpha:]]1", "x1", 0],
      [String.raw`host\||guest`, "a guest", 2],
      ["(host|x)|guest", "a guest", 2],
      ["host(a|b)", "a hostb", 2],
      [String.raw`host\(|guest`, "a guest", 2],
      [String.raw`\b(?:(?:must|can)\s+host|hosted)\b`, "you can  host", 4],
      [String.raw`\x61b`, "ab", 0],
      [String.raw`\Qa+\E+b`, "a+b", 0],
      [String.raw`\p{L}\pNb`, "a1b", 0],
      ["(?i:AB)c", "abc", 0],
      ["(?P<name>ab)c", "abc", 0],
      ["^$", "", 0],
      ["Σ", "ς", 0],
      ["😀*a", "a", 0],
    ] as const) {
      const pattern = createLinearPattern(source, { ignoreCase: true });
      assert.equal(pattern.find(text), start, source);
      const found = [...pattern.findLines(`\n~\r\n${text}\n\n${text}`)];
      const lines = source === "^$" ? [0, 2, 3, 4] : [2, 4];
      assert.deepEqual(
        found.map(({ index }) => index),
        lines,
        source,
      );
      assert.ok(
        found.every((line) => line.start === start),
        source,
      );
    }
  });

  it("knows texts that every match contains", () => {
    for (const [source, texts] of [
      ["^(?:title|api):", ["title", "api"]],
      ["#.*(?:one|three)", ["one", "three"]],
      [String.raw`\b(?:(?:must|can)\s+host|hosted)\b`, ["host", "hosted"]],
      [String.raw`a\.b+c?d`, ["a.b"]],
      ["ж😀+", ["ж😀"]],
      ["a|b?", undefined],
      ["(a", undefined],
      [Array.from({ length: 21 }, (_, index) => `a${index}`).join("|"), undefined],
    ] as const) {
      assert.deepEqual(findCertainTexts(source, { ignoreCase: false }), texts, source);
    }
    assert.equal(findCertainTexts("ж", { ignoreCase: true }), undefined);
  });

  for (const [source, start] of [
    [".*".repeat(200), 0],
    [`${"a?".repeat(400)}b`, -1],
    ["(?:a*)*(?:a|aa)+$", 0],
    [`(?:${"(".repeat(200)}a${")*".repeat(200)})b`, -1],
    ["[a-q][^u-z]{200}x", -1],
    [`${"(a|a)".repeat(100)}b`, -1],
    [`(${Array.from({ length: 100 }, (_, at) => `aaaa${at}`).join("|")})`, -1],
  ] as const) {
    it(`ends with ${source.slice(0, 20)}`, () => {
      const pattern = createLinearPattern(source);
      assert.equal(pattern.find(line), start);
      assert.equal([...pattern.findLines(line)].length, start === -1 ? 0 : 1);
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

  it("finds the same in a text as in each of its lines", () => {
    const lines = [
      "a b",
      line,
      `${line}b`,
      "",
      "b\u{1F600}",
      ...Array.from({ length: 3_000 }, () => "cab"),
    ];
    for (const source of ["b+", "[bx]+"]) {
      const pattern = createLinearPattern(source);
      const each = lines.map((text, index) => [index, pattern.find(text)] as const);
      const shown = each.filter(([, start]) => start !== -1 && start < 20_000);
      const found = Array.from(pattern.findLines(lines.join("\n")), ({ index, start }) => [index, start]); // prettier-ignore
      assert.deepEqual(found, shown);
    }
  });

  it("stops when its time is up", () => {
    const pattern = createLinearPattern("a", { timeoutMs: 0 });
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
