import { cannot, toText, type Circumstances } from "./circumstances.ts";
import { isJsxValue, isList, isRecord, type Value, type ValueRecord } from "./value.ts";

type GlobalFunction = (args: readonly Value[], at: Circumstances) => Value;

/** The few functions of JavaScript that pages call and that give the same on every machine. */
const functions: Readonly<Record<string, GlobalFunction>> = {
  String: ([value]) => toText(value),
  Number: ([value]) => numberOf(value),
  Boolean: ([value]) => Boolean(value),
  encodeURIComponent: ([value], at) => {
    const text = toText(value).toWellFormed();
    at.budget.characters(text.length * 3);
    return encodeURIComponent(text);
  },
  "Array.isArray": ([value]) => isList(value),
  "Object.keys": ([value], at) => Object.keys(recordOf(value, at)),
  "Object.values": ([value], at) => Object.values(recordOf(value, at)),
  "Object.entries": ([value], at) => Object.entries(recordOf(value, at)),
  "Math.max": (args) => args.reduce<number>((max, arg) => Math.max(max, numberOf(arg)), -Infinity),
  "Math.min": (args) => args.reduce<number>((min, arg) => Math.min(min, numberOf(arg)), Infinity),
  "Math.round": ([value]) => Math.round(numberOf(value)),
  "Math.floor": ([value]) => Math.floor(numberOf(value)),
  "Math.ceil": ([value]) => Math.ceil(numberOf(value)),
  "Math.abs": ([value]) => Math.abs(numberOf(value)),
};

/** The function of JavaScript that `name` stands for (`String`, `Object.keys`); undefined for all others. */
export function globalFunction(name: string): GlobalFunction | undefined {
  return Object.hasOwn(functions, name) ? functions[name] : undefined;
}

function recordOf(value: Value, at: Circumstances): ValueRecord {
  if (!isRecord(value) || isJsxValue(value)) throw cannot("Only a record has keys and values.");
  at.budget.nodes(Object.keys(value).length);
  return value;
}

function numberOf(value: Value): number {
  if (typeof value === "object" || typeof value === "undefined") return Number.NaN;
  return Number(value);
}
