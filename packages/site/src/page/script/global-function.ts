import {
  createEvaluationError,
  chargeText,
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
import { chargeValue } from "./value-nodes.ts";

type GlobalFunction = (args: readonly Value[], context: NativeContext) => Value;

/** The few JavaScript functions that pages call and that return the same result on every machine. */
const functions: Readonly<Record<string, GlobalFunction>> = {
  String: ([value]) => toText(value),
  Number: ([value]) => toNumber(value),
  Boolean: ([value]) => Boolean(value),
  encodeURIComponent: ([value], context) => {
    const text = toText(value).toWellFormed();
    context.budget.spendCharacters(text.length * 3);
    return encodeURIComponent(text);
  },
  parseInt: ([value, base]) =>
    Number.parseInt(toText(value), base === undefined ? 10 : toNumber(base)),
  parseFloat: ([value]) => Number.parseFloat(toText(value)),
  isNaN: ([value]) => Number.isNaN(toNumber(value)),
  "Number.parseInt": ([value, base]) =>
    Number.parseInt(toText(value), base === undefined ? 10 : toNumber(base)),
  "Number.parseFloat": ([value]) => Number.parseFloat(toText(value)),
  "Number.isNaN": ([value]) => Number.isNaN(value),
  "Number.isInteger": ([value]) => Number.isInteger(value),
  "Number.isFinite": ([value]) => Number.isFinite(value),
  "JSON.stringify": ([value, , indent], context) => {
    if (!chargeValue(value, context.budget))
      throw createEvaluationError("It is nested too deeply.");
    const space = typeof indent === "string" || typeof indent === "number" ? indent : undefined;
    return chargeText(JSON.stringify(toPropValue(value), undefined, space) ?? "undefined", context);
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
  "Object.keys": ([value], context) => Object.keys(toRecord(value, context)),
  "Object.values": ([value], context) => Object.values(toRecord(value, context)),
  "Object.entries": ([value], context) => Object.entries(toRecord(value, context)),
  "Math.max": (args) => args.reduce<number>((max, arg) => Math.max(max, toNumber(arg)), -Infinity),
  "Math.min": (args) => args.reduce<number>((min, arg) => Math.min(min, toNumber(arg)), Infinity),
  "Math.round": ([value]) => Math.round(toNumber(value)),
  "Math.floor": ([value]) => Math.floor(toNumber(value)),
  "Math.ceil": ([value]) => Math.ceil(toNumber(value)),
  "Math.abs": ([value]) => Math.abs(toNumber(value)),
};

/** Finds the supported JavaScript function called `name` (`String`, `Object.keys`); undefined for any other. */
export function findGlobalFunction(name: string): GlobalFunction | undefined {
  return Object.hasOwn(functions, name) ? functions[name] : undefined;
}

/** Returns the items of a list, the characters of a text, or `length` items. */
function itemsFrom(source: Value, context: EvaluationContext): readonly Value[] {
  const length = isRecord(source) ? toNumber(source["length"]) : 0;
  const count = Number.isFinite(length) ? Math.max(0, Math.trunc(length)) : 0;
  context.budget.spendNodes(isList(source) || typeof source === "string" ? source.length : count);
  if (isList(source)) return [...source];
  return typeof source === "string" ? Array.from(source) : Array.from({ length: count });
}

function toRecord(value: Value, context: EvaluationContext): ValueRecord {
  if (!isRecord(value) || isJsxValue(value))
    throw createEvaluationError("Only objects have keys and values.");
  context.budget.spendNodes(Object.keys(value).length);
  return value;
}

function toNumber(value: Value): number {
  if (typeof value === "object" || typeof value === "undefined") return Number.NaN;
  return Number(value);
}
