import { matchWording, readWording } from "./form.ts";
import type { WordingPart } from "./form.ts";
import { forms } from "./forms.ts";
import type { Form } from "./forms.ts";
import { quoteValue } from "./quotes.ts";
import { isBareValue, getPlaceholder } from "./slots.ts";
import { isFillerWord, getCanonicalWord } from "./tokens.ts";
import type { Token } from "./tokens.ts";

/**
 * Returns the forms that an instruction may have meant, filled in with its values; empty if none is similar. They are
 * only suggested, so a wrong guess does no harm.
 */
export function findNearestForms(
  tokens: readonly Token[],
  instruction: string,
  isForm: (text: string) => boolean,
): readonly string[] {
  // Suggest nothing for a negated instruction.
  if (tokens.some(({ kind, text }) => kind === "word" && /^(?:don['’]?t|not|never)$/i.test(text))) return []; // prettier-ignore
  const shown = cutAtVerbs(tokens, instruction).flatMap((part) => {
    const text = instruction.slice(part[0]?.start, part.at(-1)?.end);
    return isForm(text) ? [text] : nearestForm(part, isForm);
  });
  return [...new Set(shown)];
}

/** Words that join two requests. */
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
  forms.flatMap(({ wordings }) =>
    wordings.map((wording) => getCanonicalWord(wording.split(" ")[0] ?? "")),
  ),
);

/** Splits `fix typos and rename ..., then move ...`: each verb after a joining word or a comma begins a new part. */
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

/** Drops joining words at the end and everything before the first verb. */
function withoutEnds(part: readonly Token[]): Token[] {
  const end = part.findLastIndex((token) => !isWord(token, joiners));
  const verb = part.findIndex((token) => isWord(token, openings));
  return part.slice(Math.max(0, verb), end + 1);
}

function isWord(token: Token | undefined, words: ReadonlySet<string>): boolean {
  return token?.kind === "word" && words.has(getCanonicalWord(token.text));
}

interface Guess {
  /** The wording to show. */
  readonly wording: readonly WordingPart[];
  readonly values: ReadonlyMap<string, string>;
  readonly score: number;
}

/** A lower score is a coincidence. */
const minScore = 2.5;
/** The number of tokens that are read of a longer text. */
const maxTokens = 40;

function nearestForm(part: readonly Token[], isForm: (text: string) => boolean): string[] {
  const tokens = part
    .slice(0, maxTokens)
    .filter(({ kind, text }) => kind !== "word" || !isFillerWord(text));
  const guesses = forms
    .filter((form: Form) => form.purpose !== undefined)
    .flatMap((form: Form) =>
      [...form.wordings, ...(form.near ?? [])].map((wording) => guess(form, wording, tokens)),
    )
    .filter(({ score }) => score >= minScore)
    .toSorted((a, b) => b.score - a.score);
  const shown = guesses.map(({ wording, values }) => write(wording, values)).find(isForm);
  return shown === undefined ? [] : [shown];
}

/** Words that separate values. */
const between: ReadonlySet<string> = new Set(["to", "with", "of", "from", "in", "instead"]);

/** Scores how well a wording fits. Missing words and missing values lower the score. */
function guess(form: Form, words: string, tokens: readonly Token[]): Guess {
  const wording = readWording(words);
  const { values, rest } = takeOptions(wording, tokens);
  const parts = wording.filter((part) => part.type === "slot" || (part.type === "word" && part.words.length > 0)); // prettier-ignore
  const content = parts.filter((part) => part.type === "word" && !between.has(part.words[0] ?? ""));
  const hints = form.hints.filter((hint) => tokens.some(({ kind, text }) => kind === "word" && plain(text) === hint)); // prettier-ignore
  let score = 1.5 * Math.min(2, hints.length);
  for (const [index, part] of content.entries()) {
    const found = indexOfWord(rest, part, 0);
    if (found !== -1) rest.splice(found, 1);
    // Do not suggest a form unless its verb or a related word was used.
    else if (index === 0 && hints.length === 0) score -= 10;
    score += found === -1 ? -2.5 : 2;
  }
  const others = takeValues(parts, rest, values);
  const slots = parts.filter(({ type }) => type === "slot").length;
  score += 3.5 * values.size - 1.5 * slots;
  if (values.get("old") === values.get("new")) values.delete("new");
  // Deletion cannot be undone: suggest it only if the instruction asks for it and for nothing else.
  if (form.name === "delete_page" && (others > 0 || !values.has("page"))) score = 0;
  const isOther = words.includes("sidebar title");
  return { wording: isOther ? wording : readWording(form.wordings[0]), values, score };
}

/** Finds slot values by the words that separate them. Returns the number of words that were not used. */
function takeValues(
  parts: readonly WordingPart[],
  rest: readonly Token[],
  values: Map<string, string>,
): number {
  let [at, used] = [0, 0];
  const slots = parts.filter((part) => part.type === "slot");
  const quoted = rest.filter(({ kind }) => kind === "value");
  // With one quoted value for each slot, assign them in order, regardless of the words between them.
  const areAllQuoted = slots.length === quoted.length && slots.every(({ isQuoted }) => isQuoted);
  const tokens = areAllQuoted ? quoted : rest;
  for (const slot of slots) {
    const later = parts.slice(parts.indexOf(slot) + 1);
    const ends = later.map((next) => indexOfWord(tokens, next, at));
    const end = areAllQuoted ? at + 1 : (ends.find((found) => found !== -1) ?? tokens.length);
    const value = findValue(slot, tokens.slice(at, end));
    if (value === undefined || (slot.name === "field" && !mayBeField(value))) continue;
    values.set(slot.name, value);
    used += value.split(" ").length;
    at = areAllQuoted ? end : end + 1;
  }
  return rest.filter(({ text }) => !isFillerWord(text) && !courtesy.has(plain(text))).length - used;
}

/** Excludes words that belong to other forms, as in `Update all references to ...`, which names no field. */
function mayBeField(word: string): boolean {
  const isOther = forms.some(({ name, hints }: Form) => name !== "set_field" && hints.includes(plain(word))); // prettier-ignore
  return isBareValue("field", word) && !isOther;
}

const courtesy: ReadonlySet<string> = new Set("page can could would you we want need like to now thanks".split(" ")); // prettier-ignore

function plain(word: string): string {
  return word.toLowerCase().replaceAll(/^\W+|\W+$/g, "");
}

function indexOfWord(tokens: readonly Token[], part: WordingPart, from: number): number {
  if (part.type !== "word" || part.words.length === 0) return -1;
  return tokens.findIndex(
    ({ kind, text }, index) =>
      index >= from &&
      kind === "word" &&
      part.words.includes(getCanonicalWord(plain(text) || text)),
  );
}

/** Extracts options from any position. Returns their values and the remaining tokens. */
function takeOptions(wording: readonly WordingPart[], tokens: readonly Token[]) {
  const values = new Map<string, string>();
  let rest = [...tokens];
  for (const option of wording) {
    if (option.type !== "option") continue;
    for (let start = 1; start < rest.length; start++) {
      const length = optionLength(option.parts, rest, start);
      const filled = matchWording(option.parts, rest.slice(start, start + length));
      const isPlain = isBareScope(filled?.get("scope")) && start + length < rest.length;
      if (length === 0 || filled === undefined || isPlain) continue;
      if (rest.slice(Math.max(0, start - 2), start).some(isExcepted)) continue;
      for (const [slot, token] of filled) values.set(slot, written(slot, token));
      const last = option.parts.at(-1);
      if (last?.type === "word") values.set(last.shown, "");
      rest = [...rest.slice(0, start), ...rest.slice(start + length)];
      break;
    }
  }
  return { values, rest };
}

function isExcepted({ text }: Token): boolean {
  return /^(?:except|excluding|outside|without|but|not)$/i.test(text);
}

/** Reports whether a scope is a bare word, which is only trusted at the end of the instruction. */
function isBareScope(scope: Token | undefined): boolean {
  return scope?.kind === "word" && !isPath(scope.text) && !scope.text.endsWith("/");
}

const everywhere =
  /^(?:docs|documentation|site|website|pages|everything|repo|repository|project|code)$/i;

function optionLength(
  parts: readonly WordingPart[],
  tokens: readonly Token[],
  start: number,
): number {
  for (let length = 1; length <= 8; length++) {
    const filled = matchWording(parts, tokens.slice(start, start + length));
    if (filled !== undefined) return everywhere.test(filled.get("scope")?.text ?? "") ? 0 : length;
  }
  return 0;
}

/** Words around a name that are not part of it. */
const around: ReadonlySet<string> = new Set(
  "page file folder term terms word words name product called named titled from of all every each any occurrence occurrences mention mentions version to it its as say our my your".split(" "), // prettier-ignore
);
function isAround(slot: string, word: string): boolean {
  const isDivision =
    /^(?:groups?|tabs?|sections?)$/i.test(word) && !["page", "target"].includes(slot);
  return isDivision || around.has(getCanonicalWord(word));
}

/** Words that end a name. */
const stops =
  /^(?:everywhere|across|throughout|in|on|for|from|by|at|except|but|and|or|if|when|instead|that|which|case|now|please|is|are|should)$/i;
/** Words that begin a description rather than a name. */
const vague = /^(?:something|anything|everything|nothing|all|them|this|that|ones?|more|less|be|being|new|better|no|up)$/i; // prettier-ignore
const isPath = (text: string) => /[^/]\/[^/]|^\/[^/]|\.mdx?$/i.test(text);

/** Returns a slot's value as a form writes it. Undefined if the words cannot be a value. */
function findValue(
  slot: Extract<WordingPart, { type: "slot" }>,
  run: readonly Token[],
): string | undefined {
  const given = run.find(({ kind }) => kind === "value");
  if (given !== undefined) return written(slot.name, given);
  const words = run
    .map((token) => ({ ...token, text: token.text.replace(/[!?:.]+$/, "") }))
    .filter(({ text }) => text !== "" && !isFillerWord(text) && !isAround(slot.name, text));
  const path = words.find(({ text }) => isPath(text) && isBareValue(slot.kind, text));
  if (path !== undefined && !slot.isQuoted) return path.text;
  const end = words.findIndex(({ text }, index) => index > 0 && stops.test(text));
  const name = end === -1 ? words : words.slice(0, end);
  const [only] = name;
  const isPlain =
    only !== undefined && name.length === 1 && !slot.isQuoted && !vague.test(only.text);
  if (isPlain && isBareValue(slot.kind, only.text) && !/^\p{Lu}/u.test(only.text)) return only.text;
  return isName(slot.name, name) ? quoteValue(name.map(({ text }) => text).join(" ")) : undefined;
}

/**
 * Reports whether unquoted words can be a value: a title begins with a capital; `something shorter` does not qualify.
 */
function isName(slot: string, words: readonly Token[]): boolean {
  const [first] = words;
  if (first === undefined || vague.test(first.text) || isPath(first.text)) return false;
  if (slot === "old" || slot === "new" || slot === "group") return words.length <= 3;
  const isTitle = ["title", "value", "page", "tab"].includes(slot);
  return isTitle && words.length <= 6 && /^[\p{Lu}\d]/u.test(first.text);
}

function written(slot: string, { kind, text }: Token): string {
  return kind === "word" && isBareValue(slot, text) ? text : quoteValue(text);
}

/** Formats a wording with its slot values and the options that have values. */
function write(parts: readonly WordingPart[], values: ReadonlyMap<string, string>): string {
  const pieces = parts.flatMap((part): string[] => {
    if (part.type === "word") return [part.shown];
    if (part.type === "slot") return [values.get(part.name) ?? formatPlaceholder(part)];
    return isGiven(part.parts, values) ? [write(part.parts, values)] : [];
  });
  return pieces.filter((piece) => piece !== "").join(" ");
}

function isGiven(parts: readonly WordingPart[], values: ReadonlyMap<string, string>): boolean {
  const slots = parts.filter((part) => part.type === "slot");
  if (slots.length > 0) return slots.every(({ name }) => values.has(name));
  const last = parts.at(-1);
  return last?.type === "word" && values.has(last.shown);
}

function formatPlaceholder({ name, isQuoted }: Extract<WordingPart, { type: "slot" }>): string {
  const text = getPlaceholder(name);
  return !isQuoted && isBareValue(name, text) ? text : quoteValue(text);
}
