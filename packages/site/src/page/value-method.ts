import { evaluationError, toText, type EvaluationContext } from "./evaluation-context.ts";
import { appendAll } from "./raw-node.ts";
import { Closure, isList, type Value, type ValueList } from "./value.ts";

export interface MethodContext extends EvaluationContext {
  readonly call: (closure: Closure, args: readonly Value[]) => Value;
}

type Method<Target> = (target: Target, args: readonly Value[], context: MethodContext) => Value;

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
  every: (list, [test], context) =>
    list.every((item, index) => Boolean(callEach(test, item, index, context))),
  flatMap: (list, [callback], context) => {
    const lists = list.map((item, index) => callEach(callback, item, index, context));
    return flatten(lists, context);
  },
  flat: (list, _args, context) => flatten(list, context),
  concat: (list, others, context) => flatten([list, ...others], context),
  reduce: (list, [callback, ...start], context) => {
    if (!(callback instanceof Closure)) throw evaluationError(noCallback);
    if (list.length === 0 && start.length === 0)
      throw evaluationError("`reduce` of an empty list needs an initial value.");
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
    const length = list.reduce<number>((sum, item) => sum + textOf(item).length, 0);
    context.budget.spendCharacters(length + between.length * list.length);
    return list.map(textOf).join(between);
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
  // Strings only: an author's regular expression could run endlessly.
  replace: (text, [part, other], context) => {
    const filling = toText(other);
    context.budget.spendCharacters(filling.length);
    return text.replace(toText(part), () => filling);
  },
  replaceAll: (text, [part, other], context) => {
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
  split: (text, [separator], context) => {
    const parts = text.split(toText(separator));
    context.budget.spendNodes(parts.length);
    return parts;
  },
};

/** Calls one of the few methods of lists, strings and numbers that pages use. Throws `invalid_input` for any other. */
export function callMethod(
  target: Value,
  name: string,
  args: readonly Value[],
  context: MethodContext,
): Value {
  if (isList(target) && Object.hasOwn(listMethods, name)) {
    return listMethods[name]?.(target, args, context);
  }
  if (typeof target === "string" && Object.hasOwn(textMethods, name)) {
    context.budget.spendCharacters(target.length);
    return textMethods[name]?.(target, args, context);
  }
  if (typeof target === "number" && name === "toString") return String(target);
  if (typeof target === "number" && name === "toFixed") {
    return target.toFixed(Math.min(20, asCount(args[0])));
  }
  throw evaluationError(`A static page cannot call \`${name}\`.`);
}

/** Flattens `items` by one level; charges each result to the budget. */
function flatten(items: ValueList, context: MethodContext): ValueList {
  const flat: Value[] = [];
  for (const item of items) {
    const parts = isList(item) ? item : [item];
    context.budget.spendNodes(parts.length);
    appendAll(flat, parts);
  }
  return flat;
}

function callEach(callback: Value, item: Value, index: number, context: MethodContext): Value {
  if (callback instanceof Closure) return context.call(callback, [item, index]);
  throw evaluationError(noCallback);
}

function textOf(item: Value): string {
  return item === undefined || item === null ? "" : toText(item);
}

function asIndex(value: Value): number | undefined {
  return typeof value === "number" ? value : undefined;
}

/** No page can hold a text repeated more often than this. */
const maxCount = 1e9;

function asCount(value: Value): number {
  const count = Math.trunc(asIndex(value) ?? 0);
  return count > 0 ? Math.min(count, maxCount) : 0;
}
