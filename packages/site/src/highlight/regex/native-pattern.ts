import { createRequire } from "node:module";
import type { toRegExpDetails } from "oniguruma-to-es";
import { backtracking, type Backtracking } from "./backtracking.ts";
import type { Captures } from "./oniguruma.ts";
import { readPattern } from "./pattern-reader.ts";

type Library = { readonly toRegExpDetails: typeof toRegExpDetails };

/** The library is loaded when it is first needed, which on a small site it never is; a search cannot wait for that. */
const require = createRequire(import.meta.url);

/** How the library says that a group took no part in a match. */
const noCapture = { start: 0xffffffff, end: 0xffffffff, length: 0 };

const options = {
  // Lines are ASCII, and so may the classes be.
  flags: "DSW",
  hasIndices: true,
  // Later ones have groups with flags, in which V8 13.6 passes over matches once it has compiled many expressions.
  target: "ES2024",
  rules: {
    allowOrphanBackrefs: true,
    asciiWordBoundaries: true,
    captureGroup: true,
    // Lines are searched one by one.
    singleline: true,
  },
} as const;

/** What the two, or the library between them, read in different ways. */
const differing: readonly RegExp[] = [
  // A flag for the rest of a group, alternatives included.
  /.\(\?[imx-]+\)/s,
  // A group that may hold itself, to any depth, and what a group took that may have taken no part.
  /\\(?:[gk]|[1-9])/,
  // Without regard to case, a class of letters of one case, and letters that are two in the other.
  /\(\?[a-z]*i.*(?:\\[pP]\{|\[:\^?(?:upper|lower)|[^\0-\x7f])/s,
  // Which signs are punctuation.
  /\[:\^?punct:/,
  // What is not lazy behind an exact figure.
  /\{\d+\}\?/,
];

/** For one place of a line; V8 takes about 5 ns for each. */
export const maxSteps = 1_000_000;

/** What V8 would ask Unicode's tables for at each of a hundred places in a pattern. */
const asciiClasses: Readonly<Record<string, string>> = {
  Alpha: "[a-zA-Z]",
  L: "[a-zA-Z]",
  Upper: "[A-Z]",
  Lu: "[A-Z]",
  Lower: "[a-z]",
  Ll: "[a-z]",
  Nd: "[0-9]",
};

/** What V8 can tell of a pattern in plain lines. */
export interface NativePattern {
  /** It matches, at its `lastIndex` only, wherever the pattern does. */
  readonly expression: RegExp;
  /**
   * What the pattern takes where `expression` just matched. Where this is absent, `expression` may match at other
   * places as well, and others.
   */
  readonly captures?: (content: string, at: number) => Captures;
}

/**
 * The pattern as an expression of JavaScript, which V8 compiles to machine code. Undefined where JavaScript has
 * nothing that matches exactly the same.
 */
export function nativePattern(source: string): Required<NativePattern> | undefined {
  const read = readPattern(source, backtracking);
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

/** V8 would try all the ways to match, where Oniguruma gives up after some millions. */
function isBounded({ steps, differs = false }: Backtracking): boolean {
  return steps <= maxSteps && !differs;
}

function capture(start: number, end: number): Captures[number] {
  return { start, end, length: end - start };
}

/** The expression, which matches at its `lastIndex` only, and the numbers of groups that the pattern does not have. */
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
    // The library says so by throwing.
    return undefined;
  }
}
