import { compareCodeUnits } from "../../core/index.ts";
import { createEvaluationError, chargeText, toText } from "./evaluation-context.ts";
import { appendAll } from "../raw-node.ts";
import type { NativeContext } from "./react.ts";
import { chargePattern } from "../text-pattern.ts";
import { isCallable, isList, TextPattern, type Value, type ValueList } from "./value.ts";

type Method<Target> = (target: Target, args: readonly Value[], context: NativeContext) => Value;

const noCallback = "The methods of a list need a function of the page.";

/** Methods of lists that take linear time. */
const listMethods: Readonly<Record<string, Method<ValueList>>> = {
  map: (list, [callback], context) =>
    list.map((item, index) => callEach(callback, item, index, context)),
  filter: (list, [callback], context) =>
    list.filter((item, index) => Boolean(callEach(callback, item, index, context))),
  find: (list, [test], context) =>
    list.find((item, index) => Boolean(callEach(test, item, index, context))),
  some: (list, [test], context) =>
    list.some((item, index) => Boolean(callEach(test, item, index, context))),
  forEach: (list, [callback], context) => {
    for (const [index, item] of list.entries()) callEach(callback, item, index, context);
    return undefined;
  },
  findIndex: (list, [test], context) =>
    list.findIndex((item, index) => Boolean(callEach(test, item, index, context))),
  sort: (list, [compare], context) => sorted(list, compare, context),
  toSorted: (list, [compare], context) => sorted(list, compare, context),
  fill: (list, [value], context) => {
    context.budget.spendNodes(list.length);
    return list.map(() => value);
  },
  push: (list, items, context) => {
    if (context.live === undefined)
      throw createEvaluationError("A static page cannot change values.");
    context.budget.spendNodes(items.length);
    return (list as Value[]).push(...items);
  },
  every: (list, [test], context) =>
    list.every((item, index) => Boolean(callEach(test, item, index, context))),
  flatMap: (list, [callback], context) => {
    const lists = list.map((item, index) => callEach(callback, item, index, context));
    return flatten(lists, context);
  },
  flat: (list, _args, context) => flatten(list, context),
  concat: (list, others, context) => flatten([list, ...others], context),
  reduce: (list, [callback, ...start], context) => {
    if (!isCallable(callback)) throw createEvaluationError(noCallback);
    if (list.length === 0 && start.length === 0)
      throw createEvaluationError("`reduce` of an empty list needs an initial value.");
    const items = start.length === 0 ? list.slice(1) : list;
    const first = start.length === 0 ? list[0] : start[0];
    return items.reduce<Value>(
      (sum, item, index) => context.call(callback, [sum, item, index]),
      first,
    );
  },
  reverse: (list, _args, context) => {
    context.budget.spendNodes(list.length);
    return list.toReversed();
  },
  at: (list, [index]) => list.at(asIndex(index) ?? 0),
  indexOf: (list, [item], context) => {
    context.budget.spendNodes(list.length);
    return list.indexOf(item);
  },
  join: (list, [separator], context) => {
    const between = separator === undefined ? "," : toText(separator);
    const length = list.reduce<number>((sum, item) => sum + toOptionalText(item).length, 0);
    context.budget.spendCharacters(length + between.length * list.length);
    return list.map(toOptionalText).join(between);
  },
  slice: (list, [start, end], context) => {
    context.budget.spendNodes(list.length);
    return list.slice(asIndex(start), asIndex(end));
  },
  includes: (list, [item], context) => {
    context.budget.spendNodes(list.length);
    return list.includes(item);
  },
};

const textMethods: Readonly<Record<string, Method<string>>> = {
  toUpperCase: (text) => text.toUpperCase(),
  toLowerCase: (text) => text.toLowerCase(),
  trim: (text) => text.trim(),
  slice: (text, [start, end]) => text.slice(asIndex(start), asIndex(end)),
  trimStart: (text) => text.trimStart(),
  trimEnd: (text) => text.trimEnd(),
  toString: (text: string) => text,
  charAt: (text, [index]) => text.charAt(asIndex(index) ?? 0),
  at: (text, [index]) => text.at(asIndex(index) ?? 0),
  indexOf: (text, [part]) => text.indexOf(toText(part)),
  replace: (text, [part, other], context) => {
    if (part instanceof TextPattern) return replacePattern(text, part, other, context);
    const filling = createReplacer(other, context)(toText(part));
    context.budget.spendCharacters(filling.length);
    return text.replace(toText(part), () => filling);
  },
  replaceAll: (text, [part, other], context) => {
    if (part instanceof TextPattern) return replacePattern(text, part, other, context);
    const parts = text.split(toText(part));
    const filling = toText(other);
    context.budget.spendNodes(parts.length);
    context.budget.spendCharacters(filling.length * parts.length);
    return parts.join(filling);
  },
  padStart: (text, [length, filling], context) => {
    const wanted = asCount(length);
    context.budget.spendCharacters(wanted);
    return text.padStart(wanted, filling === undefined ? " " : toText(filling));
  },
  repeat: (text, [count], context) => {
    const times = asCount(count);
    context.budget.spendCharacters(text.length * times);
    return text.repeat(times);
  },
  startsWith: (text, [start]) => text.startsWith(toText(start)),
  endsWith: (text, [end]) => text.endsWith(toText(end)),
  includes: (text, [part]) => text.includes(toText(part)),
  padEnd: (text, [length, filling], context) => {
    const wanted = asCount(length);
    context.budget.spendCharacters(wanted);
    return text.padEnd(wanted, filling === undefined ? " " : toText(filling));
  },
  substring: (text, [start, end]) => text.substring(asIndex(start) ?? 0, asIndex(end)),
  concat: (text, others, context) => chargeText(text + others.map(toText).join(""), context),
  charCodeAt: (text, [index]) => text.charCodeAt(asIndex(index) ?? 0),
  lastIndexOf: (text, [part]) => text.lastIndexOf(toText(part)),
  match: (text, [pattern], context) => {
    if (!(pattern instanceof TextPattern)) throw createEvaluationError("`match` needs a pattern.");
    chargePattern(pattern, text, context);
    const found = text.match(pattern.expression);
    context.budget.spendNodes(found?.length ?? 0);
    return found && [...found];
  },
  split: (text, [separator], context) => {
    if (separator instanceof TextPattern) {
      chargePattern(separator, text, context);
      const parts = text.split(separator.expression);
      context.budget.spendNodes(parts.length);
      return parts;
    }
    const parts = text.split(toText(separator));
    context.budget.spendNodes(parts.length);
    return parts;
  },
};

/** Returns the replacement: a text with `$1`, or a function of the page that receives the match. */
function createReplacer(other: Value, { call }: NativeContext): (...found: string[]) => string {
  if (!isCallable(other)) {
    const text = toText(other);
    return () => text;
  }
  return (...found) => toText(call(other, found));
}

function replacePattern(
  text: string,
  pattern: TextPattern,
  other: Value,
  context: NativeContext,
): string {
  chargePattern(pattern, text, context);
  if (!isCallable(other)) {
    const filling = toText(other);
    // `$&` repeats the match, and a pattern may match between all characters.
    context.budget.spendCharacters((text.length + 1) * (filling.length + 1));
    return text.replace(pattern.expression, filling);
  }
  return chargeText(
    text.replace(pattern.expression, (...found: unknown[]) =>
      createReplacer(other, context)(...found.filter((part) => typeof part === "string")),
    ),
    context,
  );
}

const numberMethods: ReadonlyMap<string, Method<number>> = new Map([
  [
    "toString",
    (number: number, [base]: readonly Value[]) =>
      number.toString(Math.min(36, Math.max(2, asCount(base) || 10))),
  ],
  ["toLocaleString", (number: number) => number.toLocaleString("en-US")],
  [
    "toFixed",
    (number: number, [digits]: readonly Value[]) => number.toFixed(Math.min(20, asCount(digits))),
  ],
]);

function testPattern(
  pattern: TextPattern,
  [value]: readonly Value[],
  context: NativeContext,
): boolean {
  const text = toText(value);
  chargePattern(pattern, text, context);
  return text.search(pattern.expression) !== -1;
}

/** Calls one of the few list, string and number methods that pages use. Throws `invalid_input` for other methods. */
export function callMethod(
  target: Value,
  name: string,
  args: readonly Value[],
  context: NativeContext,
): Value {
  if (isList(target) && Object.hasOwn(listMethods, name)) {
    return listMethods[name]?.(target, args, context);
  }
  if (typeof target === "string" && Object.hasOwn(textMethods, name)) {
    context.budget.spendCharacters(target.length);
    return textMethods[name]?.(target, args, context);
  }
  const ofNumber = typeof target === "number" ? numberMethods.get(name) : undefined;
  if (ofNumber && typeof target === "number") return ofNumber(target, args, context);
  if (target instanceof TextPattern && name === "test") return testPattern(target, args, context);
  throw createEvaluationError(`A static page cannot call \`${name}\`.`);
}

/** Sorts a list. Charges at most a step for each comparison: a function of the page charges its own steps. */
function sorted(list: ValueList, compare: Value, context: NativeContext): ValueList {
  context.budget.spendNodes(list.length);
  context.budget.spendStep(Math.ceil(list.length * Math.log2(list.length + 1)));
  if (isCallable(compare)) {
    return list.toSorted((left, right) => Number(context.call(compare, [left, right])));
  }
  return list
    .map((item) => ({ item, text: toOptionalText(item) }))
    .toSorted((a, b) => compareCodeUnits(a.text, b.text))
    .map(({ item }) => item);
}

/** Flattens `items` by one level; charges each result to the budget. */
function flatten(items: ValueList, context: NativeContext): ValueList {
  const flat: Value[] = [];
  for (const item of items) {
    const parts = isList(item) ? item : [item];
    context.budget.spendNodes(parts.length);
    appendAll(flat, parts);
  }
  return flat;
}

function callEach(callback: Value, item: Value, index: number, context: NativeContext): Value {
  if (isCallable(callback)) return context.call(callback, [item, index]);
  throw createEvaluationError(noCallback);
}

function toOptionalText(item: Value): string {
  return item === undefined || item === null ? "" : toText(item);
}

function asIndex(value: Value): number | undefined {
  return typeof value === "number" ? value : undefined;
}

/** A page cannot contain a text that is repeated more often. */
const maxCount = 1e9;

function asCount(value: Value): number {
  const count = Math.trunc(asIndex(value) ?? 0);
  return count > 0 ? Math.min(count, maxCount) : 0;
}
