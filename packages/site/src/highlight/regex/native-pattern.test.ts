import assert from "node:assert/strict";
import { test } from "node:test";
import { toNativePattern } from "./native-pattern.ts";

test("a pattern with catastrophic backtracking in V8 is left to Oniguruma", () => {
  const cases: [pattern: string, isNative: boolean][] = [
    ["[a-z]+(?:-[a-z]+)*", true],
    ['(?:[^"\\\\]|\\\\.)*', true],
    ["\\b(?:if|else|elseif)\\b", true],
    ["\\s*(?:=\\s*)?[a-z]+\\s*", true],
    ["(a+)+b", false],
    ["(?:[0-9]+_?)+\\.", false],
    ["(?:a|ab)*c", false],
    ["(?:a?)*c", false],
    ["(?:\\w+\\s*)*c", false],
    ["(?:[^>]|<[^>]*>)*c", false],
    ["(?:[&*]\\s*(?:\\s+|(?=\\W))?)*c", false],
    ["(?=(?:a|a)*b)a", false],
    ["(?:(?:a|)a)*c", false],
    ["(?:(?:|a)a)*c", false],
    ["(?:(?:a|(?!c))a)*c", false],
    ["(?:a{1,9}){1,9}c", false],
    // Not repeated, such choices multiply with the pattern's length, and those of repetitions with the line's.
    ["[a-z]+\\s+[a-z]+\\s*=", true],
    [".*.*x", true],
    [".*.*.*.*x", false],
    ["\\s*\\s*\\s*\\s*\\s*x", false],
    [`${"(?:a|aa)".repeat(30)}c`, false],
    [`${"a?".repeat(30)}${"a".repeat(30)}c`, false],
  ];
  for (const [pattern, isNative] of cases) {
    assert.equal(toNativePattern(pattern) !== undefined, isNative, pattern);
  }
});

test("a pattern that V8 would match differently is left to Oniguruma", () => {
  const patterns =
    "(?:(a)|b)+ a(?i)b|c (?<a>\\(\\g<a>?\\)) (a)?\\1b (?:a*)? (a??)? a{2}?b (?i)\\p{Lu} (?i)ß [[:punct:]] (?<=(^-*|-)); (?<=a++)b (?<!(?>a))b (?i)[\\w-]b (?i)([\\w-])+b";
  for (const pattern of patterns.split(" ")) {
    assert.equal(toNativePattern(pattern), undefined, pattern);
  }
});
