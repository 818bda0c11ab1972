import assert from "node:assert/strict";
import { before, test } from "node:test";
import { createOnigurumaEngine } from "shiki/engine/oniguruma";
import { codeLines, patternsOfGrammars } from "../../../../../test/support/grammars.ts";
import { nativePattern, type NativePattern } from "./native-pattern.ts";
import type { Captures, Scanner } from "./oniguruma.ts";

let oniguruma: Awaited<ReturnType<typeof createOnigurumaEngine>>;
before(async () => {
  oniguruma = await createOnigurumaEngine(import("shiki/wasm"));
});
const languages = [
  ...(["bash", "typescript", "python", "ruby", "csharp", "html"] as const),
  ...(["cpp", "sql", "powershell", "markdown"] as const),
];

test("a pattern matches what Oniguruma matches", async () => {
  const patterns = await patternsOfGrammars(languages);
  let translated = 0;
  for (const pattern of patterns) {
    const native = nativePattern(pattern);
    if (!native) continue;
    translated += 1;
    // To compile a pattern takes longer than to match all lines with it.
    const scanner = oniguruma.createScanner([pattern]);
    for (const line of codeLines) compare(scanner, { pattern, native }, `${line}\n`);
    scanner.dispose?.();
  }
  assert.ok(translated > 0.7 * patterns.size, `${translated} of ${patterns.size} patterns`);
});

/** Asks both at every place of the text. */
function compare(
  scanner: Scanner,
  { pattern, native }: { readonly pattern: string; readonly native: Required<NativePattern> },
  text: string,
): void {
  let from = 0;
  for (;;) {
    const expected = scanner.findNextMatchSync(text, from, 0)?.captureIndices ?? [];
    const start = expected[0]?.start ?? Infinity;
    for (; from <= Math.min(start, text.length); from += 1) {
      native.expression.lastIndex = from;
      const matches = native.expression.test(text);
      assert.equal(matches, from === start, `${pattern} in ${text} at ${from}`);
    }
    if (start === Infinity) break;
    const found = native.captures(text, start);
    assert.deepEqual(found.map(taken), expected.map(taken), `${pattern} in ${text} at ${start}`);
  }
}

/** A group that took nothing colours nothing, whether it was passed or matched an empty text. */
function taken({ start, end, length }: Captures[number]): string {
  return length === 0 ? "" : `${start} ${end}`;
}

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
    assert.equal(nativePattern(pattern) !== undefined, isNative, pattern);
  }
});

test("a pattern that V8 would match differently is left to Oniguruma", () => {
  const patterns =
    "(?:(a)|b)+ a(?i)b|c (?<a>\\(\\g<a>?\\)) (a)?\\1b (?:a*)? (a??)? a{2}?b (?i)\\p{Lu} (?i)ß [[:punct:]] (?<=(^-*|-)); (?<=a++)b (?<!(?>a))b (?i)[\\w-]b (?i)([\\w-])+b";
  for (const pattern of patterns.split(" ")) {
    assert.equal(nativePattern(pattern), undefined, pattern);
  }
});
