import type { TaskOf } from "../instruction/task.ts";
import { fieldText, frontmatterFields, yamlText } from "@octavo/site/text";
import type { FrontmatterField } from "@octavo/site/text";
import { pageSpans } from "../text/page-spans.ts";
import type { Span } from "../text/span.ts";
import type { TextEdit } from "@octavo/site/text";

/** A term that becomes another one, with what its case and number tell. */
export interface Term {
  /** A pattern for `search` that finds every line on which the term stands or begins. */
  readonly query: string;
  /** The term within `[start, end)`, each with its new words. */
  matches(text: string, start: number, end: number): TextEdit[];
  /** The edits of a whole page, spelled for where they stand. */
  pageEdits(page: string): TextEdit[];
}

/** Between the words of a term: blanks, or one line end with what the next line begins with. */
const gap = String.raw`(?:[ \t]+|[ \t]*\r?\n[ \t>]*)`;

export function createTerm({
  from,
  to,
  inCode,
  withPlural,
}: Pick<TaskOf<"rename_term">, "from" | "to" | "inCode" | "withPlural">): Term {
  const forms = [{ from, to }, ...(withPlural ? [{ from: pluralOf(from), to: pluralOf(to) }] : [])];
  const finders = forms.map((form) => ({ ...form, pattern: patternOf(form.from) }));

  function matches(text: string, start: number, end: number): TextEdit[] {
    return finders
      .flatMap((finder) =>
        [...finder.pattern[Symbol.matchAll](text.slice(start, end))].flatMap((found) => {
          const at = start + found.index;
          const next = spell(found[0], finder.from, finder.to);
          const isWhole = isBoundary(text, at, at + found[0].length, from);
          if (next === undefined || !isWhole) return [];
          const before = articleBefore(text.slice(start, at), finder);
          return [
            { start: at - before.length, end: at + found[0].length, text: before.text + next },
          ];
        }),
      )
      .toSorted((a, b) => a.start - b.start);
  }

  function pageEdits(page: string): TextEdit[] {
    const fields = new Map(frontmatterFields(page).map((field) => [field.valueStart, field]));
    return pageSpans(page).flatMap((span) => {
      if (span.kind === "code" && !inCode) return [];
      const edits = matches(page, span.start, span.end);
      const field = span.kind === "metadata" ? fields.get(span.start) : undefined;
      return field === undefined
        ? edits.map((edit) => fit(edit, span))
        : fieldEdits(page, field, edits);
    });
  }

  return { query: queryOf(from), matches, pageEdits };
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

/** The punctuation of ASCII means itself with a backslash, here and in `search`. */
function escapePattern(text: string): string {
  return text.replaceAll(/[!-/:-@[-`{-~]/g, "\\$&");
}

/** `Acme(\s+Cloud|\s*$)`: search looks at single lines, and a term may go on in the next. */
function queryOf(term: string): string {
  const parts = term.split(/\s+/).slice(0, 8).map(escapePattern);
  return parts
    .reduceRight((rest, part) => (rest === "" ? part : String.raw`${part}(\s+${rest}|\s*$)`), "")
    .slice(0, 1_000);
}

/** Whole words only, and no parts of addresses, file names, mentions and identifiers. */
function isBoundary(text: string, start: number, end: number, term: string): boolean {
  const before = text.slice(Math.max(0, start - 2), start);
  const after = text.slice(end, end + 2);
  if (/[\p{L}\p{N}_/\\@#$]$/u.test(before) || /^[\p{L}\p{N}_/\\@]/u.test(after)) return false;
  if (/[\p{L}\p{N}][.:]$/u.test(before) || /^(?:\.|::?)[\p{L}\p{N}]/u.test(after)) return false;
  const isHyphenated = /[\p{L}\p{N}]-$/u.test(before) || /^-[\p{L}\p{N}]/u.test(after);
  return !isHyphenated || /[\p{Lu}\s]/u.test(term);
}

/**
 * The new words in the case of the ones found; undefined where the case says that something else is meant: `go`
 * is not the language Go.
 */
function spell(found: string, from: string, to: string): string | undefined {
  const words = found.split(new RegExp(gap)).join(" ");
  return keepGaps(found, inCaseOf(words, from.replaceAll(/\s+/g, " "), to));
}

function inCaseOf(found: string, from: string, to: string): string | undefined {
  if (found === from) return to;
  const isName = /\p{Lu}/u.test(from);
  const isLong = from.length >= 4;
  if (found === from.toUpperCase()) return isLong ? to.toUpperCase() : undefined;
  if (found === from.toLowerCase()) return from.includes(" ") ? to.toLowerCase() : undefined;
  if (isName) return from.includes(" ") || isLong ? to : undefined;
  if (found === capitalize(from)) return capitalize(to);
  const inTitle = (text: string) => text.split(" ").map(capitalize).join(" ");
  return found === inTitle(from) ? inTitle(to) : undefined;
}

/** What stands between an article and its noun: blanks, a line end, emphasis, a bracket, a quotation mark. */
const article = /(?<![\p{L}\p{N}.'’-])(an?)([ \t]+|[ \t]*\r?\n[ \t>]*)([*_"“‘'[]{0,4})$/iu;

/** `an Anchor` becomes `a Boat`: the article before a term, as it is to be, where one is changed. */
function articleBefore(
  before: string,
  { from, to }: { readonly from: string; readonly to: string },
): { readonly length: number; readonly text: string } {
  const match = article.exec(before.slice(-60));
  const [whole = "", word = "", blank = "", marks = ""] = match ?? [];
  const [old, now] = [soundOf(from), soundOf(to)];
  const isRight = word.length === (old === "vowel" ? 2 : 1);
  if (match === null || !isRight || old === undefined || now === undefined || old === now) {
    return { length: 0, text: "" };
  }
  const n = word === word.toUpperCase() && word.length === 2 ? "N" : "n";
  const right = now === "vowel" ? word.charAt(0) + n : word.charAt(0);
  return { length: whole.length, text: right + blank + marks };
}

/** How a word begins when it is spoken; undefined where its letters do not say, as of `hour`, `user` and `SQL`. */
function soundOf(word: string): "vowel" | "consonant" | undefined {
  if (/^[aeio]/i.test(word)) return /^(?:eu|one(?![a-z])|once)/i.test(word) ? undefined : "vowel";
  return /^[bcdfgjklmnpqrstvwxyzBCDFGJKLMNPQRSTVWXYZ]\p{Ll}/u.test(word) ? "consonant" : undefined;
}

/** A line end within the term stays where it was, if the new one has as many words. */
function keepGaps(found: string, to: string | undefined): string | undefined {
  const gaps = found.match(new RegExp(gap, "g")) ?? [];
  const words = to?.split(" ") ?? [];
  if (to === undefined || gaps.length !== words.length - 1) return to;
  return words.map((word, index) => word + (gaps[index] ?? "")).join("");
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function pluralOf(term: string): string {
  if (/[^aeiou]y$/i.test(term)) return `${term.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/i.test(term) ? `${term}es` : `${term}s`;
}
