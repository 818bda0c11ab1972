import {
  createEvaluationError,
  requireShowableText,
  toText,
  type EvaluationContext,
} from "./evaluation-context.ts";
import type { NativeContext } from "./react.ts";
import { tryHost } from "./time-and-locale.ts";
import {
  Closure,
  DateValue,
  isCallable,
  isForbiddenKey,
  isJsxValue,
  isList,
  isRecord,
  MapValue,
  SetValue,
  toPropValue,
  type Value,
} from "./value.ts";
import { chargeValue } from "./value-nodes.ts";

/**
 * Returns the name of a property. Throws `invalid_input` for names that would give access to the program's own objects.
 */
export function toKey(value: Value): string {
  const key = toText(value);
  if (isForbiddenKey(key)) throw createEvaluationError(`\`${key}\` cannot be used in a page.`);
  return key;
}

/** Works like `JSON.stringify`. */
export function writeJson(
  [value, replacer, indent]: readonly Value[],
  context: NativeContext,
): Value {
  const isValidIndent =
    indent === undefined || typeof indent === "string" || typeof indent === "number";
  if (!isValidIndent)
    throw createEvaluationError(
      "The indentation for `JSON.stringify` is neither a string nor a number.",
    );
  const replacedValue = isCallable(replacer) ? replaceValue(["", value], replacer, context) : value;
  if (!chargeValue(replacedValue, context.budget))
    throw createEvaluationError("It is nested too deeply.");
  const space = indent ?? 0;
  chargeJson(replacedValue, context, typeof space === "string" ? space.length : space);
  if (isCallable(replacedValue)) return undefined;
  return JSON.stringify(toPropValue(replacedValue), readKeys(replacer), space);
}

/** Returns the keys to which the output of `JSON.stringify` is limited, or null if all keys are written. */
function readKeys(replacer: Value): (string | number)[] | null {
  if (replacer === undefined || replacer === null || isCallable(replacer)) return null;
  if (!isList(replacer)) throw createEvaluationError("The second argument is not a list of keys.");
  return replacer.map((key) => {
    if (typeof key !== "string" && typeof key !== "number")
      throw createEvaluationError("A key is neither a string nor a number.");
    return key;
  });
}

function replaceValue(
  [key, before]: readonly [key: string, value: Value],
  replacer: Value,
  context: NativeContext,
): Value {
  context.budget.spendSteps();
  const value = context.call(replacer, [key, before]);
  if (isList(value)) {
    return Array.from(value, (item, at) => replaceValue([String(at), item], replacer, context));
  }
  if (!isRecord(value) || isJsxValue(value)) return value;
  const entries = Object.entries(value).map(
    ([name, item]) => [name, replaceValue([name, item], replacer, context)] as const,
  );
  return Object.fromEntries(entries);
}

/** Works like `JSON.parse`. */
export function readJson([value, reviver]: readonly Value[], context: NativeContext): Value {
  const text = toText(value);
  context.budget.spendNodes(text.length);
  const parsed = toValue(tryHost(() => JSON.parse(text) as unknown));
  if (!isCallable(reviver)) return parsed;
  // Some browsers pass a third argument to the reviver, which functions such as `Array` would use.
  const { params = [] } = reviver instanceof Closure ? reviver.node : {};
  if (
    !(reviver instanceof Closure) ||
    params.length > 2 ||
    params.some(({ type }) => type === "RestElement")
  )
    throw createEvaluationError("This function needs arguments that not all browsers pass.");
  return applyReviver(["", parsed], reviver, context);
}

function applyReviver(
  [key, value]: readonly [key: string, value: Value],
  reviver: Value,
  context: NativeContext,
): Value {
  context.budget.spendSteps();
  let inner = value;
  if (isList(value)) {
    const items: Value[] = [];
    items.length = value.length;
    for (const [at, before] of value.entries()) {
      const item = applyReviver([String(at), before], reviver, context);
      // If the new value is `undefined`, the list has a hole at this index.
      if (item !== undefined) items[at] = item;
    }
    inner = items;
  } else if (isRecord(value)) {
    const entries = Object.entries(value).map(
      ([name, item]) => [name, applyReviver([name, item], reviver, context)] as const,
    );
    inner = Object.fromEntries(entries.filter(([, item]) => item !== undefined));
  }
  return context.call(reviver, [key, inner]);
}

/** Works like `structuredClone`. Throws `invalid_input` for functions, elements and other objects that are not data. */
export function cloneValue(args: readonly Value[], context: EvaluationContext): Value {
  const [value, options] = args;
  if (args.length === 0) throw createEvaluationError("The function needs an argument.");
  if (options !== undefined)
    throw createEvaluationError("A static page does not support the options of `structuredClone`.");
  return clone(value, new Map(), context);
}

function clone(value: Value, copies: Map<Value, Value>, context: EvaluationContext): Value {
  context.budget.spendNodes(1);
  if (typeof value !== "object" || value === null) return value;
  const copied = copies.get(value);
  if (copied !== undefined) return copied;
  const cloneInner = (item: Value) => clone(item, copies, context);
  const remember = <Copy extends Value>(copy: Copy): Copy => {
    copies.set(value, copy);
    return copy;
  };
  if (value instanceof DateValue) return remember(new DateValue(value.time));
  if (value instanceof SetValue) {
    const { items } = remember(new SetValue([]));
    for (const item of value.items) items.add(cloneInner(item));
    return copies.get(value);
  }
  if (value instanceof MapValue) {
    const { entries } = remember(new MapValue([]));
    for (const [key, item] of value.entries) entries.set(cloneInner(key), cloneInner(item));
    return copies.get(value);
  }
  if (isList(value)) {
    const list = remember<Value[]>([]);
    list.length = value.length;
    for (const [at, item] of value.entries()) if (at in value) list[at] = cloneInner(item);
    return list;
  }
  if (!isRecord(value) || isJsxValue(value))
    throw createEvaluationError(
      "A static page can clone only values, lists, plain objects, dates, maps and sets.",
    );
  const record = remember<Record<string, Value>>({});
  for (const [key, item] of Object.entries(value)) record[key] = cloneInner(item);
  return record;
}

/** Charges the length of a value's JSON text. Throws `invalid_input` if the text is not known. */
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
