import assert from "node:assert/strict";
import { test } from "node:test";
import { array, assert as hold, constantFrom, letrec, oneof, property, tuple } from "fast-check";
import { planPropertyRuns } from "../../../../../test/support/property-runs.ts";
import { createOnigurumaEngine } from "shiki/engine/oniguruma";
import { sharePatterns } from "./regex-engine.ts";

const oniguruma = await createOnigurumaEngine(import("shiki/wasm"));

interface Part {
  readonly text: string;
  /** Whether each of its matches takes a character: Oniguruma refuses to repeat some of the others. */
  readonly takes: boolean;
}

const part = (takes: boolean) => (text: string) => ({ text, takes });
const taking = constantFrom(
  ...(
    "a b ab é - . \\w \\W \\s \\h \\x62 \\p{Lu} \\P{L} [ab] [^a] [é-ü] [^é] [a-c\\s] [[:alpha:]] [^[:word:]] " +
    "[\\p{Lu}-] [^\\s\\p{^Alpha}] (?i:a) (?i:[[:lower:]-])"
  ).split(" "),
);
const empty = constantFrom(
  "^",
  "$",
  "\\b",
  "\\G",
  "(?<=a)",
  "(?<!b)",
  "(?<=^|-)",
  "(?<![\\wé])",
  "\\A",
  "(?<=a-|b)",
);

/** Patterns that Oniguruma takes, of what grammars are made of. */
const { pattern } = letrec<{ atom: Part; repeated: Part; sequence: Part; pattern: Part }>(
  (tie) => ({
    atom: oneof(
      { maxDepth: 4 },
      { arbitrary: taking.map(part(true)), weight: 5 },
      { arbitrary: empty.map(part(false)), weight: 1 },
      {
        arbitrary: tuple(constantFrom("(", "(?:", "(?>"), tie("pattern")).map(
          ([start, { text, takes }]) => ({ text: `${start}${text})`, takes }),
        ),
        weight: 2,
      },
      {
        arbitrary: tuple(constantFrom("(?=", "(?!"), tie("pattern")).map(([start, { text }]) => ({
          text: `${start}${text})`,
          takes: false,
        })),
        weight: 1,
      },
    ),
    repeated: tuple(
      tie("atom"),
      constantFrom("", "", "", "*", "+", "?", "*?", "+?", "??", "{2}", "{0,2}", "*+"),
    ).map(([{ text, takes }, quantifier]) =>
      takes
        ? { text: text + quantifier, takes: !/^(?:[*?]|\{0)/.test(quantifier) }
        : { text, takes },
    ),
    sequence: array(tie("repeated"), { minLength: 1, maxLength: 3 }).map((parts) => ({
      text: parts.map(({ text }) => text).join(""),
      takes: parts.some(({ takes }) => takes),
    })),
    pattern: array(tie("sequence"), { minLength: 1, maxLength: 3 }).map((sequences) => ({
      text: sequences.map(({ text }) => text).join("|"),
      takes: sequences.every(({ takes }) => takes),
    })),
  }),
);

const line = array(constantFrom("a", "b", "A", "é", " ", "-", "ab", "ü", "1", "😀"), {
  maxLength: 12,
}).map((signs) => `${signs.join("")}\n`);

test("random patterns match where Oniguruma matches them", () => {
  const sameMatches = property(
    array(pattern, { minLength: 1, maxLength: 4 }),
    array(line, { minLength: 1, maxLength: 4 }),
    (patterns, lines) => {
      const sources = patterns.map(({ text }) => text);
      const alone = oniguruma.createScanner(sources);
      for (const thresholds of [undefined, { allPatterns: 0, onePattern: 0 }]) {
        const shared = sharePatterns(oniguruma, thresholds).createScanner(sources);
        for (const text of lines) {
          for (const from of placesIn(text)) {
            const [found, expected] = [shared, alone].map((scanner) => {
              const match = scanner.findNextMatchSync(text, from, 0);
              return match && [match.index, ...match.captureIndices.map(taken)];
            });
            assert.deepEqual(found, expected, `${JSON.stringify([sources, text])} from ${from}`);
          }
        }
        shared.dispose?.();
      }
      alone.dispose?.();
    },
  );
  hold(sameMatches, planPropertyRuns(2_000));
});

/** Where characters begin, and the end. */
function placesIn(text: string): number[] {
  const positions = Array.from({ length: text.length + 1 }, (_, at) => at);
  return positions.filter((at) => !/[\udc00-\udfff]/.test(text[at] ?? ""));
}

/** A group that took nothing colors nothing, whether it was passed or matched an empty text. */
function taken({ start, end, length }: { start: number; end: number; length: number }): string {
  return length === 0 ? "" : `${start} ${end}`;
}
