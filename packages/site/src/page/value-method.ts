import { cannot, toText, type Circumstances } from "./circumstances.ts";
import { appendAll } from "./raw-node.ts";
import { Closure, isList, type Value, type ValueList } from "./value.ts";

export interface MethodCircumstances extends Circumstances {
  readonly call: (closure: Closure, args: readonly Value[]) => Value;
}

type Method<Target> = (target: Target, args: readonly Value[], at: MethodCircumstances) => Value;

/** Methods of lists that cost no more than the list is long. */
const listMethods: Readonly<Record<string, Method<ValueList>>> = {
  map: (list, [each], at) => list.map((item, index) => callEach(each, item, index, at)),
  filter: (list, [each], at) =>
    list.filter((item, index) => Boolean(callEach(each, item, index, at))),
  find: (list, [test], at) => list.find((item, index) => Boolean(callEach(test, item, index, at))),
  some: (list, [test], at) => list.some((item, index) => Boolean(callEach(test, item, index, at))),
  every: (list, [test], at) =>
    list.every((item, index) => Boolean(callEach(test, item, index, at))),
  flatMap: (list, [each], at) => {
    const lists = list.map((item, index) => callEach(each, item, index, at));
    return flatten(lists, at);
  },
  flat: (list, _args, at) => flatten(list, at),
  concat: (list, others, at) => flatten([list, ...others], at),
  reduce: (list, [each, ...start], at) => {
    if (!(each instanceof Closure)) throw cannot("A list needs a function of the page here.");
    if (list.length === 0 && start.length === 0) throw cannot("An empty list has no first item.");
    const items = start.length === 0 ? list.slice(1) : list;
    const first = start.length === 0 ? list[0] : start[0];
    return items.reduce<Value>((sum, item, index) => at.call(each, [sum, item, index]), first);
  },
  reverse: (list, _args, at) => {
    at.budget.nodes(list.length);
    return list.toReversed();
  },
  at: (list, [index]) => list.at(asIndex(index) ?? 0),
  indexOf: (list, [item], at) => {
    at.budget.nodes(list.length);
    return list.indexOf(item);
  },
  join: (list, [separator], at) => {
    const between = separator === undefined ? "," : toText(separator);
    const length = list.reduce<number>((sum, item) => sum + textOf(item).length, 0);
    at.budget.characters(length + between.length * list.length);
    return list.map(textOf).join(between);
  },
  slice: (list, [start, end], at) => {
    at.budget.nodes(list.length);
    return list.slice(asIndex(start), asIndex(end));
  },
  includes: (list, [item], at) => {
    at.budget.nodes(list.length);
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
  // Texts only: an author's regular expression could take for ever.
  replace: (text, [part, other], at) => {
    const filling = toText(other);
    at.budget.characters(filling.length);
    return text.replace(toText(part), () => filling);
  },
  replaceAll: (text, [part, other], at) => {
    const parts = text.split(toText(part));
    const filling = toText(other);
    at.budget.nodes(parts.length);
    at.budget.characters(filling.length * parts.length);
    return parts.join(filling);
  },
  padStart: (text, [length, filling], at) => {
    const wanted = asCount(length);
    at.budget.characters(wanted);
    return text.padStart(wanted, filling === undefined ? " " : toText(filling));
  },
  repeat: (text, [count], at) => {
    const times = asCount(count);
    at.budget.characters(text.length * times);
    return text.repeat(times);
  },
  startsWith: (text, [start]) => text.startsWith(toText(start)),
  endsWith: (text, [end]) => text.endsWith(toText(end)),
  includes: (text, [part]) => text.includes(toText(part)),
  split: (text, [separator], at) => {
    const parts = text.split(toText(separator));
    at.budget.nodes(parts.length);
    return parts;
  },
};

/** The few methods of lists and texts that pages call. Throws `invalid_input` for every other one. */
export function callMethod(
  target: Value,
  name: string,
  args: readonly Value[],
  at: MethodCircumstances,
): Value {
  if (isList(target) && Object.hasOwn(listMethods, name)) {
    return listMethods[name]?.(target, args, at);
  }
  if (typeof target === "string" && Object.hasOwn(textMethods, name)) {
    at.budget.characters(target.length);
    return textMethods[name]?.(target, args, at);
  }
  if (typeof target === "number" && name === "toString") return String(target);
  if (typeof target === "number" && name === "toFixed") {
    return target.toFixed(Math.min(20, asCount(args[0])));
  }
  throw cannot(`The call of \`${name}\` is not worked out in a static page.`);
}

/** The items of the lists among `items` in their place; pays for each. */
function flatten(items: ValueList, at: MethodCircumstances): ValueList {
  const flat: Value[] = [];
  for (const item of items) {
    const parts = isList(item) ? item : [item];
    at.budget.nodes(parts.length);
    appendAll(flat, parts);
  }
  return flat;
}

function callEach(each: Value, item: Value, index: number, at: MethodCircumstances): Value {
  if (each instanceof Closure) return at.call(each, [item, index]);
  throw cannot("A list needs a function of the page here.");
}

function textOf(item: Value): string {
  return item === undefined || item === null ? "" : toText(item);
}

function asIndex(value: Value): number | undefined {
  return typeof value === "number" ? value : undefined;
}

/** More than this makes no text that a page could hold; what is no number counts as none. */
const maxCount = 1e9;

function asCount(value: Value): number {
  const count = Math.trunc(asIndex(value) ?? 0);
  return count > 0 ? Math.min(count, maxCount) : 0;
}
