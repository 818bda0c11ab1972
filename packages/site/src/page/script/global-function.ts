import {
  evaluationError,
  spendText,
  toText,
  type EvaluationContext,
} from "./evaluation-context.ts";
import type { NativeContext } from "./react.ts";
import {
  isCallable,
  isForbiddenKey,
  isJsxValue,
  isList,
  isRecord,
  toPropValue,
  type Value,
  type ValueRecord,
} from "./value.ts";
import { spendOnValue } from "./value-nodes.ts";

type GlobalFunction = (args: readonly Value[], context: NativeContext) => Value;

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
  parseInt: ([value, base]) =>
    Number.parseInt(toText(value), base === undefined ? 10 : numberOf(base)),
  parseFloat: ([value]) => Number.parseFloat(toText(value)),
  isNaN: ([value]) => Number.isNaN(numberOf(value)),
  "Number.parseInt": ([value, base]) =>
    Number.parseInt(toText(value), base === undefined ? 10 : numberOf(base)),
  "Number.parseFloat": ([value]) => Number.parseFloat(toText(value)),
  "Number.isNaN": ([value]) => Number.isNaN(value),
  "Number.isInteger": ([value]) => Number.isInteger(value),
  "Number.isFinite": ([value]) => Number.isFinite(value),
  "JSON.stringify": ([value, , indent], context) => {
    if (!spendOnValue(value, context.budget)) throw evaluationError("It is nested too deeply.");
    const space = typeof indent === "string" || typeof indent === "number" ? indent : undefined;
    return spendText(JSON.stringify(toPropValue(value), undefined, space) ?? "undefined", context);
  },
  "Array.from": ([source, map], context) => {
    const items = itemsFrom(source, context);
    return isCallable(map) ? items.map((item, index) => context.call(map, [item, index])) : items;
  },
  "Object.fromEntries": ([entries], context) => {
    const pairs = itemsFrom(entries, context).filter(isList);
    const safe = pairs.map(([key, value]) => [toText(key), value] as const);
    return Object.fromEntries(safe.filter(([key]) => !isForbiddenKey(key)));
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

/** The items of a list, the characters of a text, or as many as `length` says. */
function itemsFrom(source: Value, context: EvaluationContext): readonly Value[] {
  const length = isRecord(source) ? numberOf(source["length"]) : 0;
  const count = Number.isFinite(length) ? Math.max(0, Math.trunc(length)) : 0;
  context.budget.spendNodes(isList(source) || typeof source === "string" ? source.length : count);
  if (isList(source)) return [...source];
  return typeof source === "string" ? Array.from(source) : Array.from({ length: count });
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
