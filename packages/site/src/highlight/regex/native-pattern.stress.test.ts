import assert from "node:assert/strict";
import { before, test } from "node:test";
import { createOnigurumaEngine } from "shiki/engine/oniguruma";
import { codeLines, patternsOfGrammars } from "../../../../../test/support/grammars.ts";
import { toNativePattern, type NativePattern } from "./native-pattern.ts";
import type { Captures, RegexEngine } from "./oniguruma.ts";

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
    const native = toNativePattern(pattern);
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
  scanner: ReturnType<RegexEngine["createScanner"]>,
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
    const found = native.getCaptures(text, start);
    assert.deepEqual(found.map(taken), expected.map(taken), `${pattern} in ${text} at ${start}`);
  }
}

/** A group that took nothing colors nothing, whether it was passed or matched an empty text. */
function taken({ start, end, length }: Captures[number]): string {
  return length === 0 ? "" : `${start} ${end}`;
}
