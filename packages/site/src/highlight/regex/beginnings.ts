import { backtracking, type Backtracking } from "./backtracking.ts";
import { beyondAscii, type CharacterSet } from "./character-set.ts";
import { maxSteps, type NativePattern } from "./native-pattern.ts";
import type { PatternAlgebra } from "./pattern-algebra.ts";
import { readPattern } from "./pattern-reader.ts";
import { anyPlace, canStand, endOfLine } from "./place.ts";

/**
 * Expressions of JavaScript of which one matches, on lines of ASCII, wherever a part of a pattern does. They may match
 * at other places too: they end where it would be too much to try, and leave out what must not stand there.
 */
interface Beginning {
  /** Alternatives that what follows the part is not to be put behind: there it is not known, or too much to try. */
  readonly cut?: string | undefined;
  /** The others; undefined where there are none. */
  readonly whole?: string | undefined;
  /** Whether `whole` has alternatives outside of a group. */
  readonly isChoice?: boolean | undefined;
  /** Groups that begin in `whole` and do not end there: some of their alternatives are cut. */
  readonly openGroups: number;
  readonly cost: Backtracking;
}

/**
 * What V8 can tell of a pattern that is left to Oniguruma, which takes three times as long to find that it does not
 * match. Undefined where that is nothing.
 */
export function beginningOf(source: string): NativePattern | undefined {
  const read = readPattern(source, beginnings);
  if (!read) return undefined;
  const expression = new RegExp(textOf(read), "y");
  // What can end before it has begun tells little.
  return expression.test("") ? undefined : { expression };
}

const beginnings: PatternAlgebra<Beginning> = {
  nothing(place) {
    const cost = backtracking.nothing(place);
    return whole(place === endOfLine ? "(?![^\n])" : "", cost);
  },
  wordBoundary: whole("\\b", backtracking.wordBoundary),
  character: (set) => whole(classOf(set), backtracking.character(set)),
  anyCharacter: whole("[^]", backtracking.anyCharacter),
  anything: { cut: "", openGroups: 0, cost: backtracking.nothing(anyPlace) },
  either(a, b) {
    const cost = backtracking.either(a.cost, b.cost);
    if (a.openGroups > 0 && b.whole !== undefined) return eitherCut(a, b, cost);
    if (b.openGroups > 0 && a.whole !== undefined) return eitherCut(b, a, cost);
    return {
      cut: joined(a.cut, b.cut),
      whole: joined(a.whole, b.whole),
      isChoice: a.isChoice || b.isChoice || (a.whole !== undefined && b.whole !== undefined),
      openGroups: a.openGroups + b.openGroups,
      cost,
    };
  },
  sequence(a, b) {
    if (a.whole === undefined) return a;
    const cost = backtracking.sequence(a.cost, b.cost);
    if (cost.steps > maxSteps) return cutOff(a);
    const first = opened(a);
    const second = opened(b);
    const text = `${first.text}${second.text}`;
    const openGroups = first.openGroups + second.openGroups;
    if (b.whole === undefined)
      return { cut: `${text}${")".repeat(openGroups)}`, openGroups: 0, cost };
    return { whole: text, openGroups, cost };
  },
  repeated(part) {
    const cost = backtracking.repeated(part.cost);
    if (part.cut !== undefined || part.openGroups > 0 || cost.steps > maxSteps) return cutOff(part);
    return whole(`(?:${part.whole ?? ""})+`, cost);
  },
  optional(part) {
    const cost = backtracking.optional(part.cost);
    if (part.cut !== undefined || part.openGroups > 0)
      return { ...whole("", cost), cut: textOf(part) };
    return whole(`(?:${part.whole ?? ""})?`, cost);
  },
  lookaround(part, kind) {
    // What was looked for behind a place has to end there.
    const isWhole = part.cut === undefined && part.openGroups === 0;
    const isKnown = kind === "ahead" || (kind === "behind" && isWhole);
    if (!isKnown) return beginnings.nothing(anyPlace);
    const sign = kind === "ahead" ? "=" : "<=";
    return whole(`(?${sign}${textOf(part)})`, backtracking.lookaround(part.cost, kind));
  },
  group: (part) => part,
  isSettled: (part) => part.whole === undefined,
};

function whole(text: string, cost: Backtracking): Beginning {
  return { whole: text, openGroups: 0, cost };
}

/** All its alternatives, side by side: so V8 tells many apart at once. */
function textOf({ cut, whole: others, openGroups }: Beginning): string {
  return joined(cut, others === undefined ? undefined : others + ")".repeat(openGroups)) ?? "";
}

function joined(a: string | undefined, b: string | undefined): string | undefined {
  return a === undefined || b === undefined ? (a ?? b) : `${a}|${b}`;
}

/** The part, with nothing behind it. */
function cutOff(part: Beginning): Beginning {
  return { cut: textOf(part), openGroups: 0, cost: part.cost };
}

/** One of two, of which the first has open groups: what follows cannot be put behind both. */
function eitherCut(open: Beginning, other: Beginning, cost: Backtracking): Beginning {
  if (other.openGroups > 0)
    return { cut: joined(textOf(open), textOf(other)), openGroups: 0, cost };
  return { ...other, cut: joined(textOf(open), other.cut), cost };
}

/** The part as something that what follows can be put behind. */
function opened({ cut, whole: others, isChoice, openGroups }: Beginning) {
  if (others === undefined) return { text: cut ? `(?:${cut})` : "", openGroups };
  const text = isChoice ? `(?:${others})` : others;
  return cut === undefined
    ? { text, openGroups }
    : { text: `(?:${cut}|${text}`, openGroups: openGroups + 1 };
}

function classOf(set: CharacterSet): string {
  const ranges: string[] = [];
  let isOne = true;
  for (let first = 0; first < beyondAscii; first += 1) {
    if (!canStand(set, first)) continue;
    let last = first;
    while (last + 1 < beyondAscii && canStand(set, last + 1)) last += 1;
    isOne &&= last === first;
    ranges.push(last > first ? `${escapeOf(first)}-${escapeOf(last)}` : escapeOf(first));
    first = last;
  }
  const text = ranges.join("");
  return isOne && ranges.length === 1 ? text : `[${text}]`;
}

function escapeOf(code: number): string {
  const sign = String.fromCharCode(code);
  return /\w/.test(sign) ? sign : `\\x${code.toString(16).padStart(2, "0")}`;
}
