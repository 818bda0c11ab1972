import type { ArrowFunctionExpression, Function as FunctionNode } from "acorn";
import type { SourceFile } from "../source-file.ts";
import type { JsxValue, PropValue, TreeNode } from "../tree.ts";
import type { ExpansionBudget } from "../budget.ts";

/**
 * The result of an expression. Functions, imported pages and unavailable values exist only during evaluation. An
 * attribute cannot contain them.
 */
export type Value =
  | string
  | number
  | boolean
  | null
  | undefined
  | JsxValue
  | Closure
  | NativeFunction
  | TextPattern
  | DateValue
  | SetValue
  | MapValue
  | IteratorValue
  | UrlValue
  | SearchParamsValue
  | BytesValue
  | PlatformObject
  | DeferredNodes
  | ContextProvider
  | ImportedPage
  | UnavailableValue
  | ValueList
  | ValueRecord;

export type ValueList = readonly Value[];
export interface ValueRecord {
  readonly [key: string]: Value;
}

interface ClosureOrigin {
  readonly scope: LexicalScope;
  readonly file: SourceFile;
  /** The text that contains the function; undefined if it is not known. */
  readonly script?: string | undefined;
}

/** A function that an author wrote, with its scope. */
export class Closure {
  readonly node: FunctionNode | ArrowFunctionExpression;
  readonly scope: LexicalScope;
  /** The file that contains the function. */
  readonly file: SourceFile;
  /** The function's text; undefined if the function is not part of an attribute or an expression of a page. */
  readonly text: string | undefined;

  constructor(
    node: FunctionNode | ArrowFunctionExpression,
    { scope, file, script }: ClosureOrigin,
  ) {
    this.node = node;
    this.scope = scope;
    this.file = file;
    this.text = script?.slice(node.start, node.end);
  }
}

/** A function of JavaScript or React that the interpreter provides under this name. */
export class NativeFunction {
  readonly name: string;
  /** The implementation of an object's method; undefined for a global function. */
  readonly run: PlatformMethod | undefined;

  constructor(name: string, run?: PlatformMethod) {
    this.name = name;
    this.run = run;
  }
}

/** A function that runs in the engine on the interpreter's values. */
export type PlatformMethod = (
  args: readonly Value[],
  context: { readonly budget: ExpansionBudget },
) => Value;

/** A regular expression; see `createPattern`. */
export class TextPattern {
  readonly expression: RegExp;
  /**
   * The number of unbounded repetitions. Matching a string of n characters takes at most as many steps as n to the
   * power of this number.
   */
  readonly degree: number;

  constructor(expression: RegExp, degree: number) {
    this.expression = expression;
    this.degree = degree;
  }
}

/** A `Date`, stored as a number of milliseconds. A script cannot change it. */
export class DateValue {
  readonly time: number;

  constructor(time: number) {
    this.time = time;
  }
}

export class SetValue {
  readonly items: Set<Value>;

  constructor(items: readonly Value[]) {
    this.items = new Set(items);
  }
}

export class MapValue {
  readonly entries: Map<Value, Value>;

  constructor(entries: readonly (readonly [Value, Value])[]) {
    this.entries = new Map(entries);
  }
}

/** The result of a method such as `keys()` or `entries()`, which can be iterated over only once. */
export class IteratorValue {
  readonly #items: readonly Value[];
  #position = 0;

  constructor(items: readonly Value[]) {
    this.#items = items;
  }

  take(): readonly Value[] {
    const items = this.#items.slice(this.#position);
    this.#position = this.#items.length;
    return items;
  }

  next(): ValueRecord {
    const done = this.#position >= this.#items.length;
    const value = this.#items[this.#position];
    this.#position += 1;
    return { value, done };
  }
}

export class SearchParamsValue {
  readonly params: URLSearchParams;

  constructor(params: URLSearchParams) {
    this.params = params;
  }
}

export class UrlValue {
  readonly url: URL;
  readonly searchParams: SearchParamsValue;

  constructor(url: URL) {
    this.url = url;
    this.searchParams = new SearchParamsValue(url.searchParams);
  }
}

/** A `Uint8Array`. A script cannot change it. */
export class BytesValue {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

/** An object whose methods are its only usable properties, such as an `Intl` formatter. */
export class PlatformObject {
  readonly methods: Readonly<Record<string, PlatformMethod>>;
  /** The methods that can also be used as values, because they do not depend on `this`. */
  readonly values: Readonly<Record<string, NativeFunction>>;

  constructor(methods: PlatformObject["methods"], boundNames: readonly string[] = []) {
    this.methods = methods;
    const values = boundNames.map((name) => [name, new NativeFunction(name, methods[name])]);
    this.values = Object.fromEntries(values) as PlatformObject["values"];
  }
}

/**
 * The content of a component that runs in the browser. It is rendered at the position where it is shown, within the
 * providers around it.
 */
export class DeferredNodes {
  readonly render: () => readonly TreeNode[];

  constructor(render: () => readonly TreeNode[]) {
    this.render = render;
  }
}

/** The component `Name.Provider` of a React context. */
export class ContextProvider {
  readonly context: ValueRecord;

  constructor(context: ValueRecord) {
    this.context = context;
  }
}

/** An imported Markdown file: `<Name />` shows its content. */
export class ImportedPage {
  readonly file: SourceFile;

  constructor(file: SourceFile) {
    this.file = file;
  }
}

/** The value of a name that could not be evaluated. `reason` is a sentence for the author. */
export class UnavailableValue {
  readonly reason: string;
  /** Whether a file of the site declares the name, so that its value may be available in a browser. */
  readonly isDeclared: boolean;

  constructor(
    reason: string,
    { isDeclared }: { readonly isDeclared: boolean } = { isDeclared: false },
  ) {
    this.reason = reason;
    this.isDeclared = isDeclared;
  }
}

/** Names and their values. A name that is not found is looked up in the parent. */
export class LexicalScope {
  readonly #values = new Map<string, Value>();
  readonly #parent: LexicalScope | undefined;

  constructor(parent?: LexicalScope) {
    this.#parent = parent;
  }

  set(name: string, value: Value): void {
    this.#values.set(name, value);
  }

  has(name: string): boolean {
    return this.#values.has(name) || (this.#parent?.has(name) ?? false);
  }

  /** Changes the value of a declared name. Returns false if the name is not declared. */
  assign(name: string, value: Value): boolean {
    if (!this.#values.has(name)) return this.#parent?.assign(name, value) ?? false;
    this.#values.set(name, value);
    return true;
  }

  get(name: string): Value {
    if (this.#values.has(name)) return this.#values.get(name);
    return this.#parent?.get(name);
  }
}

export function isJsxValue(value: Value): value is JsxValue {
  return isRecord(value) && value["type"] === "jsx" && Array.isArray(value["nodes"]);
}

export function isList(value: Value): value is ValueList {
  return Array.isArray(value);
}

export function isRecord(value: Value): value is ValueRecord {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return !isSpecial(value);
}

/** The classes of this file whose instances contain the program's own objects. */
const specialClasses = [
  Closure,
  NativeFunction,
  TextPattern,
  DateValue,
  SetValue,
  MapValue,
  IteratorValue,
  UrlValue,
  SearchParamsValue,
  BytesValue,
  PlatformObject,
  DeferredNodes,
  ContextProvider,
  ImportedPage,
  UnavailableValue,
] as const;

type SpecialValue = InstanceType<(typeof specialClasses)[number]>;

function isSpecial(value: Value): value is SpecialValue {
  return specialClasses.some((special) => value instanceof special);
}

export function isCallable(value: Value): value is Closure | NativeFunction {
  return value instanceof Closure || value instanceof NativeFunction;
}

/** Keys that would give access from a value to the program's own objects. */
const forbiddenKeys = new Set(["__proto__", "constructor", "prototype"]);

export function isForbiddenKey(key: string): boolean {
  return forbiddenKeys.has(key);
}

/** Converts `value` to an attribute value. Returns undefined for a function, imported page or unavailable value. */
export function toPropValue(value: Value): PropValue | undefined {
  if (value === undefined || isSpecial(value)) return undefined;
  if (isJsxValue(value)) return value;
  if (isList(value)) return value.map((item) => toPropValue(item) ?? null);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, toPropValue(item)] as const);
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined)) as PropValue;
}

/** Resolves `Name` or `Name.Member` in the scope of a file. Returns undefined for a built-in component. */
export function resolveComponentName(name: string, scope: LexicalScope): Value {
  if (!name.includes(".")) return scope.get(name);
  const [head = "", ...members] = name.split(".");
  let value = scope.get(head);
  for (const member of members) {
    if (!isRecord(value) || !Object.hasOwn(value, member)) return undefined;
    value = value[member];
  }
  return value;
}
