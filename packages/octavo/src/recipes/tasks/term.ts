import type { TaskOf } from "../instruction/task.ts";
import { fieldText, frontmatterFields, LineIndex, yamlText } from "@octavo/site/text";
import type { FrontmatterField, TextEdit } from "@octavo/site/text";
import { escapePattern } from "../text/escape-pattern.ts";
import { pageSpans } from "../text/page-spans.ts";
import type { Span } from "../text/span.ts";
import { articleBefore } from "./article.ts";
import { isAfterDeterminer, isAfterVerbSign, startsSentence } from "./grammar.ts";

/** A place where the term, or a word of its letters, stands and stays, and why. */
export interface LeftPlace {
  readonly line: number;
  readonly reason: string;
}

export interface TermEdits {
  readonly edits: readonly TextEdit[];
  readonly left: readonly LeftPlace[];
}

/** What the site's texts show of a word. */
export interface Usage {
  /** It is a verb in places. */
  readonly isVerb: boolean;
  /** Of a term with a capital: it is written in small letters in places. */
  readonly isCommon: boolean;
}

/** A term that becomes another one: whole words in its own letters, and nothing that could be something else. */
export interface Term {
  /** A pattern for `search` that finds every line on which the term stands or begins. */
  readonly query: string;
  /** The term within `[start, end)`, which begins a sentence. */
  labelEdits(text: string, start: number, end: number): TermEdits;
  /** The edits of a whole page, spelled for where they stand. */
  pageEdits(page: string): TermEdits;
}

type Pair = Pick<TaskOf<"rename_term">, "from" | "to">;
type Renaming = Pick<TaskOf<"rename_term">, "from" | "to" | "inCode" | "withPlural">;

/** Between the words of a term: blanks, or one line end with what the next line begins with. */
const gap = String.raw`(?:[ \t]+|[ \t]*\r?\n[ \t>]*)`;
/** What may stand between words that are read together. */
const markup = /[\s*_"“”‘’'[\]()>-]+/;

export function createTerm({ from, to, inCode, withPlural }: Renaming, usage: Usage): Term {
  const forms = [{ from, to }, ...(withPlural ? [{ from: pluralOf(from), to: pluralOf(to) }] : [])];
  const finders = forms.map((form) => ({ ...form, pattern: patternOf(form.from) }));

  function findIn(text: string, span: Span): Found[] {
    return finders
      .flatMap((form) =>
        [...text.slice(span.start, span.end).matchAll(form.pattern)].flatMap((match) => {
          const start = span.start + match.index;
          const place = { text, span, start, end: start + match[0].length };
          return foundAt(place, form, usage) ?? [];
        }),
      )
      .toSorted((a, b) => a.start - b.start);
  }

  return {
    query: queryOf(from),
    labelEdits(text, start, end) {
      const found = findIn(text, { kind: "metadata", start, end });
      return { edits: found.filter(isCertain), left: leftOf(text, found) };
    },
    pageEdits(page) {
      const fields = new Map(frontmatterFields(page).map((field) => [field.valueStart, field]));
      const spans = pageSpans(page).filter(({ kind }) => kind !== "code" || inCode);
      const found = spans.map((span) => ({ span, places: findIn(page, span) }));
      const edits = found.flatMap(({ span, places }) => {
        const field = span.kind === "metadata" ? fields.get(span.start) : undefined;
        const certain = places.filter(isCertain);
        return field === undefined
          ? certain.map((edit) => fit(edit, span))
          : fieldEdits(page, field, certain);
      });
      return { edits, left: leftOf(page, found.flatMap(({ places }) => places)) }; // prettier-ignore
    },
  };
}

/** A place of the term with what would stand there, and why that is not done. */
interface Found extends TextEdit {
  readonly reason?: string | undefined;
}

function isCertain({ reason }: Found): boolean {
  return reason === undefined;
}

function leftOf(text: string, found: readonly Found[]): LeftPlace[] {
  const left = found.filter((place) => !isCertain(place));
  if (left.length === 0) return [];
  const lines = new LineIndex(text);
  return left.map(({ start, reason = "" }) => ({ line: lines.lineAt(start) + 1, reason }));
}

function foundAt(place: Place, form: Pair, usage: Usage): Found | undefined {
  const { text, span, start, end } = place;
  const decision = isWhole(place) ? decide(place, form, usage) : partOf(place);
  if (decision === undefined) return undefined;
  const edit = { start, end, text: keepGaps(text.slice(start, end), decision.text) };
  if (decision.reason !== undefined) return { ...edit, reason: decision.reason };
  return span.kind === "code" ? edit : withArticle(edit, text.slice(span.start, start), form);
}

/** A compound may be a name of its own; what else holds the letters of the term is another word. */
function partOf({ text, start, end }: Place): Decision | undefined {
  const isCompound = /[\p{L}\p{N}]-$/u.test(text.slice(0, start).slice(-2)) || /^-[\p{L}\p{N}]/u.test(text.slice(end, end + 2)); // prettier-ignore
  const isEnclosed = /[\p{L}\p{N}_/\\@#$.]$/u.test(text.slice(0, start).slice(-1)) || /^[\p{L}\p{N}_/\\@(.]\S/u.test(text.slice(end, end + 2)); // prettier-ignore
  return isCompound && !isEnclosed ? { text: "", reason: "part of a compound" } : undefined;
}

interface Place {
  readonly text: string;
  readonly span: Span;
  readonly start: number;
  readonly end: number;
}

interface Decision {
  readonly text: string;
  /** Why the place is left after all. */
  readonly reason?: string;
}

/** What becomes of a word of the term's letters; undefined where it has the new name already. */
function decide(place: Place, form: Pair, usage: Usage): Decision | undefined {
  const { text, start, end, span } = place;
  const found = text.slice(start, end).split(new RegExp(gap)).join(" ");
  if (isNewAlready(place, form)) return undefined;
  const isStart = startsSentence(text, span, start);
  const spelled = spellingOf(found, form, isStart);
  if (spelled === undefined)
    return { text: found, reason: `written “${found}”, which may mean something else` };
  if (wouldDouble(place, form))
    return { text: spelled, reason: "the new name would stand beside a part of itself" };
  if (span.kind === "code") return { text: spelled };
  const doubt = doubtOf(place, { usage, isStart, isExact: found === form.from });
  return doubt === undefined ? { text: spelled } : { text: spelled, reason: doubt };
}

/** The new name for the found spelling; undefined where the case says that something else may be meant. */
function spellingOf(found: string, { from, to }: Pair, isStart: boolean): string | undefined {
  if (found === from) return to;
  return isStart && found === capitalize(from) ? capitalize(to) : undefined;
}

function doubtOf(
  { text, span, start }: Place,
  { usage, isStart, isExact }: { usage: Usage; isStart: boolean; isExact: boolean },
): string | undefined {
  const before = text.slice(Math.max(span.start, start - 80), start);
  if (usage.isCommon && isStart && isExact)
    return "begins a sentence, where it may be the common word";
  if (!usage.isVerb) return undefined;
  if (isAfterVerbSign(before)) return "is a verb here";
  return isAfterDeterminer(before) ? undefined : "may be a verb here";
}

/** Whether the place is a part of the new name: `MCP Inspector` where `Inspector` becomes that. */
function isNewAlready({ text, start, end }: Place, { from, to }: Pair): boolean {
  for (let at = to.indexOf(from); at !== -1; at = to.indexOf(from, at + 1)) {
    const whole = text.slice(Math.max(0, start - at), end + to.length - at - from.length);
    if (whole.toLowerCase() === to.toLowerCase()) return true;
  }
  const [own, next] = [wordsOf(from), wordsOf(to)];
  const before = wordsBefore(text, start);
  const after = wordsAfter(text, end);
  for (let at = 0; at + own.length <= next.length; at++) {
    if (!own.every((word, index) => next[at + index] === word)) continue;
    const head = next.slice(0, at);
    const tail = next.slice(at + own.length);
    if (head.length + tail.length === 0) continue;
    const hasHead = head.length === 0 || head.join(" ") === before.slice(-head.length).join(" ");
    if (hasHead && tail.join(" ") === after.slice(0, tail.length).join(" ")) return true;
  }
  return false;
}

/** Whether the new name would begin or end with the word that stands beside it. */
function wouldDouble({ text, start, end }: Place, { from, to }: Pair): boolean {
  const [old, next] = [wordsOf(from), wordsOf(to)];
  const before = wordsBefore(text, start).at(-1);
  const after = wordsAfter(text, end)[0];
  if (before !== undefined && before === next[0] && before !== old[0]) return true;
  return after !== undefined && after === next.at(-1) && after !== old.at(-1);
}

/** The words before and behind an offset that are read with what stands there: no punctuation lies between. */
function wordsBefore(text: string, at: number): string[] {
  return wordsOf(
    text.slice(Math.max(0, at - 200), at).replace(/^.*(?:[.,!?:;|](?=\s)|\n\s*\n)/s, ""),
  );
}

function wordsAfter(text: string, at: number): string[] {
  return wordsOf(text.slice(at, at + 200).replace(/(?:[.,!?:;|](?=\s|$)|\n\s*\n).*$/s, ""));
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().split(markup).filter((word) => word !== "").map((word) => word.replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "")); // prettier-ignore
}

/** Whole words only, and no parts of compounds, addresses, file names, mentions and identifiers. */
function isWhole({ text, start, end }: Place): boolean {
  const before = text.slice(Math.max(0, start - 2), start);
  const after = text.slice(end, end + 2);
  if (/[\p{L}\p{N}_/\\@#$-]$/u.test(before) || /^[\p{L}\p{N}_/\\@(-]/u.test(after)) return false;
  return !/[\p{L}\p{N}][.:]$/u.test(before) && !/^(?:\.|::?)[\p{L}\p{N}]/u.test(after);
}

function withArticle(edit: TextEdit, before: string, form: Pair): TextEdit {
  const article = articleBefore(before, form);
  return { ...edit, start: edit.start - article.length, text: article.text + edit.text };
}

/** A new text that would be markup where it is put is escaped. */
function fit(edit: TextEdit, { kind }: Span): TextEdit {
  if (kind === "attribute") return { ...edit, text: edit.text.replaceAll('"', "&quot;") };
  return kind === "prose" ? { ...edit, text: edit.text.replaceAll(/[<{]/g, "\\$&") } : edit;
}

/** Words that mean something in YAML make the whole value a quoted one. */
function fieldEdits(page: string, field: FrontmatterField, edits: readonly TextEdit[]): TextEdit[] {
  const [first] = edits;
  if (first === undefined) return [];
  const isPlain = edits.every(({ text }) => !/[:#"'\\]|^[-?!&*%@[{|>]/.test(text));
  if (isPlain) return [...edits];
  const value = edits.reduceRight(
    (text, edit) =>
      text.slice(0, edit.start - field.valueStart) +
      edit.text +
      text.slice(edit.end - field.valueStart),
    page.slice(field.valueStart, field.valueEnd),
  );
  const around = field.quote === "" ? 0 : 1;
  const unquoted =
    field.quote === ""
      ? value
      : fieldText(value, { ...field, valueStart: 0, valueEnd: value.length });
  return [
    { start: field.valueStart - around, end: field.valueEnd + around, text: yamlText(unquoted) },
  ];
}

function patternOf(term: string): RegExp {
  return new RegExp(term.split(/\s+/).map(escapePattern).join(gap), "gi");
}

/** `Acme(\s+Cloud|\s*$)`: search looks at single lines, and a term may go on in the next. */
function queryOf(term: string): string {
  const parts = term.split(/\s+/).slice(0, 8).map(escapePattern);
  return parts
    .reduceRight((rest, part) => (rest === "" ? part : String.raw`${part}(\s+${rest}|\s*$)`), "")
    .slice(0, 1_000);
}

/** A line end within the term stays where it was, if the new one has as many words. */
function keepGaps(found: string, to: string): string {
  const gaps = found.match(new RegExp(gap, "g")) ?? [];
  const words = to.split(" ");
  if (gaps.length !== words.length - 1) return to;
  return words.map((word, index) => word + (gaps[index] ?? "")).join("");
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function pluralOf(term: string): string {
  if (/[^aeiou]y$/i.test(term)) return `${term.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/i.test(term) ? `${term}es` : `${term}s`;
}
