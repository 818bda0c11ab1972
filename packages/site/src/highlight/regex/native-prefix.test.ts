import assert from "node:assert/strict";
import { test } from "node:test";
import { createOnigurumaEngine } from "shiki/engine/oniguruma";
import { codeLines, patternsOfGrammars } from "../../../../../test/support/grammars.ts";
import { toNativePrefix } from "./native-pattern.ts";
import type { RegexEngine } from "./oniguruma.ts";

function matchesOf(pattern: string, lines: readonly string[]): string[] {
  const { expression } = toNativePrefix(pattern) ?? {};
  return lines.filter((line) => {
    if (!expression) return true;
    expression.lastIndex = 0;
    return expression.test(line);
  });
}

test("a prefix omits what is unknown and what would be too much to try", () => {
  const cases: [pattern: string, matching: readonly string[], others: readonly string[]][] = [
    ["a(?<g>b\\g<g>?)c", ["ab", "abc", "abd"], ["ac", "b"]],
    ["a(?<g>b)?\\k<g>?c", ["abc", "ac", "a"], ["b"]],
    ["a(?:\\k<g>|b)c", ["ax", "abc"], ["b"]],
    ["a(?:b\\1|c)d", ["ab", "abx", "acd"], ["ac", "acx", "ad"]],
    ["a(?:b\\1)?d", ["ab", "ad"], ["a", "ac"]],
    ["a(?:b\\1|c)*d", ["ab", "ac", "ad"], ["a", "ax"]],
    ["a(?=b\\1)c", [], ["abc", "ac"]],
    ["a(?=b\\1)b", ["ab", "abx"], ["ac"]],
    ["(?<=b\\1)a", ["a"], ["b"]],
    ["(?<=b)a", [], ["a", "ba"]],
    ["(?<=b(?:a(d)\\1)?)c", ["c"], ["b"]],
    ["(?<=b(?:(?:xx?)+y)?)c", ["c"], ["b"]],
    ["(?:a\\1|b|c\\1|d)e", ["ax", "be", "cx", "de"], ["bx", "dx", "e"]],
    ["(?:(?:a\\1)?b|c)d", ["a", "b", "cd"], ["c", "d"]],
    ["(?:(?:a\\1)?b|(?:c\\1)?d)e", ["a", "b", "c", "d"], ["e"]],
    ["[.][-\\]][_-b]\\1", [".-a", ".]`"], ["a-a", ".aa", ".-c"]],
    ["(?<!b)a(?!c)", ["a", "ac"], ["b"]],
    ["^\\s*(?:[a-z]+\\s*)*=", ["=", "a", " x"], []],
    ["<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>:", ["<a", "<>:"], ["<", "<>", "a"]],
    ["(?i)sel\\1", ["SeL"], ["se"]],
    ["a++b", ["aab"], ["aa"]],
    ["a$(?<g>b)?\\g<g>", ["a", "a\n"], ["ab"]],
    ["\\bif\\b(?<g>b)?\\g<g>", ["if", "if x"], ["iffy"]],
    ["(?x) a b # c\n \\1", ["ab"], ["a b"]],
    ["[[:alpha:]]-\\1", ["a-"], ["1-", "a"]],
  ];
  for (const [pattern, matching, others] of cases) {
    assert.deepEqual(matchesOf(pattern, [...matching, ...others]), matching, pattern);
  }
});

test("a pattern that cannot be read, or begins with anything, has no prefix", () => {
  for (const pattern of ["\\1a", "(?:a\\1)?b\\1|", "(?~a)b", "(?<=x\\1)"]) {
    assert.equal(toNativePrefix(pattern), undefined, pattern);
  }
});

test("many alternatives are not nested", () => {
  assert.deepEqual(matchesOf(`a\\1${"|b\\1".repeat(12_000)}`, ["a", "b", "c"]), ["a", "b"]);
});

test("a prefix matches wherever its pattern does", async () => {
  const oniguruma = await createOnigurumaEngine(import("shiki/wasm"));
  const languages = ["typescript", "csharp", "python", "go", "powershell", "php", "cpp"] as const;
  const patterns = await patternsOfGrammars(languages);
  let known = 0;
  for (const pattern of patterns) {
    const beginning = toNativePrefix(pattern);
    if (!beginning || /\\[GK]/.test(pattern)) continue;
    known += 1;
    const scanner = oniguruma.createScanner([pattern]);
    for (const line of codeLines.filter((text) => /^[\0-\x7f]*$/.test(text))) {
      const text = `${line}\n`;
      for (const at of placesOf(scanner, text)) {
        beginning.expression.lastIndex = at;
        assert.ok(beginning.expression.test(text), `${pattern} in ${text} at ${at}`);
      }
    }
    scanner.dispose?.();
  }
  assert.ok(known > 0.8 * patterns.size, `${known} of ${patterns.size} patterns`);
});

/** Where matches begin. */
function placesOf(scanner: ReturnType<RegexEngine["createScanner"]>, text: string): number[] {
  const positions: number[] = [];
  for (let at = 0; at <= text.length; at += 1) {
    at = scanner.findNextMatchSync(text, at, 0)?.captureIndices[0]?.start ?? Infinity;
    if (at < Infinity) positions.push(at);
  }
  return positions;
}
