import assert from "node:assert/strict";
import { before, suite, test } from "node:test";
import { createShikiPrimitive } from "shiki/core";
import { createOnigurumaEngine } from "shiki/engine/oniguruma";
import { bundledLanguages } from "shiki/langs";
import { sharePatterns } from "./regex-engine.ts";
import type { RegexEngine } from "./oniguruma.ts";
import { themeName, tokenTheme } from "../highlighter.ts";

let oniguruma: Awaited<ReturnType<typeof createOnigurumaEngine>>;
before(async () => {
  oniguruma = await createOnigurumaEngine(import("shiki/wasm"));
});

type Language = keyof typeof bundledLanguages;

async function tokensOf(engine: RegexEngine, language: Language, code: string) {
  const primitive = createShikiPrimitive({
    engine,
    themes: [tokenTheme],
    langs: [],
    warnings: false,
  });
  await primitive.loadLanguage(bundledLanguages[language]);
  primitive.setTheme(themeName);
  const grammar = primitive.getLanguage(language);
  const lines: number[][] = [];
  let state: Parameters<typeof grammar.tokenizeLine2>[1] = null;
  for (const line of code.split("\n")) {
    const { tokens, ruleStack } = grammar.tokenizeLine2(line, state);
    lines.push([...tokens]);
    state = ruleStack;
  }
  return lines;
}

const blocks: Partial<Record<Language, string>> = {
  bash: 'cat <<EOF > "$a"\n${b:-x} `c`\nEOF\ncat <<\'E2\' | tr a b\nEOF $a\nE2\nif [ -n "é" ]; then :; fi # ü',
  typescript:
    "/** @param a é */\nexport const f = async <T,>(a: T[]): Promise<`x-${string}`> => {\n  return a?.b!.c / 2 > 1 ? /re[/]x/g : `t${a}`;\n}; // end",
  python:
    'def f(a: int = 1, *b) -> "é":\n    """Doc {x}.\n    >>> 1\n    """\n    return f"{a!r:>{b}}" if a else r\'\\d\'',
  ruby: "def a(b) = <<~X + 'é'\n  #{b}\nX\nputs %w[a b].map { |c| c =~ /d#{e}/i }\n__END__\nrest",
  php: "<?php\n$a = <<<X\n  {$b->c} é\n  X;\n?>\n<p><?= $a ?></p>",
  html: "<p title='é'>a</p>\n<script>let a = 1 < 2;</script>\n<style>p { color: red }</style>",
  markdown: '# é *a*\n\n```python\nprint(1)\n```\n\n> - [a](b "c") `d`\n',
  yaml: 'a: &b\n  - "é": |\n      text\n      more\n    c: *b # d',
};

/** All that can be is matched by V8. */
const atOnce = { allPatterns: 0, onePattern: 0 };

suite("patterns that are shared", () => {
  test("find what each alone finds", async () => {
    const engines = [sharePatterns(oniguruma), sharePatterns(oniguruma, atOnce)];
    for (const [language, code] of Object.entries(blocks)) {
      const name = language as Language;
      const expected = await tokensOf(oniguruma, name, code);
      // Twice each, since what one block left behind must not show in the next.
      for (const shared of [...engines, ...engines]) {
        assert.deepEqual(await tokensOf(shared, name, code), expected, language);
      }
    }
  });

  test("are found from any place in any order", () => {
    const patterns = ["\\Gb", "b+", "a|é", "(?<=a)b", "\\.c", "\\\\", "$", "(?!^)c?"];
    const orders = [patterns, patterns.toReversed()];
    const positions = [0, 3, 1, 8, 2, 2, 5, 4, 0, 7].flatMap((from) =>
      [0, 1, 4].map((options) => ({ from, options })),
    );
    for (const line of ["abéb.ba\\ .c", "abab.ba\\ .c", "😀 a b.b 😀"]) {
      for (const shared of [sharePatterns(oniguruma), sharePatterns(oniguruma, atOnce)]) {
        const text = shared.createString(line);
        const scanners = orders.map((order) => shared.createScanner(order));
        const alone = orders.map((order) => oniguruma.createScanner(order));
        for (const { from, options } of positions) {
          assert.deepEqual(
            scanners.map((scanner) => scanner.findNextMatchSync(text, from, options)),
            alone.map((scanner) => scanner.findNextMatchSync(line, from, options)),
            `${line} ${from} ${options}`,
          );
        }
      }
    }
  });

  test("are found where engines usually differ", () => {
    const cases: [pattern: string, lines: readonly string[]][] = [
      // A lookbehind that is known in part, and one that never backtracks.
      ["(?<=b(?:(?:xx?)+y)?)c", ["bxxxyc"]],
      ["(?<=b(?:a(d)\\1)?)c", ["baddc"]],
      ["(?<=a++)b", ["aab"]],
      ["(?<=-(?>a+|b))c", ["-aac"]],
      // A class that is negated, and then folded.
      ["(?i)[a[^b]]", ["b", "B", "a"]],
      // Letters that fold to one character.
      ...[
        "[a-zß]",
        "[[:alpha:]]",
        "[\\p{L}_]",
        "[\\w-]",
        "[\\S]",
        "[\\H]",
        "[a[^\\x00-\\x7f]]",
      ].flatMap((letters) =>
        ["b", "?b", "+b", "{2}b", "\\w*b"].map((rest): [string, readonly string[]] => [
          `(?i)${letters}${rest}`,
          ["ssb", "-ffib", "stb", "fib", "b"],
        ]),
      ),
      // A bracket in a comment.
      ["abc(?x: # ( \n c)|d", ["d", "abcc"]],
      // A recursive pattern.
      ["a\\g<0>?b", ["aabb"]],
      ["a\\g'0'?b", ["aabb"]],
      // A pattern that is too large for V8.
      ["a".repeat(40_000), ["a"]],
    ];
    for (const [pattern, lines] of cases) {
      const alone = oniguruma.createScanner([pattern]);
      for (const thresholds of [undefined, atOnce]) {
        const scanner = sharePatterns(oniguruma, thresholds).createScanner([pattern]);
        // The second time a hot pattern is searched in another way.
        for (const line of lines.flatMap((text) => [text, `${text}\n`])) {
          assert.deepEqual(
            scanner.findNextMatchSync(line, 0, 0),
            alone.findNextMatchSync(line, 0, 0),
            `${pattern.slice(0, 40)} in ${line}`,
          );
        }
      }
    }
  });

  test("are released when no scanner uses them", () => {
    const compiled: string[] = [];
    let open = 0;
    const shared = sharePatterns({
      createString: (text) => oniguruma.createString(text),
      createScanner(sources) {
        const scanner = oniguruma.createScanner(sources);
        compiled.push(...sources.map(String));
        open += 1;
        return {
          findNextMatchSync: scanner.findNextMatchSync.bind(scanner),
          dispose() {
            open -= 1;
            scanner.dispose?.();
          },
        };
      },
    });
    const first = shared.createScanner(["a+", "b+"]);
    const second = shared.createScanner(["b+", "c+"]);
    for (const scanner of [first, second]) scanner.findNextMatchSync("abc", 0, 0);
    first.dispose?.();
    assert.equal(second.findNextMatchSync("b", 0, 0)?.index, 0);
    second.dispose?.();
    assert.equal(open, 0);
    // Each was needed once, and c never: b stands ahead of it.
    assert.deepEqual(compiled, ["a+", "b+"]);
  });
});
