import assert from "node:assert/strict";
import { test } from "node:test";
import { createOnigurumaEngine } from "shiki/engine/oniguruma";
import {
  codeLines,
  patternsOfGrammars,
  printableText,
} from "../../../../../test/support/grammars.ts";
import { beyondAsciiCode } from "./character-set.ts";
import {
  getStartPosition,
  startPositionAlgebra,
  anyPosition,
  canBeAt,
  canFollow,
  canPrecede,
} from "./pattern-algebra.ts";
import type { PatternPosition } from "./pattern-algebra.ts";
import { analyzePattern } from "./pattern-reader.ts";

const upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const letters = upper + upper.toLowerCase();
/** Signs that are in no word. */
const others = " !\"#$%&'()*+,-./:;<=>?@[\\]^`{|}~";

function matchStart(pattern: string): PatternPosition {
  const read = analyzePattern(pattern, startPositionAlgebra);
  return read ? getStartPosition(read) : anyPosition;
}

function standing(pattern: string): readonly [first: string, second: string] {
  const position = matchStart(pattern);
  const first = printableText.filter((sign) => canBeAt(position, sign.charCodeAt(0)));
  const second = printableText.filter((sign) => canFollow(position, sign.charCodeAt(0)));
  return [shortened(first), shortened(second)];
}

function shortened(signs: readonly string[]): string {
  return signs.length === printableText.length ? "*" : signs.join("");
}

test("characters that a match can begin with", () => {
  const cases: [pattern: string, first: string, second: string][] = [
    ["abc", "a", "b"],
    ["a", "a", "*"],
    ["a|b(?:c|d)", "ab", "*"],
    ["ax|b(?:c|d)", "ab", "cdx"],
    ["(?:a|b)?c", "abc", "*"],
    ["(?:a|b)?cd", "abc", "cd"],
    ["a*+b{0,2}c++d", "abc", "abcd"],
    ["a{2}b", "a", "ab"],
    ["a{}b", "a", "{"],
    ["a+b", "a", "ab"],
    ["\\b(if|else)\\b", "ei", "fl"],
    ["(?<![.\\w])#\\h", "#", "0123456789ABCDEFabcdef"],
    ["(?=x)y", "", "*"],
    ["(?=ab)\\w", "a", "b"],
    ["(?=a|bc)", "ab", "*"],
    ["(?=a)?b", "b", "*"],
    ["x(?=ab)", "x", "a"],
    ["(?!a)[ab]c", "ab", "c"],
    ["a$", "a", ""],
    ["$", "", "*"],
    ["^a?\\Z", "a", "*"],
    ["(?<name>[a-c_\\]])\\k<name>", "]_abc", "*"],
    ["[^ -~]|!", "!", "*"],
    ["[^a-zA-Z\\d]", " !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", "*"],
    ["[]x]", "]x", "*"],
    ["[a-]", "-a", "*"],
    ["\\x41|\\x{42}|\\u0043|\\.", ".ABC", "*"],
    ["(?i)select|B0", "BSbs", "0Ee"],
    ["(?i:a)b", "Aa", "b"],
    ["(?x) a # the first\n b", "a", "b"],
    ["(?x: a | b )c", "ab", "c"],
    ["(a(?i)b|c)d", "a", "BCbc"],
    ["(?>ab|c)", "ac", "*"],
    ["a\\p{L}b", "a", letters],
    ["[$_[:alpha:]][[:digit:]\\p{Lu}]", `$_${letters}`, `0123456789${upper}`],
    ["[^[:word:]]\\p{^Alnum}", others, `_${others}`],
    ["\\P{L}[^\\p{N}\\s]", `0123456789_${others}`, `${others}_${letters}`.replace(" ", "")],
    ["(?i)[[:upper:]]\\p{Lu}", "*", "*"],
    ["[[:punct:]]\\p{Greek}", "*", "*"],
    ["[\\s(]x", " (", "x"],
    ["(?i)[é]b", "*", "*"],
    ["(?i)[a-zé]b", "*", "*"],
    ["(?i)[\\w-]b", `-0123456789_${letters}`, "*"],
    ["(?i)[\\w-]+b", `-0123456789_${letters}`, `-0123456789_${letters}`],
    ["(?i)[\\w-][\\w.]*!", `-0123456789_${letters}`, `!.0123456789_${letters}`],
    ["(?i)[\\w-][.]*!", `-0123456789_${letters}`, "*"],
    ["(?i)(?=[\\w-])[-a]b", "-Aa", "Bb"],
    ["(?i)[^\\W]b", `0123456789_${letters}`, "Bb"],
    ["(?i)[a[^b]]", "*", "*"],
    ["(?i)[[:alpha:]&&[ß]]+b", "*", "*"],
    ["abc(?x: # ( \n c)|d", "*", "*"],
    ["ab(?:c(?x) # ( \n c)|d", "*", "*"],
    ["(?x)a ?b", "ab", "*"],
    ["(?x)a #c\n*b", "ab", "*"],
  ];
  for (const [pattern, first, second] of cases) {
    const sorted = first.split("").toSorted().join("");
    const sortedSecond = second.split("").toSorted().join("");
    assert.deepEqual(standing(pattern), [sorted, sortedSecond], pattern);
  }
  for (const pattern of [
    "",
    "a?",
    "^",
    "(?!a)",
    "(?=a?)",
    "(?~a)",
    "(?(1)y|z)",
    "(",
    "a)",
    "[a",
    "a{2,0}b",
    "[\\c]]b",
  ]) {
    assert.deepEqual(standing(pattern), ["*", "*"], pattern);
  }
});

test("characters that can precede a match", () => {
  const cases: [pattern: string, inFront: string][] = [
    ["a", "*"],
    ["(?<=[ab])c", "ab"],
    ["(?<=b|cd)c", "bd"],
    ["(?<=return|=>|^)c", "*"],
    ["(?<=return|=>)\\s*c", ">n"],
    ["(?:(?<=x)a|(?<=y)b)", "xy"],
    ["(?:(?<=x)a)?b", "*"],
    ["(?<=x*)b", "*"],
    ["(?<=xy?)b", "xy"],
    ["(?<=x(?=b))b", "x"],
    ["(?<!x)b", "*"],
    ["a(?<=a)b", "*"],
    ["^a", ""],
    ["\\Aa", ""],
    ["^?a", "*"],
    ["(?:^|,)a", "*"],
    ["\\ba", others],
    ["\\b[ab]|\\b!", "*"],
    ["\\b!", `0123456789_${letters}`],
    ["\\b[a!]", "*"],
    ["\\b(?=[[:alpha:]])", others],
    ["(?<=[.a])\\b(?:if|else)", "."],
    ["\\b$", `0123456789_${letters}`],
    ["\\b", "*"],
    ["\\Ba", "*"],
    ["(\\b)?a", "*"],
  ];
  for (const [pattern, inFront] of cases) {
    const position = matchStart(pattern);
    const signs = printableText.filter((sign) => canPrecede(position, sign.charCodeAt(0)));
    assert.equal(shortened(signs), inFront.split("").toSorted().join(""), pattern);
  }
});

test("characters beyond ASCII are not told apart", () => {
  for (const pattern of ["é", "[é]x", "[é-ü]", "[^a]", "\\W", "\\p{L}", "[\\x{100}-\\x{10ffff}]"]) {
    assert.equal(canBeAt(matchStart(pattern), beyondAsciiCode), true, pattern);
  }
  for (const pattern of ["a", "[ -~]", "\\h"]) {
    assert.equal(canBeAt(matchStart(pattern), beyondAsciiCode), false, pattern);
  }
});

test("no place where a pattern of a real grammar matches is missed", async () => {
  const engine = await createOnigurumaEngine(import("shiki/wasm"));
  const languages = ["bash", "typescript", "python", "ruby", "php", "css", "html", "yaml"] as const;
  const others = ["markdown", "sql", "latex", "cpp", "kotlin", "powershell", "perl"] as const;
  const patterns = await patternsOfGrammars([...languages, ...others]);
  const lines = [...codeLines, "ſK", "ß"];
  const texts = [...lines, ...lines.map((line) => `${line}\n`)].map((line) => ({
    line,
    text: engine.createString(line),
  }));
  let known = 0;
  for (const pattern of patterns) {
    const position = matchStart(pattern);
    if (position.every((word) => word === -1)) continue;
    known += 1;
    const scanner = engine.createScanner([pattern]);
    for (const { line, text } of texts) {
      const start = scanner.findNextMatchSync(text, 0, 0)?.captureIndices[0]?.start;
      if (start === undefined) continue;
      assert.ok(canBeAt(position, codeAt(line, start)), `${pattern} in ${line}`);
      if (!isAscii(line)) continue;
      assert.ok(canFollow(position, codeAt(line, start + 1)), `${pattern} in ${line}`);
      assert.ok(canPrecede(position, codeAt(line, start - 1)), `${pattern} in ${line}`);
    }
    scanner.dispose?.();
  }
  assert.ok(known > 2_500, `${known} of ${patterns.size} patterns`);
});

function codeAt(text: string, at: number): number {
  return Math.min(text.charCodeAt(at) || beyondAsciiCode, beyondAsciiCode);
}

function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}
