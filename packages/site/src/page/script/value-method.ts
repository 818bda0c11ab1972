import { compareCodeUnits } from "../../core/index.ts";
import { createEvaluationError, toText } from "./evaluation-context.ts";
import { appendAll } from "../raw-node.ts";
import { listItems } from "./iteration.ts";
import { toCount, toIndex, toNumber } from "./operators.ts";
import type { Method, NativeContext } from "./react.ts";
import { callDateMethod, formatNumber, tryHost } from "./time-and-locale.ts";
import { toKey } from "./structured-data.ts";
import { patternMethods, textMethods } from "./text-method.ts";
import { chargeSearchParams, searchParamsMethods, urlMethods } from "./global-function.ts";
import {
  BytesValue,
  DateValue,
  isCallable,
  isList,
  isRecord,
  IteratorValue,
  MapValue,
  PlatformObject,
  SearchParamsValue,
  SetValue,
  TextPattern,
  UrlValue,
  type Value,
  type ValueList,
} from "./value.ts";

const missingCallbackReason = "This method needs a function.";

/** The methods that require a function as their argument and fail without it, even if the list is empty. */
const callbackMethods = new Set(
  "map filter find findLast findIndex findLastIndex some every flatMap forEach reduce reduceRight".split(
    " ",
  ),
);

/** The list methods that take linear time. */
const listMethods: Readonly<Record<string, Method<ValueList>>> = {
  map: (list, [callback], context) =>
    list.map((item, index) => callEach(callback, [item, index, list], context)),
  filter: (list, [callback], context) =>
    list.filter((item, index) => Boolean(callEach(callback, [item, index, list], context))),
  find: (list, [test], context) =>
    list.find((item, index) => Boolean(callEach(test, [item, index, list], context))),
  some: (list, [test], context) =>
    list.some((item, index) => Boolean(callEach(test, [item, index, list], context))),
  findLast: (list, [test], context) =>
    list.findLast((item, index) => Boolean(callEach(test, [item, index, list], context))),
  findLastIndex: (list, [test], context) =>
    list.findLastIndex((item, index) => Boolean(callEach(test, [item, index, list], context))),
  forEach: (list, [callback], context) => {
    for (const [index, item] of list.entries()) {
      if (index in list) callEach(callback, [item, index, list], context);
    }
    return undefined;
  },
  findIndex: (list, [test], context) =>
    list.findIndex((item, index) => Boolean(callEach(test, [item, index, list], context))),
  sort: (list, [compare], context) => replaceItems(list, sortList(list, compare, context)),
  toSorted: (list, [compare], context) => sortList(list, compare, context),
  fill: (list, [value, start, end], context) => {
    context.budget.spendNodes(list.length);
    return replaceItems(list, [...list].fill(value, toIndex(start), toIndex(end)));
  },
  push: (list, items, context) => {
    context.budget.spendNodes(items.length);
    return requireChangeableList(list, context).push(...items);
  },
  every: (list, [test], context) =>
    list.every((item, index) => Boolean(callEach(test, [item, index, list], context))),
  flatMap: (list, [callback], context) => {
    const lists = list.map((item, index) => callEach(callback, [item, index, list], context));
    return flatten(lists, context);
  },
  flat: (list, [depth], context) => {
    let flat = list;
    for (
      let remainingDepth = depth === undefined ? 1 : toCount(depth);
      remainingDepth > 0;
      remainingDepth--
    ) {
      if (!flat.some(isList)) return flat === list ? [...list] : flat;
      flat = flatten(flat, context);
    }
    return flat === list ? [...list] : flat;
  },
  concat: (list, others, context) => flatten([list, ...others], context),
  reduce: (list, [callback, ...start], context) => {
    const isStartMissing = start.length === 0;
    if (list.length === 0 && isStartMissing)
      throw createEvaluationError("`reduce` of an empty list needs an initial value.");
    let sum = isStartMissing ? list[0] : start[0];
    for (const [index, item] of list.entries()) {
      const isItem = index in list && (index > 0 || !isStartMissing);
      if (isItem) sum = context.call(callback, [sum, item, index, list]);
    }
    return sum;
  },
  reduceRight: (list, [callback, ...start], context) => {
    const isStartMissing = start.length === 0;
    if (list.length === 0 && isStartMissing)
      throw createEvaluationError("`reduceRight` of an empty list needs an initial value.");
    let sum = isStartMissing ? list.at(-1) : start[0];
    for (let index = list.length - (isStartMissing ? 2 : 1); index >= 0; index--) {
      if (index in list) sum = context.call(callback, [sum, list[index], index, list]);
    }
    return sum;
  },
  toSpliced: (list, args, context) => {
    context.budget.spendNodes(list.length + args.length);
    const [start, count, ...items] = args;
    if (args.length === 0) return [...list];
    const from = toIndex(start) ?? 0;
    if (args.length === 1) return list.toSpliced(from);
    return list.toSpliced(from, toIndex(count) ?? 0, ...items);
  },
  copyWithin: (list, [target, start, end], context) => {
    context.budget.spendNodes(list.length);
    const movedItems = [...list].copyWithin(
      toIndex(target) ?? 0,
      toIndex(start) ?? 0,
      toIndex(end),
    );
    return replaceItems(list, movedItems);
  },
  pop: (list, _args, context) => requireChangeableList(list, context).pop(),
  shift: (list, _args, context) => {
    context.budget.spendNodes(list.length);
    return requireChangeableList(list, context).shift();
  },
  unshift: (list, items, context) => {
    context.budget.spendNodes(list.length + items.length);
    return requireChangeableList(list, context).unshift(...items);
  },
  splice: (list, args, context) => {
    context.budget.spendNodes(list.length + args.length);
    const [start, count, ...items] = args;
    const changed = requireChangeableList(list, context);
    if (args.length === 0) return [];
    const from = toIndex(start) ?? 0;
    if (args.length === 1) return changed.splice(from);
    return changed.splice(from, toIndex(count) ?? 0, ...items);
  },
  reverse: (list, _args, context) => {
    context.budget.spendNodes(list.length);
    return replaceItems(list, list.toReversed());
  },
  toReversed: (list, _args, context) => {
    context.budget.spendNodes(list.length);
    return list.toReversed();
  },
  with: (list, [index, value], context) => {
    context.budget.spendNodes(list.length);
    return tryHost(() => list.with(toIndex(index) ?? 0, value));
  },
  at: (list, [index]) => list.at(toIndex(index) ?? 0),
  indexOf: (list, [item, from], context) => {
    context.budget.spendNodes(list.length);
    return list.indexOf(item, toIndex(from));
  },
  lastIndexOf: (list, args, context) => {
    context.budget.spendNodes(list.length);
    const [item, from] = args;
    return args.length > 1 ? list.lastIndexOf(item, toIndex(from) ?? 0) : list.lastIndexOf(item);
  },
  join: (list, [separator], context) =>
    joinItems(list, separator === undefined ? "," : toText(separator), context),
  toString: (list: ValueList, _args: readonly Value[], context: NativeContext) =>
    joinItems(list, ",", context),
  slice: (list, [start, end], context) => {
    context.budget.spendNodes(list.length);
    return list.slice(toIndex(start), toIndex(end));
  },
  includes: (list, [item, from], context) => {
    context.budget.spendNodes(list.length);
    return list.includes(item, toIndex(from));
  },
  keys: (list, _args, context) => {
    context.budget.spendNodes(list.length);
    return new IteratorValue([...list.keys()]);
  },
  values: (list, _args, context) => new IteratorValue(listItems(list, context)),
  entries: (list, _args, context) => {
    context.budget.spendNodes(2 * list.length);
    return new IteratorValue([...list.entries()]);
  },
};

function joinItems(list: ValueList, separator: string, context: NativeContext): string {
  const texts = Array.from(list, toOptionalText);
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  context.budget.spendCharacters(length + separator.length * list.length);
  return texts.join(separator);
}

/** Returns the list for a method that changes it. Only components that run in the browser may change lists. */
function requireChangeableList(list: ValueList, { live }: NativeContext): Value[] {
  if (live === undefined) throw createEvaluationError("A static page cannot change values.");
  if (Object.isFrozen(list)) throw createEvaluationError("This list cannot be changed.");
  return list as Value[];
}

const numberMethods: ReadonlyMap<string, Method<number>> = new Map<string, Method<number>>([
  [
    "toString",
    (number, [base]) => tryHost(() => number.toString(base === undefined ? 10 : toNumber(base))),
  ],
  ["valueOf", (number) => number],
  ["toLocaleString", (number, args, context) => formatNumber(number, args, context)],
  ["toFixed", (number, [digits]) => tryHost(() => number.toFixed(toIndex(digits)))],
  ["toPrecision", (number, [digits]) => tryHost(() => number.toPrecision(toIndex(digits)))],
  ["toExponential", (number, [digits]) => tryHost(() => number.toExponential(toIndex(digits)))],
]);

const setMethods: Readonly<Record<string, Method<SetValue>>> = {
  has: ({ items }, [item]) => items.has(item),
  add: (set, [item], context) => {
    context.budget.spendNodes(1);
    set.items.add(item);
    return set;
  },
  delete: ({ items }, [item]) => items.delete(item),
  clear: ({ items }) => {
    items.clear();
    return undefined;
  },
  forEach: (set, [callback], context) => {
    for (const item of listItems(set, context)) callEach(callback, [item, item, set], context);
    return undefined;
  },
  keys: (set, _args, context) => new IteratorValue(listItems(set, context)),
  values: (set, _args, context) => new IteratorValue(listItems(set, context)),
  entries: (set, _args, context) =>
    new IteratorValue(listItems(set, context).map((item) => [item, item])),
};

const mapMethods: Readonly<Record<string, Method<MapValue>>> = {
  has: ({ entries }, [key]) => entries.has(key),
  get: ({ entries }, [key]) => entries.get(key),
  set: (map, [key, value], context) => {
    context.budget.spendNodes(1);
    map.entries.set(key, value);
    return map;
  },
  delete: ({ entries }, [key]) => entries.delete(key),
  clear: ({ entries }) => {
    entries.clear();
    return undefined;
  },
  forEach: (map, [callback], context) => {
    for (const pair of listItems(map, context)) {
      const [key, value] = isList(pair) ? pair : [];
      callEach(callback, [value, key, map], context);
    }
    return undefined;
  },
  keys: ({ entries }, _args, context) => {
    context.budget.spendNodes(entries.size);
    return new IteratorValue([...entries.keys()]);
  },
  values: ({ entries }, _args, context) => {
    context.budget.spendNodes(entries.size);
    return new IteratorValue([...entries.values()]);
  },
  entries: (map, _args, context) => new IteratorValue(listItems(map, context)),
};

const byteMethods: ReadonlySet<string> = new Set(
  "at join indexOf lastIndexOf includes keys values entries".split(" "),
);

/** The methods that every object inherits and that a page can call. An object's own property takes precedence. */
export const objectMethods: ReadonlySet<string> = new Set([
  "hasOwnProperty",
  "propertyIsEnumerable",
]);

/**
 * Calls a method of a list, string, number, set, map or date. Throws `invalid_input` if the method is not supported.
 */
export function callMethod(
  target: Value,
  name: string,
  args: readonly Value[],
  context: NativeContext,
): Value {
  const isCallbackMissing = callbackMethods.has(name) && !isCallable(args[0]);
  if (isCallbackMissing) throw createEvaluationError(missingCallbackReason);
  if (typeof target === "string") {
    context.budget.spendCharacters(target.length);
    return findMethod(textMethods, name)(target, args, context);
  }
  if (isList(target)) return findMethod(listMethods, name)(target, args, context);
  if (target instanceof SetValue) return findMethod(setMethods, name)(target, args, context);
  if (target instanceof MapValue) return findMethod(mapMethods, name)(target, args, context);
  if (target instanceof DateValue) return callDateMethod(target, name, args, context);
  if (typeof target === "number") {
    const method = numberMethods.get(name);
    if (method) return method(target, args, context);
  }
  return callRareMethod(target, name, { args, context });
}

interface MethodCall {
  readonly args: readonly Value[];
  readonly context: NativeContext;
}

function callRareMethod(target: Value, name: string, { args, context }: MethodCall): Value {
  if (target instanceof TextPattern) return findMethod(patternMethods, name)(target, args, context);
  if (target instanceof PlatformObject) return findMethod(target.methods, name)(args, context);
  if (target instanceof UrlValue) return findMethod(urlMethods, name)(target, args, context);
  if (target instanceof SearchParamsValue) {
    chargeSearchParams(target, context);
    return findMethod(searchParamsMethods, name)(target, args, context);
  }
  if (target instanceof IteratorValue && name === "next") return target.next();
  if (target instanceof BytesValue && byteMethods.has(name))
    return findMethod(listMethods, name)(listItems(target, context), args, context);
  if (typeof target === "boolean") {
    if (name === "toString") return String(target);
    if (name === "valueOf") return target;
  }
  if (isRecord(target) && objectMethods.has(name)) return Object.hasOwn(target, toKey(args[0]));
  throw createMethodError(name);
}

function findMethod<Found>(methods: Readonly<Record<string, Found>>, name: string): Found {
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (!method) throw createMethodError(name);
  return method;
}

function createMethodError(name: string): Error {
  return createEvaluationError(`A static page cannot call \`${name}\`.`);
}

/** Replaces the items of a list, for methods that change the list. */
function replaceItems(list: ValueList, items: ValueList): ValueList {
  if (Object.isFrozen(list)) throw createEvaluationError("This list cannot be changed.");
  const changed = list as Value[];
  for (const [index, item] of items.entries()) changed[index] = item;
  return list;
}

/**
 * Sorts a list. Charges steps for the maximum number of comparisons. A function that the page defines also charges its
 * own steps.
 */
function sortList(list: ValueList, compare: Value, context: NativeContext): ValueList {
  context.budget.spendNodes(list.length);
  context.budget.spendSteps(Math.ceil(list.length * Math.log2(list.length + 1)));
  if (isCallable(compare)) {
    return list.toSorted((left, right) => toNumber(context.call(compare, [left, right])));
  }
  if (compare !== undefined) throw createEvaluationError(missingCallbackReason);
  return [...list]
    .map((item) => ({ item, text: item === undefined ? undefined : toText(item) }))
    .toSorted((a, b) => compareOptional(a.text, b.text))
    .map(({ item }) => item);
}

/** Compares strings. `undefined` comes last. */
function compareOptional(left: string | undefined, right: string | undefined): number {
  if (left === undefined || right === undefined)
    return Number(left === undefined) - Number(right === undefined);
  return compareCodeUnits(left, right);
}

/** Flattens `items` by one level and charges each resulting item. */
function flatten(items: ValueList, context: NativeContext): ValueList {
  const flat: Value[] = [];
  for (const item of items) {
    const parts = isList(item) ? item : [item];
    context.budget.spendNodes(parts.length);
    appendAll(flat, parts);
  }
  return flat;
}

function callEach(callback: Value, args: readonly Value[], context: NativeContext): Value {
  return context.call(callback, args);
}

function toOptionalText(item: Value): string {
  return item === undefined || item === null ? "" : toText(item);
}
