import {
  createEvaluationError,
  requireShowableText,
  toChargedText,
  toText,
  type EvaluationContext,
  chargeText,
} from "./evaluation-context.ts";
import { listItems } from "./iteration.ts";
import { toNumber } from "./operators.ts";
import type { NativeContext, Method } from "./react.ts";
import { createPattern } from "../text-pattern.ts";
import { cloneValue, readJson, toKey, writeJson } from "./structured-data.ts";
import {
  createDate,
  createFormatter,
  listLocales,
  parseTime,
  tryHost,
  type FormatterKind,
} from "./time-and-locale.ts";
import {
  isCallable,
  isJsxValue,
  isList,
  isRecord,
  MapValue,
  NativeFunction,
  SetValue,
  TextPattern,
  type Value,
  type ValueList,
  type ValueRecord,
  BytesValue,
  IteratorValue,
  PlatformObject,
  SearchParamsValue,
  UrlValue,
} from "./value.ts";

type GlobalFunction = (args: readonly Value[], context: NativeContext) => Value;

/** The functions of `Math` whose results depend only on their arguments. */
const mathFunctions = (
  "abs acos acosh asin asinh atan atan2 atanh cbrt ceil clz32 cos cosh exp expm1 floor fround hypot imul log log10 " +
  "log1p log2 max min pow round sign sin sinh sqrt tan tanh trunc"
).split(" ");

const variadicMathFunctions: ReadonlySet<string> = new Set(["hypot", "max", "min"]);

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

/** Calls a function of `Math` with `args` converted to numbers. */
function callMath(name: string, args: readonly Value[], { budget }: NativeContext): number {
  budget.spendNodes(args.length);
  const mathFunction: unknown = Reflect.get(Math, name);
  if (typeof mathFunction !== "function")
    throw createEvaluationError(`\`Math.${name}\` is not known.`);
  // A one-argument function that is used as a callback also receives an index and a list, which it ignores.
  const usedArgs = variadicMathFunctions.has(name) ? args : args.slice(0, mathFunction.length);
  return Number(Reflect.apply(mathFunction, undefined, usedArgs.map(toNumber)));
}

/** Creates a function that encodes or decodes its argument with an engine function. */
function createTextConverter(convert: (text: string) => string): GlobalFunction {
  return (args, context) => {
    if (args.length === 0) throw createEvaluationError("The function needs an argument.");
    const text = toChargedText(args[0], context);
    context.budget.spendCharacters(text.length * 9);
    return requireShowableText(tryHost(() => convert(text)));
  };
}

function createFormatterFunctions(names: string): Readonly<Record<string, GlobalFunction>> {
  const kinds = names.split(" ") as FormatterKind[];
  return Object.fromEntries(
    kinds.map((kind) => [`Intl.${kind}`, (args, context) => createFormatter(kind, args, context)]),
  );
}

/** The classes of `Intl` that can be called without `new`. */
const callableFormatters = createFormatterFunctions("NumberFormat DateTimeFormat Collator");

/** The JavaScript functions that return the same result on every machine. They can be called or used as values. */
const functions: Readonly<Record<string, GlobalFunction>> = {
  String: (args, context) => (args.length === 0 ? "" : toChargedText(args[0], context)),
  Number: (args) => (args.length === 0 ? 0 : toNumber(args[0])),
  Boolean: ([value]) => Boolean(value),
  Array: (args, context) => createList(args, context),
  encodeURIComponent: createTextConverter(encodeURIComponent),
  encodeURI: createTextConverter(encodeURI),
  decodeURIComponent: createTextConverter(decodeURIComponent),
  decodeURI: createTextConverter(decodeURI),
  btoa: createTextConverter(btoa),
  atob: createTextConverter(atob),
  escape: createTextConverter(escape),
  unescape: createTextConverter(unescape),
  "URL.canParse": canParseUrl,
  RegExp: (args, context) =>
    args[0] instanceof TextPattern && args[1] === undefined ? args[0] : createRegExp(args, context),
  "Uint8Array.of": createBytesOf,
  "Uint8Array.from": ([source, map], context) =>
    createBytesOf(mapItems(toItems(source, context), map, context), context),
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
  "JSON.parse": readJson,
  structuredClone: cloneValue,
  "Array.from": ([source, map], context) => mapItems(toItems(source, context), map, context),
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
  "Object.groupBy": ([items, callback], context) => {
    const record: Record<string, Value[]> = {};
    for (const [key, item] of listKeyedItems(items, callback, context)) {
      const name = toKey(key);
      if (Object.hasOwn(record, name)) record[name]?.push(item);
      else record[name] = [item];
    }
    return record;
  },
  "Map.groupBy": ([items, callback], context) => {
    const groups = new MapValue([]);
    const lists = new Map<Value, Value[]>();
    for (const [key, item] of listKeyedItems(items, callback, context)) {
      const list = lists.get(key) ?? [];
      list.push(item);
      lists.set(key, list);
      groups.entries.set(key, list);
    }
    return groups;
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
  "Intl.getCanonicalLocales": ([value]) => listLocales(value),
  ...callableFormatters,
  ...Object.fromEntries(
    mathFunctions.map((name): [string, GlobalFunction] => [
      `Math.${name}`,
      (args, context) => callMath(name, args, context),
    ]),
  ),
};

/** The functions that return the objects that `new` would create, by class name. */
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
  RegExp: createRegExp,
  URL: createUrl,
  URLSearchParams: createSearchParams,
  Uint8Array: createBytes,
  TextEncoder: createTextEncoder,
  TextDecoder: createTextDecoder,
  ...callableFormatters,
  ...createFormatterFunctions("PluralRules ListFormat RelativeTimeFormat DisplayNames"),
};

/** The functions that need their class as `this`, and therefore fail if they are called as values. */
const boundNames: ReadonlySet<string> = new Set(["Uint8Array.from", "Uint8Array.of"]);

const natives: ReadonlyMap<string, NativeFunction> = new Map(
  Object.keys(functions)
    .filter((name) => !boundNames.has(name))
    .map((name) => [name, new NativeFunction(name)]),
);

/** Finds the value of a global name (`Number`, `Math.PI`). Returns undefined if it is not the same for all readers. */
export function findGlobalValue(name: string): Value {
  return constants.has(name) ? constants.get(name) : natives.get(name);
}

/** Finds the JavaScript function `name` (`String`, `Object.keys`). Returns undefined if it is not supported. */
export function findGlobalFunction(name: string): GlobalFunction | undefined {
  return Object.hasOwn(functions, name) ? functions[name] : undefined;
}

/** Finds the function that replaces `new` for a global name. Returns undefined if it is not supported. */
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

/** The steps charged for `RegExp()`, because the engine must compile the pattern. */
const patternSteps = 50;

function createRegExp(
  [source, flags]: readonly Value[],
  { budget }: EvaluationContext,
): TextPattern {
  budget.spendSteps(patternSteps);
  const isPattern = source instanceof TextPattern;
  const inheritedFlags = isPattern ? source.expression.flags : "";
  const pattern = isPattern ? source.expression.source : toText(source === undefined ? "" : source);
  return createPattern(pattern || "(?:)", flags === undefined ? inheritedFlags : toText(flags));
}

function createBytesOf(items: readonly Value[], context: EvaluationContext): Value {
  return createBytes([items], context);
}

function mapItems(items: readonly Value[], map: Value, { call }: NativeContext): ValueList {
  if (map === undefined) return items;
  if (!isCallable(map)) throw createEvaluationError("This is not a function.");
  return items.map((item, index) => call(map, [item, index]));
}

/** Pairs each item with the key that the callback returns for it. */
function listKeyedItems(
  items: Value,
  callback: Value,
  context: NativeContext,
): readonly (readonly [key: Value, item: Value])[] {
  if (!isCallable(callback)) throw createEvaluationError("This is not a function.");
  return listItems(items, context).map((item, index) => [
    context.call(callback, [item, index]),
    item,
  ]);
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

/**
 * The functions that create URLs and bytes. Their results, like the results of the functions above, depend only on
 * their arguments.
 */

function createUrl(args: readonly Value[], context: EvaluationContext): UrlValue {
  const [address, base] = readAddress(args, context);
  return new UrlValue(tryHost(() => new URL(address, base)));
}

function canParseUrl(args: readonly Value[], context: EvaluationContext): boolean {
  const [address, base] = readAddress(args, context);
  return URL.canParse(address, base);
}

function readAddress(
  args: readonly Value[],
  context: EvaluationContext,
): readonly [string, string | undefined] {
  requireArguments(args, 1);
  const [address, base] = args;
  return [
    toEncodableText(address, context),
    base === undefined ? undefined : toEncodableText(base, context),
  ];
}

/** Throws `invalid_input` if a browser would refuse a call with so few arguments. */
function requireArguments({ length }: readonly Value[], count: number): void {
  if (length < count) throw createEvaluationError("The function needs more arguments.");
}

/**
 * Converts a value to text. Charges nine more characters per character, because URL encoding may need up to nine
 * (`%E2%82%AC`).
 */
function toEncodableText(value: Value, context: EvaluationContext): string {
  const text = toChargedText(value, context);
  context.budget.spendCharacters(text.length * 9);
  return text;
}

/** Charges the number and the text of all parameters. */
export function chargeSearchParams(
  { params }: SearchParamsValue,
  { budget }: EvaluationContext,
): void {
  budget.spendNodes(params.size);
  for (const [name, value] of params) budget.spendCharacters(name.length + value.length);
}

function createSearchParams(
  [source]: readonly Value[],
  context: EvaluationContext,
): SearchParamsValue {
  if (source === undefined) return new SearchParamsValue(new URLSearchParams());
  const isText = typeof source !== "object" || source === null;
  if (isText) return new SearchParamsValue(new URLSearchParams(toEncodableText(source, context)));
  const isPlain = isRecord(source) && !isJsxValue(source);
  const pairs = isPlain ? Object.entries(source) : listItems(source, context);
  context.budget.spendNodes(pairs.length);
  const params = pairs.map((pair): [string, string] => {
    if (!isList(pair) || pair.length !== 2)
      throw createEvaluationError("A URL parameter is not a pair of a name and a value.");
    return [toEncodableText(pair[0], context), toEncodableText(pair[1], context)];
  });
  return new SearchParamsValue(new URLSearchParams(params));
}

export const urlMethods: Readonly<Record<string, Method<UrlValue>>> = {
  toString: ({ url }: UrlValue, _args: readonly Value[], context: EvaluationContext) =>
    chargeText(url.href, context),
  toJSON: ({ url }, _args, context) => chargeText(url.href, context),
};

export const searchParamsMethods: Readonly<Record<string, Method<SearchParamsValue>>> = {
  toString: ({ params }: SearchParamsValue, _args: readonly Value[], context: EvaluationContext) =>
    chargeText(params.toString(), context),
  get: ({ params }, args) => {
    requireArguments(args, 1);
    const found = params.get(toText(args[0]));
    return found === null ? null : requireShowableText(found);
  },
  getAll: ({ params }, args, { budget }) => {
    requireArguments(args, 1);
    const found = params.getAll(toText(args[0]));
    budget.spendNodes(found.length);
    return found.map(requireShowableText);
  },
  has: ({ params }, args) => params.has(...readName(args)),
  append: ({ params }, args, context) => {
    params.append(...readPair(args, context));
    return undefined;
  },
  set: ({ params }, args, context) => {
    params.set(...readPair(args, context));
    return undefined;
  },
  delete: ({ params }, args) => {
    params.delete(...readName(args));
    return undefined;
  },
  sort: ({ params }) => {
    params.sort();
    return undefined;
  },
  forEach: (target, [callback], context) => {
    for (const pair of listItems(target, context)) {
      const [name, value] = isList(pair) ? pair : [];
      context.call(callback, [value, name, target]);
    }
    return undefined;
  },
  keys: ({ params }, _args, { budget }) => {
    budget.spendNodes(params.size);
    return new IteratorValue(Array.from(params.keys(), requireShowableText));
  },
  values: ({ params }, _args, { budget }) => {
    budget.spendNodes(params.size);
    return new IteratorValue(Array.from(params.values(), requireShowableText));
  },
  entries: (target, _args, context) => new IteratorValue(listItems(target, context)),
};

function readName(args: readonly Value[]): readonly [name: string, value: string | undefined] {
  requireArguments(args, 1);
  const [name, value] = args;
  return [toText(name), value === undefined ? undefined : toText(value)];
}

function readPair(
  args: readonly Value[],
  context: EvaluationContext,
): readonly [name: string, value: string] {
  requireArguments(args, 2);
  const [name, value] = args;
  context.budget.spendNodes(1);
  return [toEncodableText(name, context), toEncodableText(value, context)];
}

/** Creates bytes from a length, or from numbers. */
function createBytes([source]: readonly Value[], context: EvaluationContext): BytesValue {
  if (typeof source === "string")
    throw createEvaluationError("A byte array cannot be created from a string.");
  if (typeof source !== "number") {
    return new BytesValue(Uint8Array.from(listItems(source, context), toNumber));
  }
  context.budget.spendNodes(Number.isFinite(source) ? Math.abs(source) : 0);
  return new BytesValue(tryHost(() => new Uint8Array(source)));
}

function createTextEncoder(): PlatformObject {
  return new PlatformObject({
    encode: ([value], { budget }) => {
      const text = value === undefined ? "" : toText(value);
      budget.spendNodes(text.length * 3);
      return new BytesValue(new TextEncoder().encode(text));
    },
  });
}

/** Creates a decoder for UTF-8, which is the default encoding. */
function createTextDecoder(args: readonly Value[]): PlatformObject {
  const [label = "utf-8", options] = args;
  const isDefault = (label === "utf-8" || label === "utf8") && options === undefined;
  if (!isDefault) throw createEvaluationError("A static page can decode only UTF-8.");
  return new PlatformObject({
    decode: ([value, decodeOptions], context) => {
      if (!(value instanceof BytesValue) || decodeOptions !== undefined)
        throw createEvaluationError("A static page can decode only a complete byte array.");
      return requireShowableText(chargeText(new TextDecoder().decode(value.bytes), context));
    },
  });
}
