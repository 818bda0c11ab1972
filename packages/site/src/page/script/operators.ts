import {
  createEvaluationError,
  toChargedText,
  toText,
  type EvaluationContext,
} from "./evaluation-context.ts";
import {
  BytesValue,
  ContextProvider,
  DateValue,
  DeferredNodes,
  ImportedPage,
  isCallable,
  isForbiddenKey,
  isJsxValue,
  isList,
  isRecord,
  MapValue,
  PlatformObject,
  SearchParamsValue,
  SetValue,
  TextPattern,
  UrlValue,
  type Value,
} from "./value.ts";

type Primitive = string | number | boolean | null | undefined;

function isPrimitive(value: Value): value is Primitive {
  return value === null || (typeof value !== "object" && typeof value !== "function");
}

/** Compares values like `==`. Throws `invalid_input` if an object would have to be converted. */
function isLooselyEqual(left: Value, right: Value): boolean {
  if (left === undefined || left === null) return right === undefined || right === null;
  if (right === undefined || right === null) return false;
  if (isPrimitive(left) !== isPrimitive(right))
    throw createEvaluationError("An object is compared with `==`; use `===`.");
  const isSameType = typeof left === typeof right;
  return isSameType || !isPrimitive(left) ? left === right : Number(left) === Number(right);
}

const arithmetic: Readonly<Record<string, (left: number, right: number) => number>> = {
  "-": (left, right) => left - right,
  "*": (left, right) => left * right,
  "/": (left, right) => left / right,
  "%": (left, right) => left % right,
  "**": (left, right) => left ** right,
  "&": (left, right) => left & right,
  "|": (left, right) => left | right,
  "^": (left, right) => left ^ right,
  "<<": (left, right) => left << right,
  ">>": (left, right) => left >> right,
  ">>>": (left, right) => left >>> right,
};

const comparisons: Readonly<
  Record<string, <Operand extends string | number>(left: Operand, right: Operand) => boolean>
> = {
  "<": (left, right) => left < right,
  ">": (left, right) => left > right,
  "<=": (left, right) => left <= right,
  ">=": (left, right) => left >= right,
};

/** Returns the result of a unary operator. Throws `invalid_input` for an unsupported operator. */
export function applyUnary(operator: string, value: Value): Value {
  switch (operator) {
    case "!":
      return !value;
    case "-":
      return -toNumber(value);
    case "+":
      return toNumber(value);
    case "~":
      return ~toNumber(value);
    case "typeof":
      return getTypeName(value);
    case "void":
      return undefined;
    default:
      throw createEvaluationError(`A static page cannot evaluate the operator \`${operator}\`.`);
  }
}

function getTypeName(value: Value): string {
  const isInternal =
    value instanceof ImportedPage ||
    value instanceof DeferredNodes ||
    value instanceof ContextProvider;
  if (isInternal) throw createEvaluationError("Only a browser knows the type of a component.");
  return isCallable(value) ? "function" : typeof value;
}

/** Returns the result of a binary operator. Throws `invalid_input` for an unsupported operator. */
export function applyBinary(
  operator: string,
  left: Value,
  right: Value,
  context: EvaluationContext,
): Value {
  switch (operator) {
    case "+":
      return add(left, right, context);
    case "===":
      return left === right;
    case "==":
      return isLooselyEqual(left, right);
    case "!==":
      return left !== right;
    case "!=":
      return !isLooselyEqual(left, right);
    case "in":
      return isIn(left, right);
    default:
      return calculate(operator, left, right);
  }
}

function calculate(operator: string, left: Value, right: Value): Value {
  const compare = Object.hasOwn(comparisons, operator) ? comparisons[operator] : undefined;
  if (compare && typeof left === "string" && typeof right === "string") return compare(left, right);
  if (compare) return compare(toNumber(left), toNumber(right));
  const operation = Object.hasOwn(arithmetic, operator) ? arithmetic[operator] : undefined;
  if (operation) return operation(toNumber(left), toNumber(right));
  throw createEvaluationError(`A static page cannot evaluate the operator \`${operator}\`.`);
}

function add(left: Value, right: Value, context: EvaluationContext): Value {
  const isText = typeof left === "string" || typeof right === "string";
  if (isText) return toChargedText(left, context) + toChargedText(right, context);
  if (isPrimitive(left) && isPrimitive(right)) return toNumber(left) + toNumber(right);
  throw createEvaluationError("Only strings, numbers and booleans can be added.");
}

function isIn(key: Value, holder: Value): boolean {
  const name = toText(key);
  const isPlain = isRecord(holder) && !isJsxValue(holder) && !isForbiddenKey(name);
  if (!isPlain || name in Object.prototype)
    throw createEvaluationError("A static page cannot evaluate `in` for these operands.");
  return Object.hasOwn(holder, name);
}

/** Converts a value to a number as arithmetic operators do. Throws `invalid_input` for objects and functions. */
export function toNumber(value: Value): number {
  if (value instanceof DateValue) return value.time;
  if (isPrimitive(value)) return Number(value);
  throw createEvaluationError(
    `Only a browser can convert ${isList(value) ? "a list" : "an object"} to a number.`,
  );
}

/** Converts an optional index to a number. */
export function toIndex(value: Value): number | undefined {
  return value === undefined ? undefined : toNumber(value);
}

/** The maximum number of repetitions. No page can contain more repetitions of a string. */
const maxRepetitions = 1e9;

/** Converts a value to a number of repetitions. */
export function toCount(value: Value): number {
  const count = Math.trunc(toNumber(value));
  return count > 0 ? Math.min(count, maxRepetitions) : 0;
}

/**
 * Reads an own property of a value. Throws `invalid_input` if JavaScript would return an inherited property.
 */
export function readMember(value: Value, key: string): Value {
  if (isForbiddenKey(key)) throw createEvaluationError(`\`${key}\` cannot be read in a page.`);
  if (value === undefined || value === null)
    throw createEvaluationError(`\`${key}\` of null or undefined cannot be read.`);
  if (typeof value === "string" || isList(value)) return readItem(value, key);
  if (isRecord(value) && !isJsxValue(value)) {
    if (Object.hasOwn(value, key)) return value[key];
    if (!(key in Object.prototype)) return undefined;
  }
  const property = readBuiltInProperty(value, key);
  if (property !== undefined) return property;
  const isSimple = typeof value === "number" || typeof value === "boolean";
  if (isSimple && !(key in Object(value))) return undefined;
  throw createMemberError(key);
}

function readItem(value: string | readonly Value[] | Uint8Array, key: string): Value {
  if (key === "length") return value.length;
  if (/^(?:0|[1-9]\d{0,8})$/.test(key)) return value[Number(key)];
  throw createMemberError(key);
}

function createMemberError(key: string): Error {
  return createEvaluationError(`A static page cannot read \`${key}\` here.`);
}

const urlProperties = [
  "href",
  "origin",
  "protocol",
  "username",
  "password",
  "host",
  "hostname",
  "port",
  "pathname",
  "search",
  "hash",
] as const;

const patternProperties = [
  "source",
  "flags",
  "global",
  "ignoreCase",
  "multiline",
  "sticky",
] as const;

/**
 * Reads a property of an object that JavaScript or the browser defines. The parts of a URL contain only characters
 * that can be shown. Returns undefined if the property is not supported.
 */
function readBuiltInProperty(value: Value, key: string): Value {
  if (value instanceof UrlValue) {
    const property = urlProperties.find((name) => name === key);
    if (property) return value.url[property];
    return key === "searchParams" ? value.searchParams : undefined;
  }
  if (value instanceof TextPattern) {
    const property = patternProperties.find((name) => name === key);
    return property && value.expression[property];
  }
  if (value instanceof BytesValue)
    return key === "byteLength" ? value.bytes.length : readItem(value.bytes, key);
  if (value instanceof PlatformObject)
    return Object.hasOwn(value.values, key) ? value.values[key] : undefined;
  return key === "size" ? getSize(value) : undefined;
}

function getSize(value: Value): number | undefined {
  if (value instanceof SetValue) return value.items.size;
  if (value instanceof SearchParamsValue) return value.params.size;
  return value instanceof MapValue ? value.entries.size : undefined;
}
