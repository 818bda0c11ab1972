/** A value of a JSON text with its place, `[start, end)`. */
export type JsonNode =
  | {
      readonly type: "string";
      readonly value: string;
      readonly start: number;
      readonly end: number;
    }
  | { readonly type: "other"; readonly start: number; readonly end: number }
  | {
      readonly type: "array";
      readonly items: readonly JsonNode[];
      readonly start: number;
      readonly end: number;
    }
  | {
      readonly type: "object";
      readonly entries: readonly JsonEntry[];
      readonly start: number;
      readonly end: number;
    };

export interface JsonEntry {
  readonly key: string;
  readonly value: JsonNode;
}

export type JsonObject = Extract<JsonNode, { readonly type: "object" }>;
export type JsonArray = Extract<JsonNode, { readonly type: "array" }>;

/** Deeper configurations are no configurations. */
const deepest = 200;

/** Reads a JSON text with the places of its values; undefined where it is not JSON. Linear. */
export function parseJsonTree(text: string): JsonNode | undefined {
  try {
    // The engine's own parser says what JSON is; the reader below then only looks for places.
    JSON.parse(text);
    return new Reader(text).value(0);
  } catch {
    return undefined;
  }
}

class Reader {
  readonly #text: string;
  readonly #token = /\s*(?:("(?:[^"\\]|\\.)*")|([{}[\],:])|([^\s{}[\],:"]+))/y;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(depth: number): JsonNode {
    if (depth > deepest) throw new RangeError("nested too deeply");
    const { token, start } = this.#next();
    if (token.startsWith('"')) {
      return { type: "string", value: JSON.parse(token) as string, start, end: this.#at };
    }
    if (token === "[") return this.#array(start, depth);
    if (token === "{") return this.#object(start, depth);
    return { type: "other", start, end: this.#at };
  }

  #array(start: number, depth: number): JsonNode {
    const items: JsonNode[] = [];
    while (!this.#takes("]")) {
      items.push(this.value(depth + 1));
      this.#takes(",");
    }
    return { type: "array", items, start, end: this.#at };
  }

  #object(start: number, depth: number): JsonNode {
    const entries: JsonEntry[] = [];
    while (!this.#takes("}")) {
      const key = JSON.parse(this.#next().token) as string;
      this.#next();
      entries.push({ key, value: this.value(depth + 1) });
      this.#takes(",");
    }
    return { type: "object", entries, start, end: this.#at };
  }

  #next(): { readonly token: string; readonly start: number } {
    this.#token.lastIndex = this.#at;
    const found = this.#token.exec(this.#text);
    const token = found?.[1] ?? found?.[2] ?? found?.[3];
    if (token === undefined) throw new RangeError("ends too early");
    this.#at = this.#token.lastIndex;
    return { token, start: this.#at - token.length };
  }

  #takes(character: string): boolean {
    const before = this.#at;
    if (this.#next().token === character) return true;
    this.#at = before;
    return false;
  }
}

export function member(node: JsonNode | undefined, key: string): JsonNode | undefined {
  if (node?.type !== "object") return undefined;
  return node.entries.findLast((entry) => entry.key === key)?.value;
}

export function stringMember(node: JsonNode | undefined, key: string): string | undefined {
  const value = member(node, key);
  return value?.type === "string" ? value.value : undefined;
}

/** A value and the key under which an object holds it, with the objects that it stands in, outermost first. */
export interface JsonPlace {
  readonly key: string | undefined;
  readonly node: JsonNode;
  readonly within: readonly JsonObject[];
}

/** Every value of the tree, in the order of the text. */
export function* placesOf(
  node: JsonNode | undefined,
  within: readonly JsonObject[] = [],
  key?: string,
): Generator<JsonPlace> {
  if (node === undefined) return;
  yield { key, node, within };
  if (node.type === "array") for (const item of node.items) yield* placesOf(item, within, key);
  if (node.type !== "object") return;
  for (const entry of node.entries) yield* placesOf(entry.value, [...within, node], entry.key);
}

/**
 * The edit that puts `value` at the end of an array, in the array's own form: on a line of its own where its
 * items stand so, else behind the last one.
 */
export function appendToArray(
  text: string,
  array: JsonArray,
  value: string,
): { readonly start: number; readonly end: number; readonly text: string } {
  const last = array.items.at(-1);
  const close = array.end - 1;
  if (last === undefined) {
    const own = indentOfLine(text, array.start);
    const isOpen = text.slice(array.start, array.end).includes("\n");
    const filled = isOpen ? `\n${own}${stepOf(text)}${value}\n${own}` : value;
    return { start: array.start + 1, end: close, text: filled };
  }
  const gap = text.slice(array.items.at(-2)?.end ?? array.start + 1, last.start);
  const lineEnd = /\r?\n[ \t]*$/.exec(gap)?.[0];
  return { start: last.end, end: last.end, text: `,${lineEnd ?? " "}${value}` };
}

function indentOfLine(text: string, at: number): string {
  const start = text.lastIndexOf("\n", at) + 1;
  return /^[ \t]*/.exec(text.slice(start, at))?.[0] ?? "";
}

/** What the text indents by. */
function stepOf(text: string): string {
  return /\n([ \t]+)"/.exec(text)?.[1] ?? "  ";
}
