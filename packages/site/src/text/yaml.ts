import {
  CORE_SCHEMA,
  EVENT_ID,
  FAILSAFE_SCHEMA,
  getScalarValue,
  load,
  mergeTag,
  parseEvents,
  YAMLException,
} from "js-yaml";
import type { Event, ScalarEvent } from "js-yaml";
import { LineIndex } from "./line-index.ts";
import type { TextPosition } from "./line-index.ts";
import type { ParseResult } from "./json.ts";

export interface YamlOptions {
  readonly maxDepth: number;
  /** The maximum number of aliases. Defaults to no limit, in which case the caller must limit their expansion. */
  readonly maxAliases?: number;
  /**
   * With `asTexts`, scalars are strings with their original text. With `likeJson`, the last of equal keys applies, `<<`
   * merges maps, and dates are strings. By default, equal keys are an error.
   */
  readonly reading?: "asTexts" | "likeJson";
}

const readings = {
  asTexts: { schema: FAILSAFE_SCHEMA },
  likeJson: { schema: CORE_SCHEMA.withTags(mergeTag), json: true },
} as const;

/** Parses YAML. Never throws. A text without a value is an error. */
export function parseYaml(text: string, { reading, ...bounds }: YamlOptions): ParseResult {
  try {
    return { value: load(text, { ...bounds, ...(reading && readings[reading]) }) };
  } catch (error) {
    // js-yaml may throw errors of any type, but only its own errors have a position.
    if (!(error instanceof YAMLException)) return { reason: String(error) };
    const { mark, reason } = error;
    return { reason, ...(mark && { position: { line: mark.line + 1, column: mark.column + 1 } }) };
  }
}

/**
 * The maximum number of events that all lookups in one text may visit, so that a file full of errors takes only a few
 * seconds.
 */
const maxEvents = 20_000_000;

/**
 * Creates a function that finds the position of a path of keys in a YAML or JSON text, which is the position of the
 * last key or of its nearest existing ancestor. The text is parsed again only at the first lookup, because most texts
 * have no errors. The position is undefined if the text cannot be parsed, or after too many lookups.
 */
export function createYamlLocator(
  text: string,
  maxDepth: number,
): (keys: readonly string[]) => TextPosition | undefined {
  let events: readonly Event[] | undefined;
  let lines: LineIndex | undefined;
  let remainingEvents = maxEvents;
  return (keys) => {
    events ??= readEvents(text, maxDepth);
    remainingEvents -= events.length;
    if (remainingEvents < 0 || events.length === 0) return undefined;
    lines ??= new LineIndex(text);
    return lines.positionAt(new EventWalk(text, events).find(keys));
  };
}

function readEvents(text: string, maxDepth: number): readonly Event[] {
  try {
    return parseEvents(text, { maxDepth });
  } catch {
    return [];
  }
}

class EventWalk {
  readonly #text: string;
  readonly #events: readonly Event[];
  #at = 1;

  constructor(text: string, events: readonly Event[]) {
    this.#text = text;
    this.#events = events;
  }

  /** Returns the offset of the last of `keys` that exists. */
  find(keys: readonly string[]): number {
    let found = 0;
    for (const key of keys) {
      const offset = this.#enter(key);
      if (offset === undefined) break;
      found = offset;
    }
    return found;
  }

  /** Moves to the value of `key` in the current value, and returns the offset of the value or of the key. */
  #enter(key: string): number | undefined {
    const container = this.#events[this.#at];
    if (container?.type === EVENT_ID.MAPPING) return this.#enterMember(key);
    if (container?.type === EVENT_ID.SEQUENCE) return this.#enterItem(Number(key));
    return undefined;
  }

  #enterMember(key: string): number | undefined {
    this.#at += 1;
    for (;;) {
      const event = this.#events[this.#at];
      if (event === undefined || event.type === EVENT_ID.POP) return undefined;
      this.#skipValue();
      if (event.type === EVENT_ID.SCALAR && this.#getValue(event) === key) return event.valueStart;
      this.#skipValue();
    }
  }

  #enterItem(index: number): number | undefined {
    this.#at += 1;
    for (let item = 0; ; item++) {
      const event = this.#events[this.#at];
      if (event === undefined || event.type === EVENT_ID.POP) return undefined;
      if (item === index) return getOffset(event);
      this.#skipValue();
    }
  }

  /** Skips a value and its contents. */
  #skipValue(): void {
    let depth = 0;
    do {
      const type = this.#events[this.#at]?.type;
      if (type === EVENT_ID.MAPPING || type === EVENT_ID.SEQUENCE) depth += 1;
      if (type === EVENT_ID.POP) depth -= 1;
      this.#at += 1;
    } while (depth > 0 && this.#at < this.#events.length);
  }

  #getValue(event: ScalarEvent): string {
    return getScalarValue(this.#text, event);
  }
}

function getOffset(event: Event): number {
  if (event.type === EVENT_ID.SCALAR) return event.valueStart;
  if (event.type === EVENT_ID.ALIAS) return event.anchorStart;
  return "start" in event ? event.start : 0;
}

/** A position at which a text is not valid YAML, and how it was parsed instead. */
interface YamlRepair {
  readonly position: TextPosition;
  /** The parser's reason for rejecting the text. */
  readonly reason: string;
  /** The way in which the text was read, worded to follow "it is read". */
  readonly reading: string;
}

export type LenientYaml =
  | { readonly value: unknown; readonly text: string; readonly repairs: readonly YamlRepair[] }
  | Extract<ParseResult, { readonly reason: string }>;

/**
 * The maximum number of characters that may be parsed again after repairs. Together with the maximum number of repairs,
 * it limits the time to about a second.
 */
const maxParsedCharacters = 16 * 1024 * 1024;
const maxRepairs = 200;

/**
 * Parses YAML that `parseYaml` rejects. It accepts errors that other parsers accept: closing brackets that are not
 * indented enough, unknown tags, comments without a space before them, and a second document. It also accepts some
 * values that all parsers reject without quotation marks. `text` in the result is the repaired text, whose lines
 * correspond to the lines of the original text. If the text cannot be repaired, the result is the first error. If a
 * value has no end, the error is located at the beginning of the value.
 */
export function parseLenientYaml(text: string, options: YamlOptions): LenientYaml {
  const repairs: YamlRepair[] = [];
  let current = text;
  let parsed = parseYaml(current, options);
  const firstResult = parsed;
  for (
    let remainingCharacters = maxParsedCharacters;
    "reason" in parsed;
    remainingCharacters -= current.length
  ) {
    const isAffordable = remainingCharacters > 0 && repairs.length < maxRepairs;
    const repair = isAffordable ? repairAt(current, parsed) : undefined;
    if (repair === undefined) {
      const failure = "reason" in firstResult ? firstResult : parsed;
      const position = findUnclosedValue(text, failure, options) ?? failure.position;
      return { reason: explainReason(failure.reason), ...(position && { position }) };
    }
    const reason = explainReason(parsed.reason);
    repairs.push({ position: repair.position, reason, reading: repair.reading });
    current = repair.text;
    parsed = parseYaml(current, options);
  }
  return { value: parsed.value, text: current, repairs };
}

/** The parser's reasons, which use the terms of YAML's grammar, each with a plain-language equivalent. */
const plainReasons: ReadonlyMap<string, string> = new Map([
  [
    "deficient indentation",
    "a quotation mark or bracket is not closed, or the next line in it is not indented",
  ],
  [
    "bad indentation of a mapping entry",
    "a value with a colon or a special YAML character is not in quotes, or the line is indented too far",
  ],
  [
    "end of the stream or a document separator is expected",
    "a line has no colon after its name, or is indented differently from the lines before it",
  ],
  [
    "can not read a block mapping entry; a multiline key may not be an implicit key",
    "the line above has no colon after its name",
  ],
  ["unexpected end of the stream within a flow collection", "a bracket is not closed"],
  ["unexpected end of the stream within a single quoted scalar", "a quotation mark is not closed"],
  ["unexpected end of the stream within a double quoted scalar", "a quotation mark is not closed"],
  [
    "missed comma between flow collection entries",
    "two values in brackets have no comma between them",
  ],
  ["duplicated mapping key", "the same key occurs twice"],
]);

function explainReason(reason: string): string {
  return plainReasons.get(reason) ?? reason;
}

/**
 * Matches reasons that the parser reports where it misses the end of a value, which can be many lines below the value.
 */
const unclosedReason = /^(?:deficient indentation$|unexpected end of the stream within )/;

/** The maximum number of characters that are parsed to find the beginning of a value. */
const maxSearchedCharacters = 1024 * 1024;

/**
 * Finds the beginning of the value whose end is missing. The text before the value is complete; the same text with the
 * value's first character is not. Returns the beginning of the line if the line is too long to be searched, and
 * undefined for another kind of error or a text that is too long.
 */
function findUnclosedValue(
  text: string,
  { reason, position }: Failure,
  options: YamlOptions,
): TextPosition | undefined {
  if (position === undefined || !unclosedReason.test(reason)) return undefined;
  const lines = new LineIndex(text);
  let remainingCharacters = maxSearchedCharacters;
  const isUnclosed = (end: number): boolean => {
    remainingCharacters -= end;
    const parsed = parseYaml(text.slice(0, end), options);
    return "reason" in parsed && unclosedReason.test(parsed.reason);
  };
  let line = position.line;
  while (line > 1 && isUnclosed(lines.offsetOf(line, 1) - 1)) {
    if (remainingCharacters < 0) return undefined;
    line -= 1;
  }
  const start = lines.offsetOf(line, 1);
  const lineEnd = text.indexOf("\n", start);
  let column = lineEnd === -1 ? text.length : lineEnd;
  while (column > start && isUnclosed(column)) {
    if (remainingCharacters < 0) return { line, column: 1 };
    column -= 1;
  }
  return lines.positionAt(column);
}

interface Repair {
  readonly position: TextPosition;
  readonly text: string;
  readonly reading: string;
}

type Failure = Extract<ParseResult, { readonly reason: string }>;

function repairAt(text: string, { reason, position }: Failure): Repair | undefined {
  if (reason.startsWith("expected a single document")) return keepFirstDocument(text);
  if (position === undefined) return undefined;
  const at = new LineIndex(text).offsetOf(position.line, position.column);
  const edit = createRepairEdit(reason, text, at);
  if (edit === undefined) return undefined;
  const { start, end, insert, reading } = edit;
  return { position, text: text.slice(0, start) + insert + text.slice(end), reading };
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly insert: string;
  readonly reading: string;
}

/** The indentation for a repaired line. No real description is indented further. */
const farIndent = " ".repeat(300);

function createRepairEdit(reason: string, text: string, at: number): Edit | undefined {
  if (reason === "deficient indentation") {
    const start = text.lastIndexOf("\n", at - 1) + 1;
    return { start, end: start, insert: farIndent, reading: "as if the line were indented" };
  }
  if (/^unknown \w+ tag /.test(reason)) {
    const [tag = ""] = /^!\S*/.exec(text.slice(at, at + 300)) ?? [];
    if (tag === "") return undefined;
    return { start: at, end: at + tag.length, insert: "", reading: "without the tag" };
  }
  if (reason === "unknown escape sequence") {
    return { start: at, end: at, insert: "\\", reading: "with the backslash" };
  }
  if (reason.includes("non-printable")) {
    return { start: at, end: at + 1, insert: "\uFFFD", reading: "without the character" };
  }
  if (text[at] === "#" && !/\s/.test(text[at - 1] ?? " ")) {
    return { start: at, end: at, insert: " ", reading: "as a comment" };
  }
  return /^(?:bad indentation of a|unidentified alias)/.test(reason)
    ? quoteValue(text, at)
    : undefined;
}

/** Matches a key, possibly in a list item, and the rest of its line. */
const plainEntry = /^((?:[ \t]*-[ \t]+)*[ \t]*[^\s"'#&*!|>{}[\]%@`:][^:\n]{0,300}:[ \t]+)(\S.*)$/;

/**
 * Returns the edit that adds quotation marks to a value such as `Note: this`, which all parsers reject but whose
 * meaning is clear.
 */
function quoteValue(text: string, at: number): Edit | undefined {
  const start = text.lastIndexOf("\n", at - 1) + 1;
  const lineEnd = text.indexOf("\n", at);
  const end = lineEnd === -1 ? text.length : lineEnd;
  const [, key = "", value = ""] = plainEntry.exec(text.slice(start, end)) ?? [];
  if (value === "" || /^'.*'$/.test(value.trim())) return undefined;
  const quoted = `'${value.trim().replaceAll("'", "''")}'`;
  return { start: start + key.length, end, insert: quoted, reading: "as if it were in quotes" };
}

const documentMark = /^(?:---|\.\.\.)(?=\s|$)/gm;

function keepFirstDocument(text: string): Repair | undefined {
  // Before the marker of the first document, there can only be comments and directives.
  const found = [...text.matchAll(documentMark)].find(({ index }) =>
    /^[^\s#%.-]/m.test(text.slice(0, index)),
  );
  if (!found) return undefined;
  const position = new LineIndex(text).positionAt(found.index);
  const reading = "without the documents after the first";
  return { position, text: text.slice(0, found.index), reading };
}
