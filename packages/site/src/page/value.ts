import type { ArrowFunctionExpression, Function as FunctionNode } from "acorn";
import type { JsxValue, PropValue } from "./tree.ts";
import type { SourceFile } from "./source-file.ts";

/**
 * What an expression can be while it is worked out. More than an attribute may hold: functions,
 * imported pages, and names that stand for nothing are known only here.
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

/** A function that an author wrote, with the names it sees. */
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

/** An imported Markdown file: `<Name />` stands for its content. */
export class ImportedPage {
  readonly file: SourceFile;

  constructor(file: SourceFile) {
    this.file = file;
  }
}

/** A name that is declared but has no value here; `reason` is a sentence that says why. */
export class UnavailableValue {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

/** Names and their values, and the names around them. */
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

/** Names that lead from a value to the program's own objects. */
const forbiddenKeys = new Set(["__proto__", "constructor", "prototype"]);

export function isForbiddenKey(key: string): boolean {
  return forbiddenKeys.has(key);
}

/** `value` as an attribute may hold it; undefined where there is nothing that it could hold. */
export function toPropValue(value: Value): PropValue | undefined {
  if (value === undefined || value instanceof Closure) return undefined;
  if (value instanceof ImportedPage || value instanceof UnavailableValue) return undefined;
  if (isJsxValue(value)) return value;
  if (isList(value)) return value.map((item) => toPropValue(item) ?? null);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, toPropValue(item)] as const);
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined)) as PropValue;
}
