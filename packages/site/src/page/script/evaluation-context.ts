import { isOctavoError, OctavoError } from "../../core/index.ts";
import type { FilePosition, TreeNode } from "../tree.ts";
import type { ExpansionBudget } from "../budget.ts";
import type { JsxElement } from "./script.ts";
import type { SourceFile } from "../source-file.ts";
import { SearchParamsValue, UrlValue, type LexicalScope, type Value } from "./value.ts";

/** The names and limits for evaluating an expression. */
export interface EvaluationContext {
  readonly scope: LexicalScope;
  /** The file that contains the expression. */
  readonly file: SourceFile;
  /** The position at which the author used the expression. The nodes that it produces get this position. */
  readonly position: FilePosition;
  /** Whether the result is on its own lines, not inside a line of text. */
  readonly isFlow: boolean;
  readonly budget: ExpansionBudget;
  /** The text from which the expression was parsed; undefined for a file's own statements. */
  readonly script?: string | undefined;
  /** The state of the first render; set only within a component that runs in the browser. */
  readonly live?: LiveRender;
  /** Returns the nodes that an element inside the expression expands to. */
  readonly renderElement: (element: JsxElement, context: EvaluationContext) => TreeNode[];
}

/** The first render of a component that runs in the browser. It omits content that it cannot show. */
export interface LiveRender {
  /** The values of the providers around the current element, by context, innermost last. */
  readonly providedValues: Map<Value, Value[]>;
  /** The reasons for omitting content. Only the first reason is reported. */
  readonly omissionReasons: string[];
  /** The slots that were removed from built-in components, which keep their initial content. */
  readonly removedSlots: Set<TreeNode>;
  /** The number of assigned ids. */
  idCount: number;
}

/** Returns the result of `work`, or `fallback` if `work` fails within a component that runs in the browser. */
export function tryEvaluation<Result>(
  { live }: EvaluationContext,
  fallback: Result,
  work: () => Result,
): Result {
  if (live === undefined) return work();
  try {
    return work();
  } catch (error) {
    const reason = findEvaluationErrorReason(error);
    if (reason === undefined) throw error;
    if (live.omissionReasons.length === 0) live.omissionReasons.push(reason);
    return fallback;
  }
}

/**
 * Creates an error for an expression that has no value. `reason` is a sentence for the author. `name` is the undefined
 * name, if that is the cause.
 */
export function createEvaluationError(reason: string, name?: string): OctavoError {
  return new OctavoError("invalid_input", reason, name === undefined ? {} : { details: { name } });
}

/**
 * Returns the reason, for the author, if `error` means that an expression cannot be evaluated. This includes the
 * `RangeError` that ends infinite recursion in a script. Returns undefined for any other error.
 */
export function findEvaluationErrorReason(error: unknown): string | undefined {
  if (isOctavoError(error, "invalid_input")) return error.message;
  return error instanceof RangeError
    ? "The expression is nested too deeply or a function calls itself endlessly."
    : undefined;
}

/** Converts a value to text, as a template literal does. Throws `invalid_input` for lists, objects and functions. */
export function toText(value: Value): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (value === undefined || value === null) return String(value);
  throw createEvaluationError("Only strings, numbers and booleans can become text.");
}

/** Works like `toText`, but also converts URLs and their parameters, and charges the text. */
export function toChargedText(value: Value, context: Pick<EvaluationContext, "budget">): string {
  if (value instanceof UrlValue) return chargeText(value.url.href, context);
  if (value instanceof SearchParamsValue) return chargeText(value.params.toString(), context);
  return chargeText(toText(value), context);
}

/**
 * Matches characters that only escape sequences in a script can produce: lone surrogates, NUL, and the noncharacters
 * that serve as marks.
 */
const unshowableCharacters = /[\0\p{Surrogate}\uFDD0-\uFDEF]/gu;

/** Replaces characters that cannot be shown as text. */
export function cleanText(text: string): string {
  return text.replaceAll(unshowableCharacters, "\uFFFD");
}

/** Returns `text`. Throws `invalid_input` if it contains characters that cannot be shown as text. */
export function requireShowableText(text: string): string {
  if (text.search(unshowableCharacters) !== -1)
    throw createEvaluationError("It has characters that cannot be shown.");
  return text;
}

/** Charges the length of text that an expression produced. */
export function chargeText(text: string, context: Pick<EvaluationContext, "budget">): string {
  context.budget.spendCharacters(text.length);
  return text;
}
