import { LineIndex, type TextPlace } from "./line-index.ts";
import type { ParseResult } from "./parse-result.ts";
import { parseYaml, type YamlOptions } from "./yaml.ts";

/** A place where a text is not valid YAML, and how it was read. */
export interface YamlSlip {
  readonly place: TextPlace;
  /** Why the parser refused it. */
  readonly reason: string;
  /** What was read instead, to follow "it is read". */
  readonly reading: string;
}

export type LenientYaml =
  | { readonly value: unknown; readonly text: string; readonly slips: readonly YamlSlip[] }
  | Extract<ParseResult, { readonly reason: string }>;

/** Characters that may be parsed again after repairs, and how many repairs there may be: a second. */
const maxParsedCharacters = 16 * 1024 * 1024;
const maxRepairs = 200;

/**
 * Reads a YAML text that `parseYaml` refuses, as other parsers do: closing brackets that stand too far to the left,
 * tags that nobody knows, comments without a space before them, a second document; and values that none
 * reads without quotes. `text` in the result is the repaired text; its lines are those of the original. What
 * cannot be repaired fails with the first error.
 */
export function parseLenientYaml(text: string, options: YamlOptions): LenientYaml {
  const slips: YamlSlip[] = [];
  let current = text;
  let parsed = parseYaml(current, options);
  const first = parsed;
  for (let left = maxParsedCharacters; "reason" in parsed; left -= current.length) {
    const isAffordable = left > 0 && slips.length < maxRepairs;
    const repair = isAffordable ? repairAt(current, parsed) : undefined;
    if (repair === undefined) return "reason" in first ? first : parsed;
    slips.push({ place: repair.place, reason: parsed.reason, reading: repair.reading });
    current = repair.text;
    parsed = parseYaml(current, options);
  }
  return { value: parsed.value, text: current, slips };
}

interface Repair {
  readonly place: TextPlace;
  readonly text: string;
  readonly reading: string;
}

type Failure = Extract<ParseResult, { readonly reason: string }>;

function repairAt(text: string, { reason, place }: Failure): Repair | undefined {
  if (reason.startsWith("expected a single document")) return firstDocument(text);
  if (place === undefined) return undefined;
  const at = new LineIndex(text).offsetOf(place.line, place.column);
  const edit = editFor(reason, text, at);
  if (edit === undefined) return undefined;
  const { start, end, insert, reading } = edit;
  return { place, text: text.slice(0, start) + insert + text.slice(end), reading };
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly insert: string;
  readonly reading: string;
}

/** No description is indented further. */
const farIndent = " ".repeat(300);

function editFor(reason: string, text: string, at: number): Edit | undefined {
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
    ? quotedValue(text, at)
    : undefined;
}

/** A key, also of a list's item, and what follows it on the line. */
const entry = /^((?:[ \t]*-[ \t]+)*[ \t]*[^\s"'#&*!|>{}[\]%@`:][^:\n]{0,300}:[ \t]+)(\S.*)$/;

/** `description: Note: this` is refused by all, and means what it says. */
function quotedValue(text: string, at: number): Edit | undefined {
  const start = text.lastIndexOf("\n", at - 1) + 1;
  const lineEnd = text.indexOf("\n", at);
  const end = lineEnd === -1 ? text.length : lineEnd;
  const [, key = "", value = ""] = entry.exec(text.slice(start, end)) ?? [];
  if (value === "" || /^'.*'$/.test(value.trim())) return undefined;
  const quoted = `'${value.trim().replaceAll("'", "''")}'`;
  return { start: start + key.length, end, insert: quoted, reading: "as if it were in quotes" };
}

const documentMark = /^(?:---|\.\.\.)(?=\s|$)/gm;

function firstDocument(text: string): Repair | undefined {
  // The mark above the first document has nothing above itself but comments and directives.
  const found = [...text.matchAll(documentMark)].find(({ index }) =>
    /^[^\s#%.-]/m.test(text.slice(0, index)),
  );
  if (!found) return undefined;
  const place = new LineIndex(text).placeAt(found.index);
  const reading = "without the documents after the first";
  return { place, text: text.slice(0, found.index), reading };
}
