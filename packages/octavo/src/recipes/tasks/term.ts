import type { TaskOf } from "../instruction/task.ts";
import { fieldText, frontmatterFields, LineIndex, yamlText } from "@octavo/site/text";
import type { FrontmatterField, TextEdit } from "@octavo/site/text";
import { escapePattern } from "../text/escape-pattern.ts";
import { pageSpans } from "../text/page-spans.ts";
import type { Span } from "../text/span.ts";
import { articleBefore } from "./article.ts";
import {
  beginsWithNoun,
  isAfterDeterminer,
  isAfterVerbSign,
  isBeforeDeterminer,
  isFunctionWord,
  startsSentence,
} from "./grammar.ts";

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
  /** It is a common word: another one behind it may make a term of its own of both, as `host machine`. */
  readonly isWord: boolean;
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
const anyGap = new RegExp(gap, "g");

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
  const decision = decide(place, form, usage);
  if (decision === undefined) return undefined;
  const edit = { start, end, text: keepGaps(text.slice(start, end), decision.text) };
  if (decision.reason !== undefined) return { ...edit, reason: decision.reason };
  return withArticle(edit, text.slice(span.start, start), form);
}

/** A word of the term's letters. */
interface Place {
  readonly text: string;
  readonly span: Span;
  readonly start: number;
  readonly end: number;
}

interface Decision {
  readonly text: string;
  /** Why the place is left after all. */
  readonly reason?: string | undefined;
}

/** What becomes of a place; undefined where it has the new name already, or is no word of its own. */
function decide(place: Place, form: Pair, usage: Usage): Decision | undefined {
  const { text, span, start, end } = place;
  const found = text.slice(start, end).replaceAll(anyGap, " ");
  if (!isWhole(place)) return isCompound(place) ? { text: found, reason: "part of a compound" } : undefined; // prettier-ignore
  if (isNewAlready(place, form)) return undefined;
  const isStart = () => startsSentence(text, span, start);
  const spelled = spellingOf(found, form, isStart);
  if (spelled === undefined) return { text: found, reason: `written “${found}”, which may mean something else` }; // prettier-ignore
  if (wouldDouble(place, form)) return { text: spelled, reason: "the new name would stand beside a part of itself" }; // prettier-ignore
  if (span.kind === "code") return { text: spelled };
  if (usage.isCommon && isStart()) return { text: spelled, reason: "begins a sentence, where it may be the common word" }; // prettier-ignore
  if (usage.isCommon && isInName(place)) return { text: spelled, reason: "part of a longer name" };
  return { text: spelled, reason: linkDoubt(place) ?? wordDoubt(place, usage) };
}

/** The new name for the found spelling; undefined where the case says that something else may be meant. */
function spellingOf(found: string, { from, to }: Pair, isStart: () => boolean): string | undefined {
  if (found === from) return to;
  return found === capitalize(from) && isStart() ? capitalize(to) : undefined;
}

/** `Context` in `Model Context Protocol`: another name may begin or go on beside it. */
function isInName({ text, span, start, end }: Place): boolean {
  const before = text.slice(Math.max(span.start, start - around), start);
  const last = /(\p{Lu}[\p{L}\p{N}]*)[ \t]+$/u.exec(before)?.[1] ?? "";
  const isAfterName = last !== "" && !isFunctionWord(last);
  return isAfterName || /^[ \t]+\p{Lu}/u.test(text.slice(end, end + 10));
}

/** The words of a link to another site, which has the name in its address: it is a name there. */
function linkDoubt({ text, start, end }: Place): string | undefined {
  const address = /^[^[\]\n]{0,80}\]\((https?:[^)\s]*)/.exec(text.slice(end, end + 300))?.[1] ?? "";
  const isName = lettersOf(address).includes(lettersOf(text.slice(start, end)));
  return isName ? "the words of a link to another site" : undefined;
}

/** A common word may be a verb, or a part of a longer term. */
function wordDoubt(
  { text, span, start, end }: Place,
  { isVerb, isWord }: Usage,
): string | undefined {
  if (!isWord) return undefined;
  const [before, after] = [text.slice(Math.max(0, span.start, start - 40), start), text.slice(end, Math.min(span.end, end + 60))]; // prettier-ignore
  if (isBeforeDeterminer(after)) return "may be a verb here";
  if (isVerb && isAfterVerbSign(before)) return "is a verb here";
  if (isVerb && !isAfterDeterminer(before)) return "may be a verb here";
  // Of the plural no longer term is made: `clients connect`.
  if (text[end - 1] === "s") return undefined;
  return beginsWithNoun(after) ? "may be part of a longer term" : undefined;
}

/** Whether the place is a part of the new name: `MCP Inspector` where `Inspector` becomes that. */
function isNewAlready({ text, start, end }: Place, { from, to }: Pair): boolean {
  for (let at = to.indexOf(from); at !== -1; at = to.indexOf(from, at + 1)) {
    const [head, tail] = [to.slice(0, at), to.slice(at + from.length)];
    const isWritten = text.endsWith(head, start) && text.startsWith(tail, end);
    const [first, last] = [wordsOf(head), wordsOf(tail)];
    const hasFirst = first === "" || wordsBefore(text, start).endsWith(` ${first} `);
    const hasLast = last === "" || wordsAfter(text, end).startsWith(` ${last} `);
    if (isWritten || (hasFirst && hasLast && first + last !== "")) return true;
  }
  return false;
}

/** Whether the new name would begin or end with the word that stands beside it, or with its plural. */
function wouldDouble({ text, start, end }: Place, { from, to }: Pair): boolean {
  const [old, next] = [wordsOf(from).split(" "), wordsOf(to).split(" ")];
  const isAlike = (one = "", other = "") => one === other || pluralOf(one) === other || one === pluralOf(other); // prettier-ignore
  const [before, after] = [wordsBefore(text, start).split(" ").at(-2), wordsAfter(text, end).split(" ")[1]]; // prettier-ignore
  const isBefore = next[0] !== old[0] && before !== "" && isAlike(before, next[0]);
  // `OAuth 2.0` and `OAuth 2.1`: a number tells one name from another.
  if (/\d$/.test(to) && /^\s+v?\d/.test(text.slice(end, end + 8))) return true;
  return isBefore || (next.at(-1) !== old.at(-1) && after !== "" && isAlike(after, next.at(-1)));
}

/** How much is looked at on either side, in characters. */
const around = 120;

/** The words before and behind an offset that are read with what stands there: no punctuation lies between. */
function wordsBefore(text: string, at: number): string {
  return ` ${wordsOf(text.slice(Math.max(0, at - around), at).replace(/^.*(?:[.,!?:;|]\s|\n\s*\n)/s, ""))} `;
}

function wordsAfter(text: string, at: number): string {
  return ` ${wordsOf(text.slice(at, at + around).replace(/(?:[.,!?:;|](?=\s|$)|\n\s*\n).*$/s, ""))} `;
}

function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "");
}

/** In small letters, with one blank between them. */
function wordsOf(text: string): string {
  return (
    text
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu)
      ?.join(" ") ?? ""
  );
}

const letter = String.raw`[\p{L}\p{N}_/\\@#$]`;
const boundBefore = new RegExp(`${letter}$|[\\p{L}\\p{N}][.:]$`, "u");
const boundAfter = new RegExp(`^(?:[\\p{L}\\p{N}_/\\\\@(]|(?:\\.|::?)[\\p{L}\\p{N}])`, "u");

/** Whole words only, and no parts of compounds, addresses, file names, mentions and identifiers. */
function isWhole(place: Place): boolean {
  return !isEnclosed(place) && !isCompound(place);
}

function isEnclosed({ text, start, end }: Place): boolean {
  return boundBefore.test(text.slice(Math.max(0, start - 2), start)) || boundAfter.test(text.slice(end, end + 2)); // prettier-ignore
}

/** A compound may be a name of its own. */
function isCompound(place: Place): boolean {
  const { text, start, end } = place;
  return !isEnclosed(place) && (text[start - 1] === "-" || text[end] === "-");
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
  const gaps = found.match(anyGap) ?? [];
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
