import { posix } from "node:path";
import { cleanRelativePath, limits, OctavoError } from "../core/index.ts";
import type { ProblemLocation } from "../core/index.ts";
import { LineIndex } from "./line-index.ts";
import type { TextPosition } from "./line-index.ts";

/** A value, or the reason why a text cannot be parsed and the position of the error. */
export type ParseResult =
  | { readonly value: unknown }
  | { readonly reason: string; readonly position?: TextPosition };

/** The text of a JSON file. Converts offsets to lines and columns on demand. */
class JsonSource {
  readonly file: string;
  readonly text: string;
  #lines: LineIndex | undefined;

  constructor(file: string, text: string) {
    this.file = file;
    this.text = text;
  }

  positionAt(offset: number): Required<ProblemLocation> {
    this.#lines ??= new LineIndex(this.text);
    return this.#lines.locationAt(this.file, offset);
  }
}

/** A JSON value with its position, so that problems can refer to the value and edits can change only this value. */
export interface JsonNode {
  readonly source: JsonSource;
  /** The start of the value's range `[start, end)` in the text. */
  readonly start: number;
  readonly end: number;
  /**
   * The start of the value's entry in the enclosing list or object, which is the start of the value itself or of its
   * key.
   */
  readonly entryStart: number;
  readonly value: JsonValue;
}

export interface JsonString extends JsonNode {
  readonly value: string;
}
export interface JsonList extends JsonNode {
  readonly value: readonly JsonNode[];
}

/** A JSON object. If several members have the same key, the last one applies. */
export interface JsonObject extends JsonNode {
  readonly value: ReadonlyMap<string, JsonNode>;
}

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonNode[]
  | ReadonlyMap<string, JsonNode>;

export function locateJsonNode(node: JsonNode): Required<ProblemLocation> {
  return node.source.positionAt(node.start);
}

export function isJsonString(node: JsonNode | undefined): node is JsonString {
  return typeof node?.value === "string";
}

export function isJsonList(node: JsonNode | undefined): node is JsonList {
  return Array.isArray(node?.value);
}

export function isJsonObject(node: JsonNode | undefined): node is JsonObject {
  return node?.value instanceof Map;
}

/** Returns the members of an object, or undefined for any other value. */
export function findJsonMembers(
  node: JsonNode | undefined,
): ReadonlyMap<string, JsonNode> | undefined {
  return isJsonObject(node) ? node.value : undefined;
}

/** Returns the items of a list, or undefined for any other value. */
export function findJsonItems(node: JsonNode | undefined): readonly JsonNode[] | undefined {
  return isJsonList(node) ? node.value : undefined;
}

/** Returns the text of a string, or undefined for any other value. */
export function findJsonText(node: JsonNode | undefined): string | undefined {
  return isJsonString(node) ? node.value : undefined;
}

/** Returns a member of an object. Returns undefined if there is no such member or the value is not an object. */
export function findJsonMember(node: JsonNode | undefined, key: string): JsonNode | undefined {
  return findJsonMembers(node)?.get(key);
}

export function findJsonMemberText(node: JsonNode | undefined, key: string): string | undefined {
  return findJsonText(findJsonMember(node, key));
}

/** A value within another value, with its key in an object, or with the list that contains it. */
export interface JsonEntry {
  readonly key: string | undefined;
  readonly node: JsonNode;
  /** The objects that contain the value, outermost first. */
  readonly within: readonly JsonObject[];
}

/** Visits a value and every value within it, in the order of the text. */
export function* walkJson(
  node: JsonNode | undefined,
  within: readonly JsonObject[] = [],
  key?: string,
): Generator<JsonEntry> {
  if (node === undefined) return;
  yield { key, node, within };
  for (const item of findJsonItems(node) ?? []) yield* walkJson(item, within, key);
  if (!isJsonObject(node)) return;
  const around = [...within, node];
  for (const [name, value] of node.value) yield* walkJson(value, around, name);
}

/** Returns the value without positions. Omits members with the name `__proto__`, which no setting has. */
export function toPlain(node: JsonNode): unknown {
  const { value } = node;
  if (Array.isArray(value)) return value.map(toPlain);
  if (!(value instanceof Map)) return value;
  const plain: Record<string, unknown> = {};
  for (const [key, child] of value) {
    if (key !== "__proto__") plain[key] = toPlain(child);
  }
  return plain;
}

/** The number of values that may still be read. All files of a configuration share the allowance. */
export interface ValueAllowance {
  remaining: number;
  /** The maximum nesting depth. Defaults to `limits.configDepth`. */
  readonly maxDepth?: number;
}

/**
 * Parses JSON (RFC 8259). Skips a byte order mark. If several members have the same key, the last one applies. Throws
 * `site_invalid` for text that is not JSON, is nested too deeply or has more values than allowed. The message contains
 * `file:line:column`, and the details contain `file`, `line`, `column` and `reason`.
 */
export function parseJson(
  file: string,
  text: string,
  allowance: ValueAllowance = { remaining: limits.configValues },
): JsonNode {
  return new JsonParser(new JsonSource(file, text), allowance).parse();
}

/** Parses JSON like `parseJson`, but returns undefined where `parseJson` throws. */
export function tryParseJson(file: string, text: string): JsonNode | undefined {
  try {
    return parseJson(file, text);
  } catch (error) {
    if (error instanceof OctavoError) return undefined;
    throw error;
  }
}

/**
 * Parses JSON to a value without positions, with the engine's fast parser. On failure, returns the reason and position.
 * Never throws. The caller must limit how deeply the value may be nested.
 */
export function parsePlainJson(text: string, maxDepth: number): ParseResult {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return findFault(text, maxDepth) ?? { reason: String(error) };
  }
}

function findFault(text: string, maxDepth: number): ParseResult | undefined {
  try {
    parseJson("", text, { remaining: Infinity, maxDepth });
  } catch (error) {
    if (!(error instanceof OctavoError)) throw error;
    const { reason, line, column } = error.details;
    return { reason: String(reason), position: { line: Number(line), column: Number(column) } };
  }
  return undefined;
}

const blankPattern = /[ \t\r\n]*/y;
const plainStringPattern = /"[^"\\\p{Cc}]*"/uy;
const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const literals = [
  ["true", true],
  ["false", false],
  ["null", null],
] as const;

class JsonParser {
  readonly #source: JsonSource;
  readonly #text: string;
  readonly #allowance: ValueAllowance;
  #at: number;

  constructor(source: JsonSource, allowance: ValueAllowance) {
    this.#source = source;
    this.#text = source.text;
    this.#allowance = allowance;
    this.#at = source.text.startsWith("\uFEFF") ? 1 : 0;
  }

  parse(): JsonNode {
    this.#skipBlank();
    const node = this.#readValue(0);
    this.#skipBlank();
    if (this.#at < this.#text.length) this.#fail("there is more text after the end of the value");
    return node;
  }

  #readValue(depth: number, entryStart = this.#at): JsonNode {
    const { maxDepth = limits.configDepth } = this.#allowance;
    if (depth > maxDepth) this.#fail(`nested deeper than ${maxDepth} levels`);
    if (--this.#allowance.remaining < 0) this.#fail(`more than ${limits.configValues} values`);
    const start = this.#at;
    const value = this.#readContent(depth);
    return { source: this.#source, start, end: this.#at, entryStart, value };
  }

  #readContent(depth: number): JsonValue {
    switch (this.#text[this.#at]) {
      case "{":
        return this.#readObject(depth);
      case "[":
        return this.#readList(depth);
      case '"':
        return this.#readString();
      default:
        return this.#readScalar();
    }
  }

  #readObject(depth: number): ReadonlyMap<string, JsonNode> {
    const members = new Map<string, JsonNode>();
    this.#at += 1;
    this.#skipBlank();
    if (this.#take("}")) return members;
    for (;;) {
      const entryStart = this.#at;
      if (this.#text[entryStart] !== '"') this.#fail("expected a key in double quotes");
      const key = this.#readString();
      this.#skipBlank();
      if (!this.#take(":")) this.#fail('expected ":" after the key');
      this.#skipBlank();
      members.set(key, this.#readValue(depth + 1, entryStart));
      this.#skipBlank();
      if (this.#take("}")) return members;
      if (!this.#take(",")) this.#fail('expected "," or "}"');
      this.#rejectTrailingComma("}");
    }
  }

  #readList(depth: number): readonly JsonNode[] {
    const items: JsonNode[] = [];
    this.#at += 1;
    this.#skipBlank();
    if (this.#take("]")) return items;
    for (;;) {
      items.push(this.#readValue(depth + 1));
      this.#skipBlank();
      if (this.#take("]")) return items;
      if (!this.#take(",")) this.#fail('expected "," or "]"');
      this.#rejectTrailingComma("]");
    }
  }

  /** Throws if a comma precedes the end of a list or object, which JSON does not allow. */
  #rejectTrailingComma(end: string): void {
    const comma = this.#at - 1;
    this.#skipBlank();
    const next = this.#text[this.#at];
    if (next !== end && next !== ",") return;
    this.#at = comma;
    this.#fail(`there is an extra comma before ${JSON.stringify(next)}`);
  }

  #readString(): string {
    const start = this.#at;
    plainStringPattern.lastIndex = start;
    if (plainStringPattern.test(this.#text)) {
      this.#at = plainStringPattern.lastIndex;
      return this.#text.slice(start + 1, this.#at - 1);
    }
    this.#at = this.#findEndOfString(start);
    try {
      return JSON.parse(this.#text.slice(start, this.#at)) as string;
    } catch {
      this.#at = start;
      return this.#fail(
        "this string contains an escape or control character that JSON does not allow",
      );
    }
  }

  #findEndOfString(start: number): number {
    for (let at = start + 1; at < this.#text.length; at++) {
      const character = this.#text[at];
      if (character === '"') return at + 1;
      if (character === "\\") at++;
    }
    return this.#fail("this string has no closing quote");
  }

  #readScalar(): number | boolean | null {
    for (const [word, value] of literals) {
      if (this.#text.startsWith(word, this.#at)) {
        this.#at += word.length;
        return value;
      }
    }
    numberPattern.lastIndex = this.#at;
    const digits = numberPattern.exec(this.#text)?.[0];
    if (digits === undefined) return this.#fail("expected a value");
    this.#at += digits.length;
    return Number(digits);
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #skipBlank(): void {
    blankPattern.lastIndex = this.#at;
    blankPattern.test(this.#text);
    this.#at = blankPattern.lastIndex;
  }

  #fail(reason: string): never {
    const location = this.#source.positionAt(this.#at);
    throw new OctavoError(
      "site_invalid",
      `${location.file}:${location.line}:${location.column}: ${reason}. Correct the file and try again.`,
      { details: { ...location, reason } },
    );
  }
}

/**
 * The site's file that a `$ref` names. `fault` is `form` if the value is not the relative path of a .json file, and
 * `outside` if the path leads out of the site.
 */
export type ReferencedFile =
  | { readonly path: string }
  | { readonly path?: undefined; readonly fault: "form" | "outside" };

/** Resolves the value of a `$ref`. Its path is relative to the folder of the file that contains the `$ref`. */
export function resolveJsonReference(reference: JsonNode): ReferencedFile {
  const text = findJsonText(reference);
  const isRelative = text !== undefined && !posix.isAbsolute(text) && !/^[a-z]+:/i.test(text);
  if (!isRelative || !text.endsWith(".json")) return { fault: "form" };
  const path = cleanRelativePath(posix.join(posix.dirname(reference.source.file), text));
  return path === undefined ? { fault: "outside" } : { path };
}
