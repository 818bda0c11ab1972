import type { ArrowFunctionExpression, Function as FunctionNode } from "acorn";
import type { JsxValue, PropValue } from "./tree.ts";
import type { SourceFile } from "./source-file.ts";

/**
 * What an expression can evaluate to. Functions, imported pages and unavailable values exist only during
 * evaluation: no attribute can hold them.
 */
export type Value =
  | string
  | number
  | boolean
  | null
  | undefined
  | JsxValue
  | Closure
  | ImportedPage
  | UnavailableValue
  | ValueList
  | ValueRecord;

export type ValueList = readonly Value[];
export interface ValueRecord {
  readonly [key: string]: Value;
}

/** A function that an author wrote, with its scope. */
export class Closure {
  readonly node: FunctionNode | ArrowFunctionExpression;
  readonly scope: LexicalScope;
  /** The file it was written in. */
  readonly file: SourceFile;

  constructor(node: FunctionNode | ArrowFunctionExpression, scope: LexicalScope, file: SourceFile) {
    this.node = node;
    this.scope = scope;
    this.file = file;
  }
}

/** An imported Markdown file: `<Name />` shows its content. */
export class ImportedPage {
  readonly file: SourceFile;

  constructor(file: SourceFile) {
    this.file = file;
  }
}

/** The value of a declared name that could not be evaluated; `reason` is a sentence for the author. */
export class UnavailableValue {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

/** Names and their values; a name that is not found is looked up in the parent. */
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
  return !(
    value instanceof Closure ||
    value instanceof ImportedPage ||
    value instanceof UnavailableValue
  );
}

/** Keys that lead from a value to the program's own objects. */
const forbiddenKeys = new Set(["__proto__", "constructor", "prototype"]);

export function isForbiddenKey(key: string): boolean {
  return forbiddenKeys.has(key);
}

/** `value` as an attribute can hold it; undefined for a function, imported page or unavailable value. */
export function toPropValue(value: Value): PropValue | undefined {
  if (value === undefined || value instanceof Closure) return undefined;
  if (value instanceof ImportedPage || value instanceof UnavailableValue) return undefined;
  if (isJsxValue(value)) return value;
  if (isList(value)) return value.map((item) => toPropValue(item) ?? null);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, toPropValue(item)] as const);
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined)) as PropValue;
}
