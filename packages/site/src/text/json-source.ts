import { OctavoError, limits } from "../core/index.ts";
import type { ProblemPlace } from "../core/index.ts";

/** A JSON file's text; turns offsets into lines and columns when somebody asks. */
export class JsonSource {
  readonly file: string;
  readonly text: string;
  #lineStarts: number[] | undefined;

  constructor(file: string, text: string) {
    this.file = file;
    this.text = text;
  }

  placeAt(offset: number): Required<ProblemPlace> {
    const starts = (this.#lineStarts ??= lineStarts(this.text));
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { file: this.file, line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  }
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** A JSON value that knows where it was written, so that problems can point at it. */
export interface JsonNode {
  readonly source: JsonSource;
  readonly offset: number;
  readonly value: JsonValue;
}

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonNode[]
  | ReadonlyMap<string, JsonNode>;

export function placeOf(node: JsonNode): Required<ProblemPlace> {
  return node.source.placeAt(node.offset);
}

/** The members of an object; undefined for everything else. */
export function membersOf(node: JsonNode | undefined): ReadonlyMap<string, JsonNode> | undefined {
  return node?.value instanceof Map ? node.value : undefined;
}

/** The items of a list; undefined for everything else. */
export function itemsOf(node: JsonNode | undefined): readonly JsonNode[] | undefined {
  return Array.isArray(node?.value) ? node.value : undefined;
}

/** The text of a string; undefined for everything else. */
export function textOf(node: JsonNode | undefined): string | undefined {
  return typeof node?.value === "string" ? node.value : undefined;
}

/** The value without places. A member named `__proto__` is left out: nothing that is read means it. */
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

/** How many more values may be read; shared by all files of one configuration. */
export interface ValueAllowance {
  left: number;
}

/**
 * Reads JSON (RFC 8259; a byte order mark is passed over; of two equal keys the later wins). Throws
 * `site_invalid` with `file:line:column` in the message, and `file`, `line`, `column` in the details:
 * for text that is not JSON, nesting beyond `limits.configDepth` and more values than allowed.
 */
export function parseJson(file: string, text: string, allowance: ValueAllowance): JsonNode {
  return new JsonParser(new JsonSource(file, text), allowance).parse();
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
    const node = this.#value(0);
    this.#skipBlank();
    if (this.#at < this.#text.length) this.#fail("there is more text after the end of the value");
    return node;
  }

  #value(depth: number): JsonNode {
    if (depth > limits.configDepth) this.#fail(`nested deeper than ${limits.configDepth} levels`);
    if (--this.#allowance.left < 0) this.#fail(`more than ${limits.configValues} values`);
    const offset = this.#at;
    return { source: this.#source, offset, value: this.#content(depth) };
  }

  #content(depth: number): JsonValue {
    switch (this.#text[this.#at]) {
      case "{":
        return this.#object(depth);
      case "[":
        return this.#list(depth);
      case '"':
        return this.#string();
      default:
        return this.#scalar();
    }
  }

  #object(depth: number): ReadonlyMap<string, JsonNode> {
    const members = new Map<string, JsonNode>();
    this.#at += 1;
    this.#skipBlank();
    if (this.#take("}")) return members;
    for (;;) {
      if (this.#text[this.#at] !== '"') this.#fail("expected a key in double quotes");
      const key = this.#string();
      this.#skipBlank();
      if (!this.#take(":")) this.#fail('expected ":" after the key');
      this.#skipBlank();
      members.set(key, this.#value(depth + 1));
      this.#skipBlank();
      if (this.#take("}")) return members;
      if (!this.#take(",")) this.#fail('expected "," or "}"');
      this.#passComma("}");
    }
  }

  #list(depth: number): readonly JsonNode[] {
    const items: JsonNode[] = [];
    this.#at += 1;
    this.#skipBlank();
    if (this.#take("]")) return items;
    for (;;) {
      items.push(this.#value(depth + 1));
      this.#skipBlank();
      if (this.#take("]")) return items;
      if (!this.#take(",")) this.#fail('expected "," or "]"');
      this.#passComma("]");
    }
  }

  /** What follows a comma must be another member: JSON allows none before the end. */
  #passComma(end: string): void {
    const comma = this.#at - 1;
    this.#skipBlank();
    const next = this.#text[this.#at];
    if (next !== end && next !== ",") return;
    this.#at = comma;
    this.#fail(`there is a comma too many before ${JSON.stringify(next)}`);
  }

  #string(): string {
    const start = this.#at;
    plainStringPattern.lastIndex = start;
    if (plainStringPattern.test(this.#text)) {
      this.#at = plainStringPattern.lastIndex;
      return this.#text.slice(start + 1, this.#at - 1);
    }
    this.#at = this.#endOfString(start);
    try {
      return JSON.parse(this.#text.slice(start, this.#at)) as string;
    } catch {
      this.#at = start;
      return this.#fail(
        "this text holds an escape or a control character that JSON does not allow",
      );
    }
  }

  #endOfString(start: number): number {
    for (let at = start + 1; at < this.#text.length; at++) {
      const character = this.#text[at];
      if (character === '"') return at + 1;
      if (character === "\\") at++;
    }
    return this.#fail("this text has no closing quote");
  }

  #scalar(): number | boolean | null {
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
    const place = this.#source.placeAt(this.#at);
    throw new OctavoError(
      "site_invalid",
      `${place.file}:${place.line}:${place.column}: ${reason}. Correct the file and try again.`,
      { details: { ...place, reason } },
    );
  }
}
