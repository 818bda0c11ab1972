import { isOctavoError, OctavoError } from "../core/index.ts";
import type { Place, TreeNode } from "./tree.ts";
import type { ExpansionBudget } from "./budget.ts";
import type { JsxElement } from "./jsx-syntax.ts";
import type { SourceFile } from "./source-file.ts";
import type { LexicalScope, Value } from "./value.ts";

/** Where an expression is worked out. */
export interface EvaluationContext {
  readonly scope: LexicalScope;
  /** The file that the expression stands in, which decides what its names mean. */
  readonly file: SourceFile;
  /** Where the author used it: what it makes is said to stand there. */
  readonly place: Place;
  /** Whether what it makes stands on lines of its own. */
  readonly isFlow: boolean;
  readonly budget: ExpansionBudget;
  /** The nodes that an element inside the expression stands for. */
  readonly renderElement: (element: JsxElement, context: EvaluationContext) => TreeNode[];
}

/** Why an expression has no value, as a sentence for its author; `name` where a name stands for nothing. */
export function evaluationError(reason: string, name?: string): OctavoError {
  return new OctavoError("invalid_input", reason, name === undefined ? {} : { details: { name } });
}

/**
 * Why `error` means that an expression has no value; undefined where it means something else. A script
 * that calls itself runs out of stack, and is no worse than one that names what is not there.
 */
export function evaluationErrorReason(error: unknown): string | undefined {
  if (isOctavoError(error, "invalid_input")) return error.message;
  return error instanceof RangeError ? "It nests too deep or calls itself without end." : undefined;
}

/** A value as it becomes part of a text. Throws `invalid_input` for lists, records and functions. */
export function toText(value: Value): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (value === undefined || value === null) return String(value);
  throw evaluationError("Only text and numbers can become part of a text.");
}
