import { getFieldText, readFrontmatterFields, LineIndex, formatYamlText } from "@octavo/site/text";
import type { FrontmatterField, TextEdit } from "@octavo/site/text";
import type { TaskOf } from "../instruction/task.ts";
import { escapePattern } from "../pages.ts";
import { listPageSpans } from "../text/page-spans.ts";
import type { Span } from "../text/page-spans.ts";
import { decideTerm, toPlural } from "./term-matches.ts";
import type { TermForm, TermMatch, WordUsage } from "./term-matches.ts";

/** A location where the term, or a word with its letters, was not changed, and why. */
interface SkippedTerm {
  readonly line: number;
  readonly reason: string;
}

interface TermEdits {
  readonly edits: readonly TextEdit[];
  readonly left: readonly SkippedTerm[];
}

/** A term to rename: whole words in its exact spelling, and only where nothing else can be meant. */
export interface Term {
  /** A pattern for `search` that finds every line that contains the term or its beginning. */
  readonly query: string;
  /** Returns the edits of a label within `[start, end)`, which begins a sentence. */
  labelEdits(text: string, start: number, end: number): TermEdits;
  /** Returns the edits of a whole page, spelled for their context. */
  pageEdits(page: string): TermEdits;
}

type Renaming = Pick<TaskOf<"rename_term">, "from" | "to" | "inCode" | "withPlural">;

/** The gap between the words of a term: spaces, or one line break and the indentation or quote marks after it. */
const gap = String.raw`(?:[ \t]+|[ \t]*\r?\n[ \t>]*)`;
const anyGap = new RegExp(gap, "g");

/**
 * An article and what may come between it and its noun: spaces, a line break, emphasis, a bracket, a quotation mark.
 */
const article = /(?<![\p{L}\p{N}.'’-])(an?)([ \t]+|[ \t]*\r?\n[ \t>]*)([*_"“‘'[]{0,4})$/iu;

export function createTerm({ from, to, inCode, withPlural }: Renaming, usage: WordUsage): Term {
  const forms = [{ from, to }, ...(withPlural ? [{ from: toPlural(from), to: toPlural(to) }] : [])];
  const finders = forms.map((form) => ({ ...form, pattern: createPattern(form.from) }));

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
    query: createQuery(from),
    labelEdits(text, start, end) {
      const found = findIn(text, { kind: "metadata", start, end });
      return { edits: found.filter(isCertain), left: listSkipped(text, found) };
    },
    pageEdits(page) {
      const fields = new Map(readFrontmatterFields(page).map((field) => [field.valueStart, field]));
      const spans = listPageSpans(page).filter(({ kind }) => kind !== "code" || inCode);
      const found = spans.map((span) => ({ span, places: findIn(page, span) }));
      const edits = found.flatMap(({ span, places }) => {
        const field = span.kind === "metadata" ? fields.get(span.start) : undefined;
        const certain = places.filter(isCertain);
        return field === undefined
          ? certain.map((edit) => fit(edit, span))
          : fieldEdits(page, field, certain);
      });
      return { edits, left: listSkipped(page, found.flatMap(({ places }) => places)) }; // prettier-ignore
    },
  };
}

/** An occurrence of the term with its replacement, and the reason for leaving it unchanged. */
interface Found extends TextEdit {
  readonly reason?: string | undefined;
}

function isCertain({ reason }: Found): boolean {
  return reason === undefined;
}

function listSkipped(text: string, found: readonly Found[]): SkippedTerm[] {
  const left = found.filter((place) => !isCertain(place));
  if (left.length === 0) return [];
  const lines = new LineIndex(text);
  return left.map(({ start, reason = "" }) => ({ line: lines.lineAt(start) + 1, reason }));
}

function foundAt(place: TermMatch, form: TermForm, usage: WordUsage): Found | undefined {
  const { text, span, start, end } = place;
  const decision = decideTerm(place, form, usage);
  if (decision === undefined) return undefined;
  const edit = { start, end, text: keepGaps(text.slice(start, end), decision.text) };
  if (decision.reason !== undefined) return { ...edit, reason: decision.reason };
  return withArticle(edit, text.slice(span.start, start), form);
}

function withArticle(edit: TextEdit, before: string, form: TermForm): TextEdit {
  const article = correctArticle(before, form);
  return { ...edit, start: edit.start - article.length, text: article.text + edit.text };
}

/** Escapes text that would be markup in its context. */
function fit(edit: TextEdit, { kind }: Span): TextEdit {
  if (kind === "attribute") return { ...edit, text: edit.text.replaceAll('"', "&quot;") };
  return kind === "prose" ? { ...edit, text: edit.text.replaceAll(/[<{]/g, "\\$&") } : edit;
}

/** If the text has a meaning in YAML, quotes the whole value. */
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
      : getFieldText(value, { ...field, valueStart: 0, valueEnd: value.length });
  return [
    {
      start: field.valueStart - around,
      end: field.valueEnd + around,
      text: formatYamlText(unquoted),
    },
  ];
}

function createPattern(term: string): RegExp {
  return new RegExp(term.split(/\s+/).map(escapePattern).join(gap), "gi");
}

/**
 * Creates a search pattern such as `Acme(\s+Cloud|\s*$)`, because search reads single lines and a term may continue on
 * the next one.
 */
function createQuery(term: string): string {
  const parts = term.split(/\s+/).slice(0, 8).map(escapePattern);
  return parts
    .reduceRight((rest, part) => (rest === "" ? part : String.raw`${part}(\s+${rest}|\s*$)`), "")
    .slice(0, 1_000);
}

/** Keeps a line break inside the term if the new one has the same number of words. */
function keepGaps(found: string, to: string): string {
  const gaps = found.match(anyGap) ?? [];
  const words = to.split(" ");
  if (gaps.length !== words.length - 1) return to;
  return words.map((word, index) => word + (gaps[index] ?? "")).join("");
}

/** Corrects the article before a term if needed: `an Anchor` becomes `a Boat`. */
function correctArticle(
  before: string,
  { from, to }: { readonly from: string; readonly to: string },
): { readonly length: number; readonly text: string } {
  const match = article.exec(before.slice(-60));
  const [whole = "", word = "", blank = "", marks = ""] = match ?? [];
  const [written, now] = [word.length === 2 ? "vowel" : "consonant", findInitialSound(to)];
  // An article that does not fit the old term may not be one, or is a typo that is not ours to fix.
  const isRight = (findInitialSound(from) ?? written) === written;
  if (match === null || !isRight || now === undefined || written === now) {
    return { length: 0, text: "" };
  }
  const n = word === word.toUpperCase() && word.length === 2 ? "N" : "n";
  const right = now === "vowel" ? word.charAt(0) + n : word.charAt(0);
  return { length: whole.length, text: right + blank + marks };
}

/**
 * Returns the sound that a term begins with. Undefined if the letters do not show it, as for `SQL`, `HDMI` and `umask`.
 */
function findInitialSound(term: string): "vowel" | "consonant" | undefined {
  const [word = ""] = /^\p{L}+/u.exec(term.normalize("NFD")) ?? [];
  if (word === "" || /^sql/i.test(word)) return undefined;
  // Spelled out: `an MCP host`, `an npm package`, `a JWT`.
  if (!/[aeiouy]/i.test(word)) return /^[fhlmnrsx]/i.test(word) ? "vowel" : "consonant";
  if (/^[aeio]/i.test(word)) return /^(?:eu|one$|once$)/i.test(word) ? undefined : "vowel";
  if (/^u/i.test(word)) return isYou(word) ? "consonant" : undefined;
  if (/^[bcdgjkpqtvwyz]/i.test(word)) return "consonant";
  // `SEP` is a word or letters; `hour` and `nginx` begin with a vowel, and `Xbox` begins differently from `Xerox`.
  const isClear = /^.\p{Ll}/u.test(word) && !/^(?:x|ng|h(?:eir|erb|on(?:est|o)|our))/i.test(word);
  return isClear ? "consonant" : undefined;
}

/** Reports whether a word begins like `you`, as `URL`, `user` and `unit` do. */
function isYou(word: string): boolean {
  return /^U\p{Lu}/u.test(word) || /^(?:us[aeu]|util|uni(?:co|f|on|qu|t|v))/i.test(word);
}
