import { backtracking, type Backtracking } from "./backtracking.ts";
import { beyondAscii, type CharacterSet } from "./character-set.ts";
import { mostSteps, type NativePattern } from "./native-pattern.ts";
import type { PatternAlgebra } from "./pattern-algebra.ts";
import { readPattern } from "./pattern-reader.ts";
import { anyPlace, canStand, endOfLine } from "./place.ts";

/**
 * An expression of JavaScript that matches, on lines of ASCII, wherever a part of a pattern does. It may match at
 * other places too: it ends where it would be too much to try, and leaves out what must not stand there.
 */
interface Beginning {
  /** What follows the part is to be put between the two. */
  readonly head: string;
  readonly tail: string;
  /** Whether anything may follow. */
  readonly isCut: boolean;
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
  anything: { ...whole("", backtracking.nothing(anyPlace)), isCut: true },
  either(a, b) {
    const cost = backtracking.either(a.cost, b.cost);
    if (a.isCut && !b.isCut) return beside(a, b, cost);
    if (b.isCut && !a.isCut) return beside(b, a, cost);
    const either = whole(`(?:${textOf(a)}|${textOf(b)})`, cost);
    return { ...either, isCut: a.isCut || a.tail !== "" || b.tail !== "" };
  },
  sequence(a, b) {
    if (a.isCut) return a;
    const cost = backtracking.sequence(a.cost, b.cost);
    if (cost.steps > mostSteps) return { ...a, isCut: true };
    return { head: a.head + b.head, tail: b.tail + a.tail, isCut: b.isCut, cost };
  },
  repeated(part) {
    const cost = backtracking.repeated(part.cost);
    if (part.isCut || part.tail !== "" || cost.steps > mostSteps) return { ...part, isCut: true };
    return whole(`(?:${part.head})+`, cost);
  },
  optional(part) {
    const cost = backtracking.optional(part.cost);
    if (part.isCut || part.tail !== "") return beside(part, whole("", cost), cost);
    return whole(`(?:${part.head})?`, cost);
  },
  lookaround(part, kind) {
    const isKnown = kind === "ahead" || (kind === "behind" && !part.isCut);
    if (!isKnown) return beginnings.nothing(anyPlace);
    const sign = kind === "ahead" ? "=" : "<=";
    return whole(`(?${sign}${textOf(part)})`, backtracking.lookaround(part.cost, kind));
  },
  group: (part) => part,
  isSettled: ({ isCut }) => isCut,
};

function textOf({ head, tail }: Beginning): string {
  return head + tail;
}

function whole(text: string, cost: Backtracking): Beginning {
  return { head: text, tail: "", isCut: false, cost };
}

/** One of two, of which the first is not followed by what stands behind them. */
function beside(cut: Beginning, part: Beginning, cost: Backtracking): Beginning {
  return { head: `(?:${textOf(cut)}|${part.head}`, tail: `${part.tail})`, isCut: false, cost };
}

function classOf(set: CharacterSet): string {
  let text = "";
  for (let first = 0; first < beyondAscii; first += 1) {
    if (!canStand(set, first)) continue;
    let last = first;
    while (last + 1 < beyondAscii && canStand(set, last + 1)) last += 1;
    text += last > first ? `${escapeOf(first)}-${escapeOf(last)}` : escapeOf(first);
    first = last;
  }
  return `[${text}]`;
}

function escapeOf(code: number): string {
  return `\\x${code.toString(16).padStart(2, "0")}`;
}
