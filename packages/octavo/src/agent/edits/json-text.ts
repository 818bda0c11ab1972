import { OctavoError } from "@octavo/site/core";
import type { TextEdit } from "./text-edit.ts";

/**
 * JSON as text: values that know where they stand, and edits of single values that leave every other
 * character of the file as its author wrote it.
 */
export type JsonText = JsonObject | JsonList | JsonString | JsonScalar;

interface Span {
  readonly start: number;
  readonly end: number;
}
export interface JsonObject extends Span {
  readonly kind: "object";
  readonly members: readonly JsonMember[];
}
export interface JsonMember extends Span {
  readonly key: string;
  readonly value: JsonText;
}
export interface JsonList extends Span {
  readonly kind: "list";
  readonly items: readonly JsonText[];
}
export interface JsonString extends Span {
  readonly kind: "string";
  readonly value: string;
}
export interface JsonScalar extends Span {
  readonly kind: "scalar";
}

const maxDepth = 64;
const maxValues = 1_000_000;

/** Reads JSON; throws `invalid_input` with file, line and column where the text is none. */
export function parseJsonText(file: string, text: string): JsonText {
  return new Parser(file, text).parse();
}

/** The member of an object that counts: of two equal keys the later. */
export function memberOf(node: JsonText | undefined, key: string): JsonMember | undefined {
  return node?.kind === "object"
    ? node.members.findLast((member) => member.key === key)
    : undefined;
}

/** Replaces a string. */
export function setString(node: JsonString, value: string): TextEdit {
  return { start: node.start, end: node.end, text: JSON.stringify(value) };
}

/** Takes items out of a list, or members out of an object, with their commas and line ends. */
export function removeEntries(
  container: JsonObject | JsonList,
  isRemoved: (index: number) => boolean,
): TextEdit[] {
  const entries = container.kind === "list" ? container.items : container.members;
  const firstKept = entries.findIndex((_, index) => !isRemoved(index));
  if (firstKept === -1) return [{ start: container.start + 1, end: container.end - 1, text: "" }];
  const edits: TextEdit[] = [];
  for (const [index, entry] of entries.entries()) {
    if (!isRemoved(index)) continue;
    const previous = entries[index - 1];
    const next = entries[index + 1];
    const start = index < firstKept ? entry.start : (previous?.end ?? entry.start);
    const end = index < firstKept ? (next?.start ?? entry.end) : entry.end;
    edits.push({ start, end, text: "" });
  }
  return edits;
}

/** Adds an item at the end of a list, written as its neighbours are. */
export function appendItem(
  text: string,
  list: JsonList,
  value: Readonly<Record<string, string>>,
): TextEdit {
  const last = list.items.at(-1);
  const style = styleOf(text);
  if (!last) {
    const indent = indentAt(text, list.start);
    const inner = indent + style.unit;
    const item = writeBlock(value, inner, style);
    const content = style.eol === "" ? item : style.eol + inner + item + style.eol + indent;
    return { start: list.start + 1, end: list.end - 1, text: content };
  }
  const previous = list.items.at(-2);
  // What stands between two items stands before the new one too.
  const gap = previous
    ? text.slice(previous.end, last.start)
    : `,${text.slice(list.start + 1, last.start)}`;
  const isBlock = text.slice(last.start, last.end).includes("\n");
  const item = isBlock
    ? writeBlock(value, indentAt(text, last.start), style)
    : writeInline(value, text.slice(last.start, last.end));
  return { start: last.end, end: last.end, text: gap + item };
}

/** Adds a member with a list of one item at the end of an object. */
export function appendListMember(
  text: string,
  object: JsonObject,
  member: { readonly key: string; readonly item: Readonly<Record<string, string>> },
): TextEdit {
  const style = styleOf(text);
  const last = object.members.at(-1);
  const indent = indentAt(text, object.start);
  const outer = indent + style.unit;
  const inner = outer + style.unit;
  const item = writeBlock(member.item, inner, style);
  const list = style.eol === "" ? `[${item}]` : `[${style.eol}${inner}${item}${style.eol}${outer}]`;
  const written = `${JSON.stringify(member.key)}:${style.eol === "" ? "" : " "}${list}`;
  if (last)
    return {
      start: last.end,
      end: last.end,
      text: `,${style.eol}${style.eol === "" ? "" : outer}${written}`,
    };
  const content = style.eol === "" ? written : style.eol + outer + written + style.eol + indent;
  return { start: object.start + 1, end: object.end - 1, text: content };
}

interface Style {
  /** Empty in a file of one line. */
  readonly eol: string;
  readonly unit: string;
}

function styleOf(text: string): Style {
  const line = /(\r?\n)([ \t]+)\S/.exec(text);
  if (line) return { eol: line[1] ?? "\n", unit: line[2] ?? "  " };
  return text.trimEnd().includes("\n") ? { eol: "\n", unit: "" } : { eol: "", unit: "" };
}

/** The blanks at the beginning of the line in which `offset` stands. */
function indentAt(text: string, offset: number): string {
  const lineStart = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(lineStart, offset))?.[0] ?? "";
}

function writeBlock(value: Readonly<Record<string, string>>, indent: string, style: Style): string {
  if (style.eol === "") return JSON.stringify(value);
  const inner = indent + style.unit;
  const lines = Object.entries(value).map(
    ([key, text]) => `${inner}${JSON.stringify(key)}: ${JSON.stringify(text)}`,
  );
  return `{${style.eol}${lines.join(`,${style.eol}`)}${style.eol}${indent}}`;
}

function writeInline(value: Readonly<Record<string, string>>, neighbour: string): string {
  const padding = /^\{[ \t]/.test(neighbour) ? " " : "";
  const colon = /":\s/.test(neighbour) ? ": " : ":";
  const comma = /",\s/.test(neighbour) || colon === ": " ? ", " : ",";
  const members = Object.entries(value).map(
    ([key, text]) => JSON.stringify(key) + colon + JSON.stringify(text),
  );
  return `{${padding}${members.join(comma)}${padding}}`;
}

const blank = /[ \t\r\n]*/y;
const scalar = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)/y;

class Parser {
  readonly #file: string;
  readonly #text: string;
  #at: number;
  #values = 0;

  constructor(file: string, text: string) {
    this.#file = file;
    this.#text = text;
    this.#at = text.startsWith("\uFEFF") ? 1 : 0;
  }

  parse(): JsonText {
    this.#skipBlank();
    const node = this.#value(0);
    this.#skipBlank();
    if (this.#at < this.#text.length) this.#fail("there is more text after the end");
    return node;
  }

  #value(depth: number): JsonText {
    if (depth > maxDepth) this.#fail(`nested deeper than ${maxDepth} levels`);
    if (++this.#values > maxValues) this.#fail(`more than ${maxValues} values`);
    const character = this.#text[this.#at];
    if (character === "{") return this.#object(depth);
    if (character === "[") return this.#list(depth);
    if (character === '"') return this.#string();
    const start = this.#at;
    scalar.lastIndex = start;
    if (!scalar.test(this.#text)) this.#fail("expected a value");
    this.#at = scalar.lastIndex;
    return { kind: "scalar", start, end: this.#at };
  }

  #object(depth: number): JsonObject {
    const start = this.#at++;
    const members: JsonMember[] = [];
    this.#skipBlank();
    while (!this.#take("}")) {
      if (members.length > 0) this.#separate('"}"');
      if (this.#text[this.#at] !== '"') this.#fail("expected a key in double quotes");
      const key = this.#string();
      this.#skipBlank();
      if (!this.#take(":")) this.#fail('expected ":" after the key');
      this.#skipBlank();
      const value = this.#value(depth + 1);
      members.push({ key: key.value, value, start: key.start, end: value.end });
      this.#skipBlank();
    }
    return { kind: "object", start, end: this.#at, members };
  }

  #list(depth: number): JsonList {
    const start = this.#at++;
    const items: JsonText[] = [];
    this.#skipBlank();
    while (!this.#take("]")) {
      if (items.length > 0) this.#separate('"]"');
      items.push(this.#value(depth + 1));
      this.#skipBlank();
    }
    return { kind: "list", start, end: this.#at, items };
  }

  #string(): JsonString {
    const start = this.#at;
    let at = start + 1;
    while (at < this.#text.length && this.#text[at] !== '"') at += this.#text[at] === "\\" ? 2 : 1;
    if (at >= this.#text.length) this.#fail("this text has no closing quote");
    this.#at = at + 1;
    try {
      const value = JSON.parse(this.#text.slice(start, this.#at)) as string;
      return { kind: "string", start, end: this.#at, value };
    } catch {
      this.#at = start;
      return this.#fail("this text holds an escape or a character that JSON does not allow");
    }
  }

  #separate(end: string): void {
    if (!this.#take(",")) this.#fail(`expected "," or ${end}`);
    this.#skipBlank();
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #skipBlank(): void {
    blank.lastIndex = this.#at;
    blank.test(this.#text);
    this.#at = blank.lastIndex;
  }

  #fail(reason: string): never {
    const before = this.#text.slice(0, this.#at).split("\n");
    const place = `${this.#file}:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
    throw new OctavoError("invalid_input", `${place}: this is not JSON: ${reason}.`);
  }
}
