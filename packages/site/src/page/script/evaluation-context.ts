import { isOctavoError, OctavoError } from "../../core/index.ts";
import type { FilePosition, TreeNode } from "../tree.ts";
import type { ExpansionBudget } from "../budget.ts";
import type { JsxElement } from "./jsx-syntax.ts";
import type { SourceFile } from "../source-file.ts";
import type { LexicalScope, Value } from "./value.ts";

/** The names and limits that an expression is evaluated with. */
export interface EvaluationContext {
  readonly scope: LexicalScope;
  /** The file that contains the expression. */
  readonly file: SourceFile;
  /** The position at which the author used the expression; the nodes that it produces get this position. */
  readonly place: FilePosition;
  /** Whether the result is on its own lines, not inside a line of text. */
  readonly isFlow: boolean;
  readonly budget: ExpansionBudget;
  /** The text that the expression was parsed from; undefined for a file's own statements. */
  readonly script?: string | undefined;
  /** Set during the first render of a component that runs in the browser. */
  readonly live?: LiveRender;
  /** Returns the nodes that an element inside the expression expands to. */
  readonly renderElement: (element: JsxElement, context: EvaluationContext) => TreeNode[];
}

/** The first render of a component that runs in the browser; it omits content that it cannot show. */
export interface LiveRender {
  /** Values from providers around the current element, innermost last. */
  readonly provided: Map<Value, Value[]>;
  /** The reasons for omitting content; the first reason is reported. */
  readonly omitted: string[];
  /** Content that is part of a component of the format, which keeps it as it first was. */
  readonly kept: Set<TreeNode>;
  /** The number of assigned ids. */
  ids: number;
}

/** Returns the result of `work`, or `otherwise` if a component that runs in the browser cannot evaluate it. */
export function tryEvaluation<Result>(
  { live }: EvaluationContext,
  otherwise: Result,
  work: () => Result,
): Result {
  if (live === undefined) return work();
  try {
    return work();
  } catch (error) {
    const reason = findEvaluationErrorReason(error);
    if (reason === undefined) throw error;
    if (live.omitted.length === 0) live.omitted.push(reason);
    return otherwise;
  }
}

/**
 * Creates an error for an expression without a value; `reason` is a sentence for its author, `name` the undefined name
 * if that is the cause.
 */
export function createEvaluationError(reason: string, name?: string): OctavoError {
  return new OctavoError("invalid_input", reason, name === undefined ? {} : { details: { name } });
}

/**
 * Returns the reason, for the author, if `error` means that an expression cannot be evaluated; undefined for any other
 * error. Endless recursion in a script ends as a `RangeError`, which counts as such a reason.
 */
export function findEvaluationErrorReason(error: unknown): string | undefined {
  if (isOctavoError(error, "invalid_input")) return error.message;
  return error instanceof RangeError
    ? "The expression is nested too deeply or a function calls itself endlessly."
    : undefined;
}

/** Converts a value to part of a string. Throws `invalid_input` for lists, objects and functions. */
export function toText(value: Value): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (value === undefined || value === null) return String(value);
  throw createEvaluationError("Only strings, numbers and booleans can become text.");
}

/** Characters that only an escape in a script can produce, not text: half a character, NUL, the parser's marks. */
const noText = /[\0\p{Surrogate}\uFDD0-\uFDEF]/gu;

/** Replaces characters that cannot be text. */
export function cleanText(text: string): string {
  return text.replaceAll(noText, "\uFFFD");
}

/** Returns the text. Throws `invalid_input` if it has characters that cannot be text. */
export function refuseMarks(text: string): string {
  if (text.search(noText) !== -1)
    throw createEvaluationError("The text contains characters that cannot be shown.");
  return text;
}

/** Charges a text that an expression produced. */
export function chargeText(text: string, context: EvaluationContext): string {
  context.budget.spendCharacters(text.length);
  return text;
}
