import { cannot, toText, type Circumstances } from "./circumstances.ts";
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
  throw cannot(`The call of \`${name}\` is not worked out in a static page.`);
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
