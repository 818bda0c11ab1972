import { evaluationError, toText, type EvaluationContext } from "./evaluation-context.ts";
import { isJsxValue, isList, isRecord, type Value, type ValueRecord } from "./value.ts";

type GlobalFunction = (args: readonly Value[], context: EvaluationContext) => Value;

/** The few JavaScript functions that pages call and that return the same on every machine. */
const functions: Readonly<Record<string, GlobalFunction>> = {
  String: ([value]) => toText(value),
  Number: ([value]) => numberOf(value),
  Boolean: ([value]) => Boolean(value),
  encodeURIComponent: ([value], context) => {
    const text = toText(value).toWellFormed();
    context.budget.spendCharacters(text.length * 3);
    return encodeURIComponent(text);
  },
  "Array.isArray": ([value]) => isList(value),
  "Object.keys": ([value], context) => Object.keys(recordOf(value, context)),
  "Object.values": ([value], context) => Object.values(recordOf(value, context)),
  "Object.entries": ([value], context) => Object.entries(recordOf(value, context)),
  "Math.max": (args) => args.reduce<number>((max, arg) => Math.max(max, numberOf(arg)), -Infinity),
  "Math.min": (args) => args.reduce<number>((min, arg) => Math.min(min, numberOf(arg)), Infinity),
  "Math.round": ([value]) => Math.round(numberOf(value)),
  "Math.floor": ([value]) => Math.floor(numberOf(value)),
  "Math.ceil": ([value]) => Math.ceil(numberOf(value)),
  "Math.abs": ([value]) => Math.abs(numberOf(value)),
};

/** The supported JavaScript function called `name` (`String`, `Object.keys`); undefined for all others. */
export function globalFunction(name: string): GlobalFunction | undefined {
  return Object.hasOwn(functions, name) ? functions[name] : undefined;
}

function recordOf(value: Value, context: EvaluationContext): ValueRecord {
  if (!isRecord(value) || isJsxValue(value))
    throw evaluationError("Only objects have keys and values.");
  context.budget.spendNodes(Object.keys(value).length);
  return value;
}

function numberOf(value: Value): number {
  if (typeof value === "object" || typeof value === "undefined") return Number.NaN;
  return Number(value);
}
