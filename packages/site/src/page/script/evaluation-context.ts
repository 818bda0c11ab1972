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
  /** Where the author used the expression; the nodes that it produces get this place. */
  readonly place: FilePosition;
  /** Whether its result is on lines of its own, not inside a line of text. */
  readonly isFlow: boolean;
  readonly budget: ExpansionBudget;
  /** The text that the expression was parsed from; unknown for a file's own statements. */
  readonly script?: string | undefined;
  /** Set while a component that lives in the browser is rendered for the first time. */
  readonly live?: LiveRender;
  /** The nodes that an element inside the expression expands to. */
  readonly renderElement: (element: JsxElement, context: EvaluationContext) => TreeNode[];
}

/** The first render of a component that lives in the browser; what it cannot show is left out. */
export interface LiveRender {
  /** Values that providers around the current element give, innermost last. */
  readonly provided: Map<Value, Value[]>;
  /** Why something was left out; the first reason is reported. */
  readonly omitted: string[];
  /** How many ids were given. */
  ids: number;
}

/** The result of `work`; `otherwise` if it cannot be evaluated in a component that lives in the browser. */
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

/** An error for an expression without a value; `reason` is a sentence for its author, `name` the undefined name if that is the cause. */
export function createEvaluationError(reason: string, name?: string): OctavoError {
  return new OctavoError("invalid_input", reason, name === undefined ? {} : { details: { name } });
}

/**
 * The reason for the author if `error` means that an expression cannot be evaluated; undefined for any
 * other error. Endless recursion in a script ends as a `RangeError` and counts as such a reason.
 */
export function findEvaluationErrorReason(error: unknown): string | undefined {
  if (isOctavoError(error, "invalid_input")) return error.message;
  return error instanceof RangeError
    ? "It is nested too deeply or calls itself endlessly."
    : undefined;
}

/** A value as part of a string. Throws `invalid_input` for lists, objects and functions. */
export function toText(value: Value): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (value === undefined || value === null) return String(value);
  throw createEvaluationError("Only strings, numbers and booleans can become text.");
}

/** Charges a text that an expression produced. */
export function chargeText(text: string, context: EvaluationContext): string {
  context.budget.spendCharacters(text.length);
  return text;
}
