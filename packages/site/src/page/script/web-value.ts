import {
  chargeText,
  createEvaluationError,
  requireShowableText,
  toChargedText,
  toText,
  type EvaluationContext,
} from "./evaluation-context.ts";
import { listItems } from "./iteration.ts";
import { toNumber } from "./operators.ts";
import type { Method } from "./react.ts";
import { tryHost } from "./time-and-locale.ts";
import {
  BytesValue,
  isJsxValue,
  isList,
  isRecord,
  IteratorValue,
  PlatformObject,
  SearchParamsValue,
  UrlValue,
  type Value,
} from "./value.ts";

/** Addresses and bytes: the classes of browsers, beside those of JavaScript, whose results depend only on arguments. */

export function createUrl(args: readonly Value[], context: EvaluationContext): UrlValue {
  const [address, base] = readAddress(args, context);
  return new UrlValue(tryHost(() => new URL(address, base)));
}

export function canParseUrl(args: readonly Value[], context: EvaluationContext): boolean {
  const [address, base] = readAddress(args, context);
  return URL.canParse(address, base);
}

function readAddress(
  args: readonly Value[],
  context: EvaluationContext,
): readonly [string, string | undefined] {
  requireArguments(args, 1);
  const [address, base] = args;
  return [toCharged(address, context), base === undefined ? undefined : toCharged(base, context)];
}

/** Throws `invalid_input` if a browser would refuse a call with so few arguments. */
function requireArguments({ length }: readonly Value[], count: number): void {
  if (length < count) throw createEvaluationError("The function needs more arguments.");
}

/** Converts a value to text, of which each character may become nine (`%F0%9F%98%80` are two characters). */
function toCharged(value: Value, context: EvaluationContext): string {
  const text = toChargedText(value, context);
  context.budget.spendCharacters(text.length * 9);
  return text;
}

/** Charges one use of all parameters. */
export function chargeSearchParams(
  { params }: SearchParamsValue,
  { budget }: EvaluationContext,
): void {
  budget.spendNodes(params.size);
  for (const [name, value] of params) budget.spendCharacters(name.length + value.length);
}

export function createSearchParams(
  [source]: readonly Value[],
  context: EvaluationContext,
): SearchParamsValue {
  if (source === undefined) return new SearchParamsValue(new URLSearchParams());
  const isText = typeof source !== "object" || source === null;
  if (isText) return new SearchParamsValue(new URLSearchParams(toCharged(source, context)));
  const isPlain = isRecord(source) && !isJsxValue(source);
  const pairs = isPlain ? Object.entries(source) : listItems(source, context);
  context.budget.spendNodes(pairs.length);
  const params = pairs.map((pair): [string, string] => {
    if (!isList(pair) || pair.length !== 2)
      throw createEvaluationError("A parameter of an address is not a pair.");
    return [toCharged(pair[0], context), toCharged(pair[1], context)];
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
  return [toCharged(name, context), toCharged(value, context)];
}

/** Creates bytes from a length, or from numbers. */
export function createBytes([source]: readonly Value[], context: EvaluationContext): BytesValue {
  if (typeof source === "string")
    throw createEvaluationError("Bytes are not created from a string.");
  if (typeof source !== "number") {
    return new BytesValue(Uint8Array.from(listItems(source, context), toNumber));
  }
  context.budget.spendNodes(Number.isFinite(source) ? Math.abs(source) : 0);
  return new BytesValue(tryHost(() => new Uint8Array(source)));
}

export function createTextEncoder(): PlatformObject {
  return new PlatformObject({
    encode: ([value], { budget }) => {
      const text = value === undefined ? "" : toText(value);
      budget.spendNodes(text.length * 3);
      return new BytesValue(new TextEncoder().encode(text));
    },
  });
}

/** Creates a decoder of UTF-8, which is the default. */
export function createTextDecoder(args: readonly Value[]): PlatformObject {
  const [label = "utf-8", options] = args;
  const isDefault = (label === "utf-8" || label === "utf8") && options === undefined;
  if (!isDefault) throw createEvaluationError("A static page can decode only UTF-8.");
  return new PlatformObject({
    decode: ([value, other], context) => {
      if (!(value instanceof BytesValue) || other !== undefined)
        throw createEvaluationError("A static page can decode only a whole list of bytes.");
      return requireShowableText(chargeText(new TextDecoder().decode(value.bytes), context));
    },
  });
}
