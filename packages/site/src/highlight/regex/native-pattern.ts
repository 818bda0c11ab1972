import { createRequire } from "node:module";
import type { toRegExpDetails } from "oniguruma-to-es";
import { backtracking, type Backtracking } from "./backtracking.ts";
import type { Captures } from "./oniguruma.ts";
import { analyzePattern } from "./pattern-reader.ts";

type Library = { readonly toRegExpDetails: typeof toRegExpDetails };

/** The library is loaded when it is first needed, which on a small site is never. Synchronously: a search cannot await it. */
const require = createRequire(import.meta.url);

/** The library's value for a group that took no part in a match. */
const noCapture = { start: 0xffffffff, end: 0xffffffff, length: 0 };

const options = {
  // Lines are ASCII, so classes may be too.
  flags: "DSW",
  hasIndices: true,
  // Later ones have groups with flags, in which V8 13.6 misses matches once it has compiled many expressions.
  target: "ES2024",
  rules: {
    allowOrphanBackrefs: true,
    asciiWordBoundaries: true,
    captureGroup: true,
    // Lines are searched one by one.
    singleline: true,
  },
} as const;

/** Syntax that V8, Oniguruma or the library between them read differently. */
const differing: readonly RegExp[] = [
  // A flag for the rest of a group, alternatives included.
  /.\(\?[imx-]+\)/s,
  // Recursion, and references to a group that may have taken no part.
  /\\(?:[gk]|[1-9])/,
  // If case is ignored: a class of letters of one case, and letters that are two in the other.
  /\(\?[a-z]*i.*(?:\\[pP]\{|\[:\^?(?:upper|lower)|[^\0-\x7f])/s,
  // Which characters are punctuation.
  /\[:\^?punct:/,
  // An exact count followed by `?`, which is not lazy in Oniguruma.
  /\{\d+\}\?/,
];

/** Steps at one place of a line; V8 takes about 5 ns for each. */
export const maxSteps = 1_000_000;

/** Replace properties that V8 would look up in Unicode's tables at each of a hundred places in a pattern. */
const asciiClasses: Readonly<Record<string, string>> = {
  Alpha: "[a-zA-Z]",
  L: "[a-zA-Z]",
  Upper: "[A-Z]",
  Lu: "[A-Z]",
  Lower: "[a-z]",
  Ll: "[a-z]",
  Nd: "[0-9]",
};

/** A pattern's expression for V8, for plain lines. */
export interface NativePattern {
  /** It matches, at its `lastIndex` only, wherever the pattern does. */
  readonly expression: RegExp;
  /**
   * The captures of the pattern where `expression` just matched. If this is absent, `expression` may also match
   * elsewhere, and match other text.
   */
  readonly captures?: (content: string, at: number) => Captures;
}

/**
 * The pattern as a JavaScript expression, which V8 compiles to machine code. Undefined if JavaScript has
 * none that matches exactly the same.
 */
export function nativePattern(source: string): Required<NativePattern> | undefined {
  const read = analyzePattern(source, backtracking);
  if (!read || !isBounded(read) || differing.some((form) => form.test(source))) return undefined;
  const translated = translate(source);
  if (!translated) return undefined;
  const { expression, hidden } = translated;
  const hasGroups =
    (new RegExp(`${expression.source}|`, expression.flags).exec("") ?? []).length > 1;
  return {
    expression,
    captures(content, at) {
      if (!hasGroups) return [capture(at, expression.lastIndex)];
      expression.lastIndex = at;
      const ranges = expression.exec(content)?.indices ?? [];
      const captures: Captures = [];
      for (const [number, range] of ranges.entries()) {
        if (!hidden.has(number)) captures.push(range ? capture(...range) : noCapture);
      }
      return captures;
    },
  };
}

/** V8 would try every way to match, whereas Oniguruma gives up after some millions. */
function isBounded({ steps, differs = false }: Backtracking): boolean {
  return steps <= maxSteps && !differs;
}

function capture(start: number, end: number): Captures[number] {
  return { start, end, length: end - start };
}

/** The expression, which matches only at its `lastIndex`, and the numbers of groups that the pattern does not have. */
function translate(source: string): { expression: RegExp; hidden: Set<number> } | undefined {
  const library = require("oniguruma-to-es") as Library;
  try {
    const { pattern, flags, options: emulation } = library.toRegExpDetails(source, options);
    if (emulation?.strategy || emulation?.transfers?.length) return undefined;
    const ascii = pattern.replaceAll(/\\p\{(\w+)\}/g, (all, name) => asciiClasses[name] ?? all);
    return {
      expression: new RegExp(ascii, `${flags}y`),
      hidden: new Set(emulation?.hiddenCaptures),
    };
  } catch {
    // The library throws for what it cannot translate.
    return undefined;
  }
}
