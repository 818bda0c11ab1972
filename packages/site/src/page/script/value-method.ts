import { compareCodeUnits } from "../../core/index.ts";
import { createEvaluationError, chargeText, toText } from "./evaluation-context.ts";
import { appendAll } from "../raw-node.ts";
import { listItems } from "./iteration.ts";
import { toNumber } from "./operators.ts";
import type { NativeContext } from "./react.ts";
import { chargePattern } from "../text-pattern.ts";
import { callDateMethod, compareInLocale, formatNumber, tryHost } from "./time-and-locale.ts";
import {
  DateValue,
  FormatterValue,
  isCallable,
  isList,
  IteratorValue,
  MapValue,
  SetValue,
  TextPattern,
  type Value,
  type ValueList,
} from "./value.ts";

type Method<Target> = (target: Target, args: readonly Value[], context: NativeContext) => Value;

const missingCallbackReason = "This method needs a function.";

/** The methods that fail without a function, even if the list is empty. */
const callbackMethods = new Set(
  "map filter find findLast findIndex findLastIndex some every flatMap forEach reduce".split(" "),
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
    if (context.live === undefined)
      throw createEvaluationError("A static page cannot change values.");
    if (Object.isFrozen(list)) throw createEvaluationError("This list cannot be changed.");
    context.budget.spendNodes(items.length);
    return (list as Value[]).push(...items);
  },
  every: (list, [test], context) =>
    list.every((item, index) => Boolean(callEach(test, [item, index, list], context))),
  flatMap: (list, [callback], context) => {
    const lists = list.map((item, index) => callEach(callback, [item, index, list], context));
    return flatten(lists, context);
  },
  flat: (list, [depth], context) => {
    if (depth !== undefined && depth !== 1)
      throw createEvaluationError("A static page can flatten lists by only one level.");
    return flatten(list, context);
  },
  concat: (list, others, context) => flatten([list, ...others], context),
  reduce: (list, [callback, ...start], context) => {
    const isWithout = start.length === 0;
    if (list.length === 0 && isWithout)
      throw createEvaluationError("`reduce` of an empty list needs an initial value.");
    let sum = isWithout ? list[0] : start[0];
    for (const [index, item] of list.entries()) {
      const isItem = index in list && (index > 0 || !isWithout);
      if (isItem) sum = context.call(callback, [sum, item, index, list]);
    }
    return sum;
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
  join: (list, [separator], context) => {
    const between = separator === undefined ? "," : toText(separator);
    const texts = Array.from(list, toOptionalText);
    const length = texts.reduce((sum, text) => sum + text.length, 0);
    context.budget.spendCharacters(length + between.length * list.length);
    return texts.join(between);
  },
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

const textMethods: Readonly<Record<string, Method<string>>> = {
  toUpperCase: (text) => text.toUpperCase(),
  toLowerCase: (text) => text.toLowerCase(),
  trim: (text) => text.trim(),
  slice: (text, [start, end]) => text.slice(toIndex(start), toIndex(end)),
  trimStart: (text) => text.trimStart(),
  trimEnd: (text) => text.trimEnd(),
  toString: (text: string) => text,
  valueOf: (text: string) => text,
  charAt: (text, [index]) => text.charAt(toIndex(index) ?? 0),
  at: (text, [index]) => text.at(toIndex(index) ?? 0),
  indexOf: (text, [part, from]) => text.indexOf(toText(part), toIndex(from)),
  replace: (text, [part, other], context) => {
    if (part instanceof TextPattern) return replacePattern(text, part, other, context);
    const wanted = toText(part);
    if (isCallable(other))
      return chargeText(text.replace(wanted, createReplacer(other, context)), context);
    const filling = toText(other);
    // Patterns such as `$&` repeat parts of the text.
    context.budget.spendCharacters((text.length + 1) * (filling.length + 1));
    return text.replace(wanted, filling);
  },
  replaceAll: (text, [part, other], context) => {
    if (part instanceof TextPattern) {
      if (!part.expression.global)
        throw createEvaluationError("`replaceAll` needs a pattern with the flag `g`.");
      return replacePattern(text, part, other, context);
    }
    const wanted = toText(part);
    if (isCallable(other))
      return chargeText(text.replaceAll(wanted, createReplacer(other, context)), context);
    const filling = toText(other);
    const count = text.split(wanted).length + 1;
    context.budget.spendNodes(count);
    const repeated = filling.includes("$") ? text.length : 0;
    context.budget.spendCharacters((filling.length + 1) * count * (repeated + 1));
    return text.replaceAll(wanted, filling);
  },
  padStart: (text, [length, filling], context) => {
    const wanted = toCount(length);
    context.budget.spendCharacters(wanted);
    return text.padStart(wanted, filling === undefined ? " " : toText(filling));
  },
  repeat: (text, [count], context) => {
    if (toNumber(count) <= -1)
      throw createEvaluationError("A string cannot be repeated a negative number of times.");
    const times = toCount(count);
    context.budget.spendCharacters(text.length * times);
    return text.repeat(times);
  },
  startsWith: (text, [start, from]) => text.startsWith(toText(start), toIndex(from)),
  endsWith: (text, [end, to]) => text.endsWith(toText(end), toIndex(to)),
  includes: (text, [part, from]) => text.includes(toText(part), toIndex(from)),
  padEnd: (text, [length, filling], context) => {
    const wanted = toCount(length);
    context.budget.spendCharacters(wanted);
    return text.padEnd(wanted, filling === undefined ? " " : toText(filling));
  },
  substring: (text, [start, end]) => text.substring(toIndex(start) ?? 0, toIndex(end)),
  concat: (text, others, context) => chargeText(text + others.map(toText).join(""), context),
  charCodeAt: (text, [index]) => text.charCodeAt(toIndex(index) ?? 0),
  codePointAt: (text, [index]) => text.codePointAt(toIndex(index) ?? 0),
  lastIndexOf: (text, args) => {
    const [part, from] = args;
    return text.lastIndexOf(toText(part), from === undefined ? undefined : toIndex(from));
  },
  localeCompare: (text, args, context) => compareInLocale(text, args, context),
  normalize: (text, [form], context) => {
    context.budget.spendCharacters(text.length * 18);
    return tryHost(() => text.normalize(form === undefined ? undefined : toText(form)));
  },
  match: (text, [pattern], context) => {
    if (!(pattern instanceof TextPattern)) throw createEvaluationError("`match` needs a pattern.");
    chargePattern(pattern, text, context);
    const found = text.match(pattern.expression);
    context.budget.spendNodes(found?.length ?? 0);
    return found && [...found];
  },
  search: (text, [pattern], context) => {
    if (!(pattern instanceof TextPattern)) throw createEvaluationError("`search` needs a pattern.");
    chargePattern(pattern, text, context);
    return text.search(pattern.expression);
  },
  split: (text, [separator, limit], context) => {
    if (separator === undefined) return limit === 0 ? [] : [text];
    if (separator instanceof TextPattern) chargePattern(separator, text, context);
    const by = separator instanceof TextPattern ? separator.expression : toText(separator);
    const parts = text.split(by, limit === undefined ? undefined : toNumber(limit));
    context.budget.spendNodes(parts.length);
    return parts;
  },
};

/** Returns a function that replaces a match with the result of the function `other`. */
function createReplacer(
  other: Value,
  { call }: NativeContext,
): (...found: (string | number | undefined)[]) => string {
  return (...found) => {
    // The engine passes named groups as one of its own objects.
    const args = found.map((part) => {
      if (typeof part === "object")
        throw createEvaluationError("A static page cannot pass named groups to a function.");
      return part;
    });
    return toText(call(other, args));
  };
}

function replacePattern(
  text: string,
  pattern: TextPattern,
  other: Value,
  context: NativeContext,
): string {
  chargePattern(pattern, text, context);
  if (isCallable(other))
    return chargeText(text.replace(pattern.expression, createReplacer(other, context)), context);
  const filling = toText(other);
  // `$&` repeats the match, and a pattern may match between all characters.
  context.budget.spendCharacters((text.length + 1) * (filling.length + 1));
  return text.replace(pattern.expression, filling);
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

function testPattern(
  pattern: TextPattern,
  [value]: readonly Value[],
  context: NativeContext,
): boolean {
  const text = toText(value);
  const { global, sticky } = pattern.expression;
  if (global || sticky)
    throw createEvaluationError(
      "`test` depends on earlier calls if the pattern has the flag `g` or `y`.",
    );
  chargePattern(pattern, text, context);
  return text.search(pattern.expression) !== -1;
}

/** Calls a method of a list, string, number, set, map or date. Throws `invalid_input` if it is not supported. */
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
    return find(textMethods, name)(target, args, context);
  }
  if (isList(target)) return find(listMethods, name)(target, args, context);
  if (target instanceof SetValue) return find(setMethods, name)(target, args, context);
  if (target instanceof MapValue) return find(mapMethods, name)(target, args, context);
  if (target instanceof DateValue) return callDateMethod(target, name, args, context);
  if (typeof target === "number") {
    const method = numberMethods.get(name);
    if (method) return method(target, args, context);
  }
  if (target instanceof TextPattern && name === "test") return testPattern(target, args, context);
  if (target instanceof FormatterValue && name === "format")
    return chargeText(target.format(args[0]), context);
  throw createMethodError(name);
}

function find<Target>(
  methods: Readonly<Record<string, Method<Target>>>,
  name: string,
): Method<Target> {
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

/** Sorts a list. Charges at most one step per comparison. A function that the page defines charges its own steps. */
function sortList(list: ValueList, compare: Value, context: NativeContext): ValueList {
  context.budget.spendNodes(list.length);
  context.budget.spendStep(Math.ceil(list.length * Math.log2(list.length + 1)));
  if (isCallable(compare)) {
    return list.toSorted((left, right) => toNumber(context.call(compare, [left, right])));
  }
  if (compare !== undefined) throw createEvaluationError(missingCallbackReason);
  return [...list]
    .map((item) => ({ item, text: item === undefined ? undefined : toText(item) }))
    .toSorted((a, b) => compareOptional(a.text, b.text))
    .map(({ item }) => item);
}

/** Compares strings. Undefined comes last. */
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

/** Converts an optional index. */
function toIndex(value: Value): number | undefined {
  return value === undefined ? undefined : toNumber(value);
}

/** The maximum number of repetitions. A page cannot contain more repetitions of a string. */
const maxCount = 1e9;

function toCount(value: Value): number {
  const count = Math.trunc(toNumber(value));
  return count > 0 ? Math.min(count, maxCount) : 0;
}
