import {
  createEvaluationError,
  chargeText,
  toText,
  type EvaluationContext,
} from "./evaluation-context.ts";
import { isCallable, type Value } from "./value.ts";

/** Compares without conversions, except that `null` equals `undefined`. */
function isLooselyEqual(left: Value, right: Value): boolean {
  return left === right || (left ?? undefined) === (right ?? undefined);
}

const arithmetic: Readonly<Record<string, (left: number, right: number) => number | boolean>> = {
  "-": (left, right) => left - right,
  "*": (left, right) => left * right,
  "/": (left, right) => left / right,
  "%": (left, right) => left % right,
  "**": (left, right) => left ** right,
  "<": (left, right) => left < right,
  ">": (left, right) => left > right,
  "<=": (left, right) => left <= right,
  ">=": (left, right) => left >= right,
};

/** Returns the result of a unary operator. Throws `invalid_input` for an unsupported operator. */
export function applyUnary(operator: string, value: Value): Value {
  switch (operator) {
    case "!":
      return !value;
    case "-":
      return -toNumber(value);
    case "+":
      return toNumber(value);
    case "typeof":
      return isCallable(value) ? "function" : typeof value;
    case "void":
      return undefined;
    default:
      throw createEvaluationError(`A static page cannot evaluate the operator \`${operator}\`.`);
  }
}

/** Returns the result of a binary operator. Throws `invalid_input` for an unsupported operator. */
export function applyBinary(
  operator: string,
  left: Value,
  right: Value,
  context: EvaluationContext,
): Value {
  switch (operator) {
    case "+":
      if (typeof left === "number" && typeof right === "number") return left + right;
      return chargeText(toText(left) + toText(right), context);
    case "===":
      return left === right;
    case "==":
      return isLooselyEqual(left, right);
    case "!==":
      return left !== right;
    case "!=":
      return !isLooselyEqual(left, right);
    default: {
      const operation = Object.hasOwn(arithmetic, operator) ? arithmetic[operator] : undefined;
      if (operation) return operation(toNumber(left), toNumber(right));
      throw createEvaluationError(`A static page cannot evaluate the operator \`${operator}\`.`);
    }
  }
}

function toNumber(value: Value): number {
  if (typeof value === "number") return value;
  if (typeof value === "string" || typeof value === "boolean" || value === null) {
    return Number(value);
  }
  return Number.NaN;
}
