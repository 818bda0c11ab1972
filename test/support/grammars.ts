import { bundledLanguages } from "shiki/langs";

export type GrammarName = keyof typeof bundledLanguages;

/** All patterns of the grammars' rules, as they stand there. */
export async function patternsOfGrammars(names: readonly GrammarName[]): Promise<Set<string>> {
  const patterns = new Set<string>();
  for (const name of names) collectPatterns((await bundledLanguages[name]()).default, patterns);
  return patterns;
}

function collectPatterns(value: unknown, found: Set<string>): void {
  if (Array.isArray(value)) for (const item of value) collectPatterns(item, found);
  else if (typeof value === "object" && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      const isPattern = ["match", "begin"].includes(key);
      // With references to what the beginning matched, these are no patterns yet.
      const isEnd = ["end", "while"].includes(key) && !/\\\d/.test(String(item));
      if ((isPattern || isEnd) && typeof item === "string") found.add(item);
      else collectPatterns(item, found);
    }
  }
}

/** The characters of ASCII that are seen, and the blank. */
export const printableText: readonly string[] = Array.from({ length: 95 }, (_, index) =>
  String.fromCharCode(index + 32),
);

/** Lines on which patterns of many languages begin to match somewhere. */
export const codeLines: readonly string[] = [
  ...printableText,
  "\t  x",
  "\v",
  "// TODO: note",
  "/* a */ # b -- c",
  "const a = async (b) => `x${1}`;",
  "export default class A<T extends B> implements C { private d?: E[] = f!.g<H>(1_0n); }",
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
