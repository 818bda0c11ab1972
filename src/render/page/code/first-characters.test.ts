import assert from "node:assert/strict";
import { test } from "node:test";
import { bundledLanguages } from "shiki/langs";
import { createOnigurumaEngine } from "shiki/engine/oniguruma";
import { findCharacter } from "./character-set.ts";
import { firstCharacters } from "./first-characters.ts";

const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(index + 32));

function printableOf(pattern: string): string | undefined {
  const set = firstCharacters(pattern);
  return set && printable.filter((character) => findCharacter(set, character, 0) === 0).join("");
}

test("the characters that a match can begin with", () => {
  const cases: [pattern: string, expected: string | undefined][] = [
    ["abc", "a"],
    ["a|b(?:c|d)", "ab"],
    ["(?:a|b)?c", "abc"],
    ["a*+b{0,2}c++d", "abc"],
    ["a{2}b", "a"],
    ["\\b(if|else)\\b", "ei"],
    ["(?<![.\\w])#\\h", "#"],
    ["(?=x)y", "y"],
    ["(?<name>[a-c_\\]])\\k<name>", "]_abc"],
    ["[^ -~]|!", "!"],
    ["[^a-zA-Z\\d]", " !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"],
    ["[]x]", "]x"],
    ["[a-]", "-a"],
    ["\\x41|\\x{42}|\\u0043|\\.", ".ABC"],
    ["(?i)select|B", "BSbs"],
    ["(?i:a)b", "Aa"],
    ["(?x) a # the first\n b", "a"],
    ["(?x: a | b )c", "ab"],
    ["(a(?i)b|c)d", "a"],
    ["(?>ab|c)", "ac"],
    ["", undefined],
    ["a?", undefined],
    ["^$", undefined],
    ["(?=a)", undefined],
    ["(?~a)", undefined],
    ["(?(1)y|z)", undefined],
    ["(", undefined],
    ["a)", undefined],
    ["[a", undefined],
  ];
  for (const [pattern, expected] of cases) {
    const sorted = expected?.split("").toSorted().join("");
    assert.equal(printableOf(pattern), sorted, pattern);
  }
});

/** Lines on which patterns of many languages begin to match somewhere. */
const lines = [
  ...printable,
  "ſK",
  "ß",
  "\t  x",
  "\v",
  "// TODO: note",
  "/* a */ # b -- c",
  "const a = async (b) => `x${1}`;",
  "SELECT * FROM t WHERE x IS NOT NULL",
  "def f(self, *args, **kw) -> None: ...",
  "<div class=\"a\" :b='c'>&amp;</div>",
  "@media (min-width: 1px) { .a > #b::before { color: #fff !important } }",
  "public static void main(String[] args) throws E {",
  "if [ -f \"$a\" ]; then echo ${b:-c} | grep -v d; fi <<'EOF'",
  "key: &anchor [1, 2.5e3, 0xFF, ~, true] # yes",
  "#include <stdio.h>",
  "\\begin{a} \\[ x^2 \\] %",
  "---",
  "+ a",
  "1 => :b, %w(c d) ?e",
];

/** All patterns of a grammar, as its rules have them. */
function patternsIn(value: unknown, found: Set<string>): void {
  if (Array.isArray(value)) for (const item of value) patternsIn(item, found);
  else if (typeof value === "object" && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      const isPattern = ["match", "begin"].includes(key);
      // With references to what the beginning matched, these are no patterns yet.
      const isEnd = ["end", "while"].includes(key) && !/\\\d/.test(String(item));
      if ((isPattern || isEnd) && typeof item === "string") found.add(item);
      else patternsIn(item, found);
    }
  }
}

test("no line is passed over that a pattern of a real grammar matches", async () => {
  const engine = await createOnigurumaEngine(import("shiki/wasm"));
  const patterns = new Set<string>();
  const languages = ["bash", "typescript", "python", "ruby", "php", "css", "html", "yaml"] as const;
  const others = ["markdown", "sql", "latex", "cpp", "kotlin", "powershell", "perl"] as const;
  for (const language of [...languages, ...others]) {
    patternsIn((await bundledLanguages[language]()).default, patterns);
  }
  const texts = lines.map((line) => ({
    line: `${line}\n`,
    text: engine.createString(`${line}\n`),
  }));
  let known = 0;
  for (const pattern of patterns) {
    const set = firstCharacters(pattern);
    if (set === undefined) continue;
    known += 1;
    const scanner = engine.createScanner([pattern]);
    for (const { line, text } of texts) {
      const start = scanner.findNextMatchSync(text, 0, 0)?.captureIndices[0]?.start;
      if (start === undefined) continue;
      assert.ok(findCharacter(set, line, start) === start, `${pattern} in ${line}`);
    }
    scanner.dispose?.();
  }
  assert.ok(known > 2_000, `${known} of ${patterns.size} patterns`);
});
