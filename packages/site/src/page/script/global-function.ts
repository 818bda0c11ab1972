import {
  createEvaluationError,
  refuseMarks,
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

/** Functions of `Math` whose results are the same for the same arguments. */
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
  if (typeof run !== "function") throw createEvaluationError(`\`Math.${name}\` is not supported.`);
  // As a callback, a function of one number receives an index and a list too.
  const used = hasRest.has(name) ? args : args.slice(0, run.length);
  return Number(Reflect.apply(run, undefined, used.map(toNumber)));
}

/** Encodes or decodes a text with a function of the engine. */
function convertText(convert: (text: string) => string): GlobalFunction {
  return (args, context) => {
    if (args.length === 0)
      throw createEvaluationError("The function is called without a text to convert.");
    const text = toText(args[0]);
    context.budget.spendCharacters(text.length * 9);
    return refuseMarks(tryHost(() => convert(text)));
  };
}

/** JavaScript's functions that return the same result on every machine; called, and as values. */
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
    return refuseMarks(String.fromCharCode(...args.map(toNumber)));
  },
  "String.fromCodePoint": (args, context) => {
    context.budget.spendNodes(args.length);
    return refuseMarks(tryHost(() => String.fromCodePoint(...args.map(toNumber))));
  },
  "JSON.stringify": writeJson,
  "JSON.parse": ([value, revive], context) => {
    const text = toText(value);
    context.budget.spendNodes(text.length);
    if (revive !== undefined)
      throw createEvaluationError("`JSON.parse` with a second argument is not supported.");
    const parsed: unknown = tryHost(() => JSON.parse(text));
    return toValue(parsed);
  },
  "Array.from": ([source, map], context) => {
    const items = itemsFrom(source, context);
    if (map !== undefined && !isCallable(map))
      throw createEvaluationError("The second argument of `Array.from` is not a function.");
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

/** Functions that create what `new` creates, by the name of the class. */
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

/** Finds the value of a global name (`Number`, `Math.PI`) that is the same for all readers; undefined for any other. */
export function findGlobalValue(name: string): Value {
  return constants.has(name) ? constants.get(name) : natives.get(name);
}

/** Finds the supported JavaScript function called `name` (`String`, `Object.keys`); undefined for any other. */
export function findGlobalFunction(name: string): GlobalFunction | undefined {
  return Object.hasOwn(functions, name) ? functions[name] : undefined;
}

/** Finds the function that does what `new` does with a global name; undefined for an unsupported one. */
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

/** Returns the items of what can be iterated over, or `length` items. */
function itemsFrom(source: Value, context: EvaluationContext): readonly Value[] {
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
    throw createEvaluationError("`JSON.stringify` with a second argument is not supported.");
  if (!chargeValue(value, context.budget))
    throw createEvaluationError("The value is nested too deeply.");
  const isIndent = indent === undefined || typeof indent === "string" || typeof indent === "number";
  if (!isIndent)
    throw createEvaluationError(
      "The indentation for `JSON.stringify` is neither a string nor a number.",
    );
  const space = indent ?? 0;
  refuseUnwritable(value, context, typeof space === "string" ? space.length : space);
  return isCallable(value) ? undefined : JSON.stringify(toPropValue(value), undefined, space);
}

/** Charges the text of a value. Throws `invalid_input` for values whose text is not known. */
function refuseUnwritable(value: Value, context: NativeContext, indent: number): void {
  const width = Math.min(10, Math.max(0, indent)) * 20;
  const stack: Value[] = [value];
  while (stack.length > 0) {
    const item = stack.pop();
    // Each character can become six, `\u0000`.
    context.budget.spendCharacters(typeof item === "string" ? item.length * 6 : 10 + width);
    if (typeof item !== "object" || item === null || isCallable(item)) continue;
    const isPlain = isList(item) || (isRecord(item) && !isJsxValue(item));
    if (!isPlain || (isRecord(item) && "toJSON" in item))
      throw createEvaluationError("A static page cannot convert this value to JSON.");
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

/** Converts what `JSON.parse` returned. */
function toValue(parsed: unknown): Value {
  if (typeof parsed === "string") return refuseMarks(parsed);
  if (typeof parsed === "number" || typeof parsed === "boolean" || parsed === null) return parsed;
  if (Array.isArray(parsed)) return parsed.map(toValue);
  if (typeof parsed !== "object") return undefined;
  return Object.fromEntries(
    Object.entries(parsed).map(([key, value]) => [toKey(refuseMarks(key)), toValue(value)]),
  );
}
