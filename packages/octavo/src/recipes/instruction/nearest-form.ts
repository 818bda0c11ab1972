import { matchWording, readWording } from "./form.ts";
import type { Part } from "./form.ts";
import { forms } from "./forms.ts";
import type { Form } from "./forms.ts";
import { inQuotes } from "./quotes.ts";
import { isBareValue, placeholderOf } from "./slots.ts";
import { isSilent, leaderOf } from "./synonyms.ts";
import type { Token } from "./tokens.ts";

/**
 * What a person who wrote something else may have meant: a form, filled in with what was written. It is only shown, so
 * a wrong guess does no harm; what it shows is always a form itself.
 */
export function nearestForms(
  tokens: readonly Token[],
  instruction: string,
  isForm: (text: string) => boolean,
): readonly string[] {
  const shown = cutAtVerbs(tokens, instruction).flatMap((part) => {
    const [first, last] = [part[0], part.at(-1)];
    const text = instruction.slice(first?.start, last?.end);
    return isForm(text) ? [text] : nearestForm(part, isForm);
  });
  if (shown.length > 0 && !isNegated(tokens)) return [...new Set(shown)];
  const words = new Set(tokens.map(({ text }) => plain(text)));
  return [
    words.has("links") || words.has("link") ? "Fix common misspellings" : "Fix the broken links",
  ];
}

/** Of what shall not be done, no form is near. */
function isNegated(tokens: readonly Token[]): boolean {
  return tokens.some(
    ({ kind, text }) => kind === "word" && /^(?:don['’]?t|not|never)$/i.test(text),
  );
}

/** Words that join two things that are asked for. */
const joiners: ReadonlySet<string> = new Set([
  "and",
  "then",
  "also",
  "plus",
  "&",
  "finally",
  "next",
]);
const openings: ReadonlySet<string> = new Set(
  forms.flatMap(({ wordings }) => wordings.map((wording) => leaderOf(wording.split(" ")[0] ?? ""))),
);

/** `fix typos and rename ..., then move ...`: each verb behind a joining word or a comma begins another part. */
function cutAtVerbs(tokens: readonly Token[], instruction: string): Token[][] {
  const parts: Token[][] = [[]];
  for (const [index, token] of tokens.entries()) {
    const before = tokens[index - 1];
    const gap = instruction.slice(before?.end ?? token.start, token.start);
    const isJoined = isWord(before, joiners) || gap.includes(",");
    if (index > 0 && isJoined && isWord(token, openings)) parts.push([]);
    parts.at(-1)?.push(token);
  }
  return parts.map((part) => withoutEnds(part)).filter((part) => part.length > 0);
}

/** Without joining words at the end, and without what stands before the first verb. */
function withoutEnds(part: readonly Token[]): Token[] {
  const end = part.findLastIndex((token) => !isWord(token, joiners));
  const verb = part.findIndex((token) => isWord(token, openings));
  return part.slice(Math.max(0, verb), end + 1);
}

function isWord(token: Token | undefined, words: ReadonlySet<string>): boolean {
  return token?.kind === "word" && words.has(leaderOf(token.text));
}

interface Guess {
  /** As it is to be shown. */
  readonly wording: readonly Part[];
  readonly values: ReadonlyMap<string, string>;
  readonly score: number;
}

/** Fewer points than this are an accident. */
const minScore = 1.5;
/** A longer text is looked at by its beginning. */
const maxTokens = 40;

function nearestForm(part: readonly Token[], isForm: (text: string) => boolean): string[] {
  const tokens = part.slice(0, maxTokens);
  const guesses = forms
    .flatMap((form: Form) =>
      [...form.wordings, ...(form.near ?? [])].map((wording) => guess(form, wording, tokens)),
    )
    .filter(({ score }) => score >= minScore)
    .toSorted((a, b) => b.score - a.score);
  for (const { wording, values } of guesses) {
    const shown = write(wording, values);
    if (isForm(shown)) return [shown];
  }
  return [];
}

/** How well a wording fits the tokens, in its order; words that are missing and values that nobody gave count against it. */
function guess(form: Form, words: string, tokens: readonly Token[]): Guess {
  const wording = readWording(words);
  const { values, rest } = takeOptions(wording, tokens);
  const parts = wording.filter(({ type }) => type !== "option");
  let score = hintsIn(form, tokens);
  let at = 0;
  for (const [index, part] of parts.entries()) {
    if (part.type === "word" && part.words.length > 0) {
      const found = indexOfWord(rest, part, at);
      score += found === -1 ? missed(index) : 2;
      if (found !== -1) at = found + 1;
    }
    if (part.type !== "slot") continue;
    const ends = parts.slice(index + 1).map((next) => indexOfWord(rest, next, at));
    const end = ends.find((found) => found !== -1) ?? rest.length;
    const value = valueOf(part, rest.slice(at, end));
    score += value === undefined ? -1 : 2;
    if (value !== undefined) values.set(part.name, value);
    if (value !== undefined) at = end;
  }
  // Some say the field that they are about in their words.
  const isOther = words.includes("sidebar title");
  return { wording: isOther ? wording : readWording(form.wordings[0]), values, score };
}

/** The verb says most: nobody is shown how to delete who did not speak of it. */
function missed(index: number): number {
  return index === 0 ? -2.5 : -1;
}

function hintsIn({ hints }: Form, tokens: readonly Token[]): number {
  const words = new Set(
    tokens.filter(({ kind }) => kind === "word").map(({ text }) => plain(text)),
  );
  return 1.5 * Math.min(2, hints.filter((hint) => words.has(hint)).length);
}

function plain(word: string): string {
  return word.toLowerCase().replaceAll(/^\W+|\W+$/g, "");
}

function indexOfWord(tokens: readonly Token[], part: Part, from: number): number {
  if (part.type !== "word" || part.words.length === 0) return -1;
  return tokens.findIndex(
    ({ kind, text }, index) =>
      index >= from && kind === "word" && part.words.includes(leaderOf(plain(text))),
  );
}

/** Options that stand somewhere, with what they hold; and the tokens without them. */
function takeOptions(wording: readonly Part[], tokens: readonly Token[]) {
  const values = new Map<string, string>();
  let rest = [...tokens];
  for (const option of wording) {
    if (option.type !== "option") continue;
    for (let start = 1; start < rest.length; start++) {
      const length = optionLength(option.parts, rest, start);
      const filled = matchWording(option.parts, rest.slice(start, start + length));
      if (length === 0 || filled === undefined || isExcepted(rest[start - 1])) continue;
      for (const [slot, token] of filled) values.set(slot, written(slot, token));
      const last = option.parts.at(-1);
      if (last?.type === "word") values.set(last.shown, "");
      rest = [...rest.slice(0, start), ...rest.slice(start + length)];
      break;
    }
  }
  return { values, rest };
}

function isExcepted(before: Token | undefined): boolean {
  return /^(?:except|excluding|outside|without|but|not)$/i.test(before?.text ?? "");
}

const everywhere =
  /^(?:docs|documentation|site|website|pages|everything|repo|repository|project|code)$/i;

function optionLength(parts: readonly Part[], tokens: readonly Token[], start: number): number {
  for (let length = 1; length <= 8; length++) {
    const filled = matchWording(parts, tokens.slice(start, start + length));
    if (filled !== undefined) return everywhere.test(filled.get("scope")?.text ?? "") ? 0 : length;
  }
  return 0;
}

/** Words around a name that are no part of it. */
const around: ReadonlySet<string> = new Set(
  "page file folder group tab term called named titled from of all every each any occurrence occurrences mention mentions version to it as our my your".split(" "), // prettier-ignore
);
const isPath = (text: string) => /[^/]\/[^/]|^\/[^/]|\.mdx?$/i.test(text);

/** What was given for a slot, as a form writes it; undefined where nothing that can be meant. */
function valueOf(slot: Extract<Part, { type: "slot" }>, run: readonly Token[]): string | undefined {
  const given = run.find(({ kind }) => kind === "value");
  if (given !== undefined) return written(slot.name, given);
  const words = run
    .map((token) => ({ ...token, text: token.text.replace(/[!?:.]+$/, "") }))
    .filter(({ text }) => text !== "" && !isSilent(text) && !around.has(leaderOf(text)));
  const path = words.find(({ text }) => isPath(text) && isBareValue(slot.name, text));
  if (path !== undefined && !slot.isQuoted) return path.text;
  const [only] = words;
  const isPlain = only !== undefined && words.length === 1 && !slot.isQuoted;
  if (isPlain && isBareValue(slot.name, only.text) && !/^\p{Lu}/u.test(only.text)) return only.text;
  return isName(slot.name, words) ? inQuotes(words.map(({ text }) => text).join(" ")) : undefined;
}

/** Whether words without quotes may be a value: a title begins with a capital, `something shorter` is none. */
function isName(slot: string, words: readonly Token[]): boolean {
  const [first] = words;
  if (first === undefined || words.length > 6) return false;
  if (slot === "old" || slot === "new" || slot === "group") return true;
  return ["title", "value", "page", "tab"].includes(slot) && /^[\p{Lu}\d]/u.test(first.text);
}

function written(slot: string, { kind, text }: Token): string {
  return kind === "word" && isBareValue(slot, text) ? text : inQuotes(text);
}

/** A form's wording with values in its slots, and with the options that have any. */
function write(parts: readonly Part[], values: ReadonlyMap<string, string>): string {
  const pieces = parts.flatMap((part): string[] => {
    if (part.type === "word") return [part.shown];
    if (part.type === "slot") return [values.get(part.name) ?? placeholder(part)];
    return isGiven(part.parts, values) ? [write(part.parts, values)] : [];
  });
  return pieces.filter((piece) => piece !== "").join(" ");
}

function isGiven(parts: readonly Part[], values: ReadonlyMap<string, string>): boolean {
  const slots = parts.filter((part) => part.type === "slot");
  if (slots.length > 0) return slots.every(({ name }) => values.has(name));
  const last = parts.at(-1);
  return last?.type === "word" && values.has(last.shown);
}

function placeholder({ name, isQuoted }: Extract<Part, { type: "slot" }>): string {
  const text = placeholderOf(name);
  return !isQuoted && isBareValue(name, text) ? text : inQuotes(text);
}
