import {
  createEvaluationError,
  requireShowableText,
  toText,
  type EvaluationContext,
} from "./evaluation-context.ts";
import { listItems } from "./iteration.ts";
import { toNumber } from "./operators.ts";
import type { NativeContext } from "./react.ts";
import { createDate, createFormatter, parseTime, tryHost } from "./time-and-locale.ts";
import {
  isCallable,
  isForbiddenKey,
  isJsxValue,
  isList,
  isRecord,
  MapValue,
  NativeFunction,
  SetValue,
  toPropValue,
  type Value,
  type ValueList,
  type ValueRecord,
} from "./value.ts";
import { chargeValue } from "./value-nodes.ts";

type GlobalFunction = (args: readonly Value[], context: NativeContext) => Value;

/** The functions of `Math` whose results depend only on their arguments. */
const mathFunctions = (
  "abs acos acosh asin asinh atan atan2 atanh cbrt ceil clz32 cos cosh exp expm1 floor fround hypot imul log log10 " +
  "log1p log2 max min pow round sign sin sinh sqrt tan tanh trunc"
).split(" ");

const hasRest: ReadonlySet<string> = new Set(["hypot", "max", "min"]);

const constants: ReadonlyMap<string, Value> = new Map<string, Value>([
  ["NaN", NaN],
  ["Infinity", Infinity],
  ...(["E", "LN10", "LN2", "LOG10E", "LOG2E", "PI", "SQRT1_2", "SQRT2"] as const).map(
    (name): [string, Value] => [`Math.${name}`, Math[name]],
  ),
  ["Number.EPSILON", Number.EPSILON],
  ["Number.MAX_SAFE_INTEGER", Number.MAX_SAFE_INTEGER],
  ["Number.MAX_VALUE", Number.MAX_VALUE],
  ["Number.MIN_SAFE_INTEGER", Number.MIN_SAFE_INTEGER],
  ["Number.MIN_VALUE", Number.MIN_VALUE],
  ["Number.NEGATIVE_INFINITY", -Infinity],
  ["Number.POSITIVE_INFINITY", Infinity],
  ["Number.NaN", NaN],
]);

/** Calls a function of the engine with numbers. */
function callMath(name: string, args: readonly Value[], { budget }: NativeContext): number {
  budget.spendNodes(args.length);
  const run: unknown = Reflect.get(Math, name);
  if (typeof run !== "function") throw createEvaluationError(`\`Math.${name}\` is not known.`);
  // A function of one number that is used as a callback also receives an index and a list.
  const used = hasRest.has(name) ? args : args.slice(0, run.length);
  return Number(Reflect.apply(run, undefined, used.map(toNumber)));
}

/** Encodes or decodes text with a function of the engine. */
function convertText(convert: (text: string) => string): GlobalFunction {
  return (args, context) => {
    if (args.length === 0) throw createEvaluationError("The function needs an argument.");
    const text = toText(args[0]);
    context.budget.spendCharacters(text.length * 9);
    return requireShowableText(tryHost(() => convert(text)));
  };
}

/** The JavaScript functions that return the same result on every machine. They can be called or used as values. */
const functions: Readonly<Record<string, GlobalFunction>> = {
  String: (args) => (args.length === 0 ? "" : toText(args[0])),
  Number: (args) => (args.length === 0 ? 0 : toNumber(args[0])),
  Boolean: ([value]) => Boolean(value),
  Array: (args, context) => createList(args, context),
  encodeURIComponent: convertText(encodeURIComponent),
  encodeURI: convertText(encodeURI),
  decodeURIComponent: convertText(decodeURIComponent),
  decodeURI: convertText(decodeURI),
  btoa: convertText(btoa),
  atob: convertText(atob),
  parseInt: ([value, base]) => Number.parseInt(toText(value), toNumber(base)),
  parseFloat: ([value]) => Number.parseFloat(toText(value)),
  isNaN: ([value]) => Number.isNaN(toNumber(value)),
  isFinite: ([value]) => Number.isFinite(toNumber(value)),
  "Number.parseInt": ([value, base]) => Number.parseInt(toText(value), toNumber(base)),
  "Number.parseFloat": ([value]) => Number.parseFloat(toText(value)),
  "Number.isNaN": ([value]) => Number.isNaN(value),
  "Number.isInteger": ([value]) => Number.isInteger(value),
  "Number.isSafeInteger": ([value]) => Number.isSafeInteger(value),
  "Number.isFinite": ([value]) => Number.isFinite(value),
  "String.fromCharCode": (args, context) => {
    context.budget.spendNodes(args.length);
    return requireShowableText(String.fromCharCode(...args.map(toNumber)));
  },
  "String.fromCodePoint": (args, context) => {
    context.budget.spendNodes(args.length);
    return requireShowableText(tryHost(() => String.fromCodePoint(...args.map(toNumber))));
  },
  "JSON.stringify": writeJson,
  "JSON.parse": ([value, revive], context) => {
    const text = toText(value);
    context.budget.spendNodes(text.length);
    if (revive !== undefined)
      throw createEvaluationError(
        "A static page does not support the second argument of `JSON.parse`.",
      );
    const parsed: unknown = tryHost(() => JSON.parse(text));
    return toValue(parsed);
  },
  "Array.from": ([source, map], context) => {
    const items = toItems(source, context);
    if (map !== undefined && !isCallable(map))
      throw createEvaluationError("This is not a function.");
    return isCallable(map) ? items.map((item, index) => context.call(map, [item, index])) : items;
  },
  "Array.of": (args) => [...args],
  "Array.isArray": ([value]) => isList(value),
  "Object.fromEntries": ([entries], context) => {
    const record: Record<string, Value> = {};
    for (const pair of listItems(entries, context)) {
      if (!isList(pair)) throw createEvaluationError("An entry of an object is not a list.");
      record[toKey(pair[0])] = pair[1];
    }
    return record;
  },
  "Object.keys": ([value], context) => Object.keys(toObject(value, context)),
  "Object.values": ([value], context) => Object.values(toObject(value, context)),
  "Object.entries": ([value], context) => Object.entries(toObject(value, context)),
  "Object.assign": ([target, ...sources], context) => {
    const record = toRecord(target, context);
    if (Object.isFrozen(record)) throw createEvaluationError("This object cannot be changed.");
    for (const source of sources) {
      if (source === undefined || source === null) continue;
      Object.assign(record, toRecord(source, context));
    }
    return record;
  },
  "Object.freeze": ([value], context) => Object.freeze(toObject(value, context)),
  "Object.hasOwn": ([value, key], context) => Object.hasOwn(toObject(value, context), toKey(key)),
  "Object.is": ([left, right]) => Object.is(left, right),
  "Date.UTC": (args) => {
    const [year = NaN, ...rest] = args.map(toNumber);
    return Date.UTC(year, ...rest);
  },
  "Date.parse": ([value]) => parseTime(value),
  "Intl.NumberFormat": (args, context) => createFormatter("NumberFormat", args, context),
  "Intl.DateTimeFormat": (args, context) => createFormatter("DateTimeFormat", args, context),
  ...Object.fromEntries(
    mathFunctions.map((name): [string, GlobalFunction] => [
      `Math.${name}`,
      (args, context) => callMath(name, args, context),
    ]),
  ),
};

/** The functions that return what `new` would create, by class name. */
const constructors: Readonly<Record<string, GlobalFunction>> = {
  Array: createList,
  Date: createDate,
  Set: ([items], context) => new SetValue(readOptionalItems(items, context)),
  Map: ([items], context) => {
    const pairs = readOptionalItems(items, context).map((pair) => {
      if (!isList(pair)) throw createEvaluationError("An entry of a map is not a list.");
      return [pair[0], pair[1]] as const;
    });
    return new MapValue(pairs);
  },
  "Intl.NumberFormat": (args, context) => createFormatter("NumberFormat", args, context),
  "Intl.DateTimeFormat": (args, context) => createFormatter("DateTimeFormat", args, context),
};

const natives: ReadonlyMap<string, NativeFunction> = new Map(
  Object.keys(functions).map((name) => [name, new NativeFunction(name)]),
);

/** Finds the value of a global name (`Number`, `Math.PI`); undefined if it is not the same for all readers. */
export function findGlobalValue(name: string): Value {
  return constants.has(name) ? constants.get(name) : natives.get(name);
}

/** Finds the JavaScript function `name` (`String`, `Object.keys`); undefined if it is not supported. */
export function findGlobalFunction(name: string): GlobalFunction | undefined {
  return Object.hasOwn(functions, name) ? functions[name] : undefined;
}

/** Finds the function that replaces `new` for a global name; undefined if it is not supported. */
export function findConstructor(name: string): GlobalFunction | undefined {
  return Object.hasOwn(constructors, name) ? constructors[name] : undefined;
}

function createList(args: readonly Value[], { budget }: EvaluationContext): ValueList {
  const [length] = args;
  if (args.length !== 1 || typeof length !== "number") return [...args];
  budget.spendNodes(Number.isFinite(length) ? Math.abs(length) : 0);
  const list: Value[] = [];
  tryHost(() => (list.length = length));
  return list;
}

function readOptionalItems(value: Value, context: EvaluationContext): readonly Value[] {
  return value === undefined || value === null ? [] : listItems(value, context);
}

/** Returns the items of an iterable value, or of an object with a `length`. */
function toItems(source: Value, context: EvaluationContext): readonly Value[] {
  if (!isRecord(source)) return [...listItems(source, context)];
  const length = toNumber(source["length"]);
  const count = Number.isFinite(length) ? Math.max(0, Math.trunc(length)) : 0;
  context.budget.spendNodes(count);
  return Array.from({ length: count }, (_, index) =>
    Object.hasOwn(source, index) ? source[String(index)] : undefined,
  );
}

function toKey(value: Value): string {
  const key = toText(value);
  if (isForbiddenKey(key)) throw createEvaluationError(`\`${key}\` cannot be used in a page.`);
  return key;
}

function toRecord(value: Value, context: EvaluationContext): Record<string, Value> {
  if (!isRecord(value) || isJsxValue(value))
    throw createEvaluationError("Only objects have keys and values.");
  context.budget.spendNodes(Object.keys(value).length);
  return value;
}

function toObject(value: Value, context: EvaluationContext): ValueRecord | ValueList {
  if (!isList(value)) return toRecord(value, context);
  context.budget.spendNodes(value.length);
  return value;
}

function writeJson([value, replace, indent]: readonly Value[], context: NativeContext): Value {
  if (replace !== undefined && replace !== null)
    throw createEvaluationError(
      "A static page does not support the second argument of `JSON.stringify`.",
    );
  if (!chargeValue(value, context.budget)) throw createEvaluationError("It is nested too deeply.");
  const isIndent = indent === undefined || typeof indent === "string" || typeof indent === "number";
  if (!isIndent)
    throw createEvaluationError(
      "The indentation for `JSON.stringify` is neither a string nor a number.",
    );
  const space = indent ?? 0;
  chargeJson(value, context, typeof space === "string" ? space.length : space);
  return isCallable(value) ? undefined : JSON.stringify(toPropValue(value), undefined, space);
}

/** Charges the JSON text of a value. Throws `invalid_input` if the text is not known. */
function chargeJson(value: Value, context: NativeContext, indent: number): void {
  const width = Math.min(10, Math.max(0, indent)) * 20;
  const stack: Value[] = [value];
  while (stack.length > 0) {
    const item = stack.pop();
    // Each character can become six characters (`\u0000`).
    context.budget.spendCharacters(typeof item === "string" ? item.length * 6 : 10 + width);
    if (typeof item !== "object" || item === null || isCallable(item)) continue;
    const isPlain = isList(item) || (isRecord(item) && !isJsxValue(item));
    if (!isPlain || (isRecord(item) && "toJSON" in item))
      throw createEvaluationError("A static page cannot format this value as JSON.");
    if (isList(item)) {
      for (const inner of item) stack.push(inner);
    } else {
      for (const [key, inner] of Object.entries(item)) {
        context.budget.spendCharacters(key.length * 6);
        stack.push(inner);
      }
    }
  }
}

/** Converts a result of `JSON.parse`. */
function toValue(parsed: unknown): Value {
  if (typeof parsed === "string") return requireShowableText(parsed);
  if (typeof parsed === "number" || typeof parsed === "boolean" || parsed === null) return parsed;
  if (Array.isArray(parsed)) return parsed.map(toValue);
  if (typeof parsed !== "object") return undefined;
  return Object.fromEntries(
    Object.entries(parsed).map(([key, value]) => [toKey(requireShowableText(key)), toValue(value)]),
  );
}
