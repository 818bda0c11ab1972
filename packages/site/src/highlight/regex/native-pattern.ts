import { createRequire } from "node:module";
import type { toRegExpDetails } from "oniguruma-to-es";
import { backtracking, anyPosition, canBeAt, endOfLine } from "./pattern-algebra.ts";
import type { Backtracking, PatternAlgebra } from "./pattern-algebra.ts";
import { beyondAsciiCode } from "./character-set.ts";
import type { CharacterSet } from "./character-set.ts";
import type { Captures } from "./oniguruma.ts";
import { analyzePattern } from "./pattern-reader.ts";

type Library = { readonly toRegExpDetails: typeof toRegExpDetails };

/**
 * The library is loaded when it is first used, which does not happen on a small site. Loading is synchronous because a
 * search cannot await it.
 */
const require = createRequire(import.meta.url);

/** The library's value for a group that did not participate in the match. */
const noCapture = { start: 0xffffffff, end: 0xffffffff, length: 0 };

const options = {
  // Lines are ASCII, so classes may also be limited to ASCII.
  flags: "DSW",
  hasIndices: true,
  // With later targets, expressions contain groups with flags, in which V8 13.6 misses matches once it has compiled
  // many expressions.
  target: "ES2024",
  rules: {
    allowOrphanBackrefs: true,
    asciiWordBoundaries: true,
    captureGroup: true,
    // Each line is searched separately.
    singleline: true,
  },
} as const;

/** Matches syntax that V8, Oniguruma and the library that translates between them interpret differently. */
const differingSyntax: readonly RegExp[] = [
  // A flag for the remainder of a group, including its alternatives.
  /.\(\?[imx-]+\)/s,
  // Recursion, and references to a group that may not have participated in the match.
  /\\(?:[gk]|[1-9])/,
  // If case is ignored: a class of letters in one case, or letters that become two letters in the other case.
  /\(\?[a-z]*i.*(?:\\[pP]\{|\[:\^?(?:upper|lower)|[^\0-\x7f])/s,
  // The class of punctuation characters.
  /\[:\^?punct:/,
  // An exact count followed by `?`, which does not make it lazy in Oniguruma.
  /\{\d+\}\?/,
];

/** The maximum number of steps at one position in a line. V8 takes about 5 ns per step. */
const maxSteps = 1_000_000;

/**
 * ASCII replacements for properties, which V8 would otherwise look up in Unicode's tables at each of their hundred
 * occurrences in a pattern.
 */
const asciiClasses: Readonly<Record<string, string>> = {
  Alpha: "[a-zA-Z]",
  L: "[a-zA-Z]",
  Upper: "[A-Z]",
  Lu: "[A-Z]",
  Lower: "[a-z]",
  Ll: "[a-z]",
  Nd: "[0-9]",
};

/** The V8 expression for a pattern. It is used only for plain lines. */
export interface NativePattern {
  /** An expression that matches wherever the pattern does. It matches only at its `lastIndex`. */
  readonly expression: RegExp;
  /**
   * Returns the captures of the pattern at the position where `expression` just matched. If this function is missing,
   * `expression` may also match at positions where the pattern does not, and may match different text.
   */
  readonly getCaptures?: (content: string, at: number) => Captures;
}

/**
 * Converts a pattern to a JavaScript expression, which V8 compiles to machine code. Returns undefined if there is no
 * JavaScript expression with exactly the same matches.
 */
export function toNativePattern(source: string): Required<NativePattern> | undefined {
  const analysis = analyzePattern(source, backtracking);
  if (!analysis || !isBounded(analysis) || differingSyntax.some((form) => form.test(source)))
    return undefined;
  const translated = translate(source);
  if (!translated) return undefined;
  const { expression, hiddenGroups } = translated;
  const hasGroups =
    (new RegExp(`${expression.source}|`, expression.flags).exec("") ?? []).length > 1;
  return {
    expression,
    getCaptures(content, at) {
      if (!hasGroups) return [createCapture(at, expression.lastIndex)];
      expression.lastIndex = at;
      const ranges = expression.exec(content)?.indices ?? [];
      const captures: Captures = [];
      for (const [number, range] of ranges.entries()) {
        if (!hiddenGroups.has(number)) captures.push(range ? createCapture(...range) : noCapture);
      }
      return captures;
    },
  };
}

/**
 * Reports whether V8 may run the pattern. V8 tries all possible ways to match, but Oniguruma gives up after a few
 * million attempts.
 */
function isBounded({ steps, differs = false }: Backtracking): boolean {
  return steps <= maxSteps && !differs;
}

function createCapture(start: number, end: number): Captures[number] {
  return { start, end, length: end - start };
}

/**
 * Returns an expression that matches only at its `lastIndex`, and the numbers of the groups in it that the pattern does
 * not contain.
 */
function translate(source: string): { expression: RegExp; hiddenGroups: Set<number> } | undefined {
  const library = require("oniguruma-to-es") as Library;
  try {
    const { pattern, flags, options: emulation } = library.toRegExpDetails(source, options);
    if (emulation?.strategy || emulation?.transfers?.length) return undefined;
    const asciiPattern = pattern.replaceAll(
      /\\p\{(\w+)\}/g,
      (all, name) => asciiClasses[name] ?? all,
    );
    return {
      expression: new RegExp(asciiPattern, `${flags}y`),
      hiddenGroups: new Set(emulation?.hiddenCaptures),
    };
  } catch {
    // The library throws an error for a pattern that it cannot translate.
    return undefined;
  }
}

/**
 * JavaScript expressions, at least one of which matches ASCII lines wherever a part of a pattern does. They may also
 * match at other positions, because they are cut off where too many attempts would be needed, and omit negative
 * lookarounds.
 */
interface Prefix {
  /** The alternatives that end here, because the following part is unknown or would need too many attempts. */
  readonly cut?: string | undefined;
  /** The alternatives to which the remainder of the pattern can be appended; undefined if nothing can be appended. */
  readonly whole?: string | undefined;
  /** Whether `whole` has alternatives outside a group. */
  readonly isChoice?: boolean | undefined;
  /** The number of groups that `whole` opens but does not close, because some of their alternatives are cut. */
  readonly openGroups: number;
  readonly cost: Backtracking;
}

/**
 * Returns an expression for V8 that rules out most positions for a pattern that only Oniguruma can match. Oniguruma
 * takes three times as long to find that there is no match. Returns undefined if no such expression exists.
 */
export function toNativePrefix(source: string): NativePattern | undefined {
  const prefix = analyzePattern(source, prefixAlgebra);
  if (!prefix) return undefined;
  const expression = new RegExp(formatPrefix(prefix), "y");
  // An expression that matches empty text rules out few positions.
  return expression.test("") ? undefined : { expression };
}

const prefixAlgebra: PatternAlgebra<Prefix> = {
  nothing(position) {
    const cost = backtracking.nothing(position);
    return createWholePrefix(position === endOfLine ? "(?![^\n])" : "", cost);
  },
  wordBoundary: createWholePrefix("\\b", backtracking.wordBoundary),
  character: (set) => createWholePrefix(formatClass(set), backtracking.character(set)),
  anyCharacter: createWholePrefix("[^]", backtracking.anyCharacter),
  anything: { cut: "", openGroups: 0, cost: backtracking.nothing(anyPosition) },
  either(a, b) {
    const cost = backtracking.either(a.cost, b.cost);
    if (a.openGroups > 0 && b.whole !== undefined) return combineAlternatives(a, b, cost);
    if (b.openGroups > 0 && a.whole !== undefined) return combineAlternatives(b, a, cost);
    return {
      cut: joinAlternatives(a.cut, b.cut),
      whole: joinAlternatives(a.whole, b.whole),
      isChoice: a.isChoice || b.isChoice || (a.whole !== undefined && b.whole !== undefined),
      openGroups: a.openGroups + b.openGroups,
      cost,
    };
  },
  sequence(a, b) {
    if (a.whole === undefined) return a;
    const cost = backtracking.sequence(a.cost, b.cost);
    if (cost.steps > maxSteps) return cutOff(a);
    const first = toOpenForm(a);
    const second = toOpenForm(b);
    const text = `${first.text}${second.text}`;
    const openGroups = first.openGroups + second.openGroups;
    if (b.whole === undefined)
      return { cut: `${text}${")".repeat(openGroups)}`, openGroups: 0, cost };
    return { whole: text, openGroups, cost };
  },
  repeated(part) {
    const cost = backtracking.repeated(part.cost);
    if (part.cut !== undefined || part.openGroups > 0 || cost.steps > maxSteps) return cutOff(part);
    return createWholePrefix(`(?:${part.whole ?? ""})+`, cost);
  },
  optional(part) {
    const cost = backtracking.optional(part.cost);
    if (part.cut !== undefined || part.openGroups > 0)
      return { ...createWholePrefix("", cost), cut: formatPrefix(part) };
    return createWholePrefix(`(?:${part.whole ?? ""})?`, cost);
  },
  lookaround(part, kind) {
    // A lookbehind must match text that ends at its own position, so it cannot be cut.
    const isWhole = part.cut === undefined && part.openGroups === 0;
    const isKnown = kind === "ahead" || (kind === "behind" && isWhole);
    if (!isKnown) return prefixAlgebra.nothing(anyPosition);
    const sign = kind === "ahead" ? "=" : "<=";
    return createWholePrefix(
      `(?${sign}${formatPrefix(part)})`,
      backtracking.lookaround(part.cost, kind),
    );
  },
  group: (part) => part,
  isSettled: (part) => part.whole === undefined,
};

function createWholePrefix(text: string, cost: Backtracking): Prefix {
  return { whole: text, openGroups: 0, cost };
}

/** Joins all alternatives at the same level, so that V8 can distinguish many of them in one step. */
function formatPrefix({ cut, whole: others, openGroups }: Prefix): string {
  return (
    joinAlternatives(cut, others === undefined ? undefined : others + ")".repeat(openGroups)) ?? ""
  );
}

function joinAlternatives(a: string | undefined, b: string | undefined): string | undefined {
  return a === undefined || b === undefined ? (a ?? b) : `${a}|${b}`;
}

/** Cuts off all alternatives of the part, so that nothing is appended to them. */
function cutOff(part: Prefix): Prefix {
  return { cut: formatPrefix(part), openGroups: 0, cost: part.cost };
}

/**
 * Combines two parts as alternatives. The first part has open groups, so the remainder of the pattern cannot be
 * appended to both parts.
 */
function combineAlternatives(open: Prefix, other: Prefix, cost: Backtracking): Prefix {
  if (other.openGroups > 0)
    return { cut: joinAlternatives(formatPrefix(open), formatPrefix(other)), openGroups: 0, cost };
  return { ...other, cut: joinAlternatives(formatPrefix(open), other.cut), cost };
}

/** Converts the part to a form to which the remainder of the pattern can be appended. */
function toOpenForm({ cut, whole: others, isChoice, openGroups }: Prefix) {
  if (others === undefined) return { text: cut ? `(?:${cut})` : "", openGroups };
  const text = isChoice ? `(?:${others})` : others;
  return cut === undefined
    ? { text, openGroups }
    : { text: `(?:${cut}|${text}`, openGroups: openGroups + 1 };
}

function formatClass(set: CharacterSet): string {
  const ranges: string[] = [];
  let isOne = true;
  for (let first = 0; first < beyondAsciiCode; first += 1) {
    if (!canBeAt(set, first)) continue;
    let last = first;
    while (last + 1 < beyondAsciiCode && canBeAt(set, last + 1)) last += 1;
    isOne &&= last === first;
    ranges.push(last > first ? `${escapeCode(first)}-${escapeCode(last)}` : escapeCode(first));
    first = last;
  }
  const text = ranges.join("");
  return isOne && ranges.length === 1 ? text : `[${text}]`;
}

function escapeCode(code: number): string {
  const sign = String.fromCharCode(code);
  return /\w/.test(sign) ? sign : `\\x${code.toString(16).padStart(2, "0")}`;
}
