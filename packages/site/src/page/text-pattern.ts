import { createEvaluationError, type EvaluationContext } from "./script/evaluation-context.ts";
import { TextPattern } from "./script/value.ts";

/** The number of match attempts that count as one step. */
const positionsPerStep = 1_000;
/** The maximum number of steps for one use of a pattern, which corresponds to about ten million match attempts. */
const maxSteps = 10_000;
const maxPatternLength = 500;

/**
 * Creates a pattern from an author's regular expression. Throws `invalid_input` for an expression that could run
 * endlessly, because it has lookarounds, backreferences, or repeated groups that contain repetitions or alternatives.
 */
export function createPattern(source: string, flags: string): TextPattern {
  if (source.length > maxPatternLength || !/^[dgimsuy]*$/.test(flags))
    throw createUnsupportedError();
  const degree = computeDegree(source);
  try {
    return new TextPattern(new RegExp(source, flags), degree);
  } catch {
    throw createUnsupportedError();
  }
}

/**
 * Charges the budget for one use of a pattern on a string. Throws `invalid_input` if the use could take too
 * long.
 */
export function chargePattern(
  { degree }: TextPattern,
  text: string,
  { budget }: EvaluationContext,
): void {
  const steps = 1 + Math.ceil((text.length + 1) ** (degree + 1) / positionsPerStep);
  if (steps > maxSteps) throw createEvaluationError("A regular expression could take too long.");
  budget.spendSteps(steps);
}

function createUnsupportedError(): Error {
  return createEvaluationError("A static page cannot evaluate this regular expression.");
}

const patternToken =
  /\\(?:[1-9]|k<)|\\.|\[(?:\\.|[^\]\\])*\]|\((?:\?(?::|<[^=!][^>]*>))?|\(\?|\)|\||[*+]\??|\{\d+,?\d*\}\??|\?|[^]/gs;

/** Counts the unbounded repetitions in a pattern. */
function computeDegree(source: string): number {
  let degree = 0;
  /** Whether each open group contains a repetition or alternatives. */
  const complexGroups = [false];
  let isAfterComplex = false;
  for (const [token] of source.matchAll(patternToken)) {
    if (/^\\(?:[1-9]|k<)|^\(\?$/.test(token)) throw createUnsupportedError();
    const isRepetition = /^(?:[*+]\??|\{.+)$/.test(token);
    if (isRepetition && isAfterComplex) throw createUnsupportedError();
    if (isRepetition) degree += 1;
    if (isRepetition || token === "|") complexGroups[complexGroups.length - 1] = true;
    isAfterComplex = token === ")" && complexGroups.pop() === true;
    if (isAfterComplex) complexGroups[complexGroups.length - 1] = true;
    if (token.startsWith("(")) complexGroups.push(false);
  }
  return degree;
}
