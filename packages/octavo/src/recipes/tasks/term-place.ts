import type { TaskOf } from "../instruction/task.ts";
import { letters } from "../pages.ts";
import type { Span } from "../text/page-spans.ts";
import {
  beginsWithNoun,
  isAfterDeterminer,
  isAfterVerbSign,
  isBeforeDeterminer,
  isDetermined,
  isFunctionWord,
  startsSentence,
} from "./grammar.ts";
import { allWords, capitalize } from "./words.ts";

/** A spelling of a term, and what becomes of it. */
export type Pair = Pick<TaskOf<"rename_term">, "from" | "to">;

/** What the site's texts show of a word. */
export interface Usage {
  /** It is a verb in places. */
  readonly isVerb: boolean;
  /** It is a common word: another one behind it may make a term of its own of both, as `host machine`. */
  readonly isWord: boolean;
  /** Whether a word with an s at its end is a noun. */
  readonly isNoun: (word: string) => boolean;
  /** Of a term with a capital: it is written in small letters in places. */
  readonly isCommon: boolean;
  /** Of a new name in small letters: the site writes it with a capital in places, so it is no name like `npm`. */
  readonly takesCapital: boolean;
}

/** A word of a term's letters. */
export interface Place {
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
export function decide(place: Place, form: Pair, usage: Usage): Decision | undefined {
  const { text, span, start, end } = place;
  const found = text.slice(start, end).replaceAll(/\s+[>\s]*/g, " ");
  if (!isWhole(place)) return isCompound(place) ? { text: found, reason: "part of a compound" } : undefined; // prettier-ignore
  if (isNewAlready(place, form)) return undefined;
  const isStart = () => startsSentence(text, span, start);
  const needsCapital =
    found === form.from && span.kind !== "code" && losesCapital(form) && isStart();
  const spelled = needsCapital ? capitalize(form.to) : spellingOf(found, form, isStart);
  if (spelled === undefined) return { text: found, reason: `written “${found}”, which may mean something else` }; // prettier-ignore
  const reason = nameDoubt(place, form, needsCapital && !usage.takesCapital);
  if (reason !== undefined || span.kind === "code") return { text: spelled, reason };
  return { text: spelled, reason: commonDoubt(place, usage, isStart) ?? linkDoubt(place) ?? wordDoubt(place, usage) }; // prettier-ignore
}

/** A name that is a common word too may be that word, or a part of another name. */
function commonDoubt(
  place: Place,
  { isCommon }: Usage,
  isStart: () => boolean,
): string | undefined {
  if (!isCommon) return undefined;
  if (isStart()) return "begins a sentence, where it may be the common word";
  return isInName(place) ? "part of a longer name" : undefined;
}

/** Why the new name would not do at a place, in code too; undefined where it would. */
function nameDoubt(place: Place, form: Pair, isCapitalOpen: boolean): string | undefined {
  if (isCapitalOpen) return "begins a sentence, where the new name may need a capital";
  if (isBesideNew(place, form)) return "the new name stands beside it";
  return wouldDouble(place, form) ? "the new name would stand beside a part of itself" : undefined;
}

/** The new name for the found spelling; undefined where the case says that something else may be meant. */
function spellingOf(found: string, { from, to }: Pair, isStart: () => boolean): string | undefined {
  if (found === from) return to;
  return found === capitalize(from) && isStart() ? capitalize(to) : undefined;
}

/** `LLM` becomes `language model`; `GitHub` as `github` is a wish. */
function losesCapital({ from, to }: Pair): boolean {
  return /^\p{Lu}/u.test(from) && /^\p{Ll}+(?!\p{L})/u.test(to) && letters(from) !== letters(to);
}

/** `Claude Desktop or Claude`: of two things that are told apart, both would have one name. */
function isBesideNew({ text, start, end }: Place, { to }: Pair): boolean {
  const [before, after] = [wordsBefore(text, start).trim(), wordsAfter(text, end).trim()];
  const name = wordsOf(to);
  const joins = ["or", "and", "vs", "versus"];
  return joins.some((join) => before.endsWith(`${name} ${join}`) || `${after} `.startsWith(`${join} ${name} `)); // prettier-ignore
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
  const isName = letters(address).includes(letters(text.slice(start, end)));
  return isName ? "the words of a link to another site" : undefined;
}

/** A common word may be a verb, or a part of a longer term. */
function wordDoubt(
  { text, span, start, end }: Place,
  { isVerb, isWord, isNoun }: Usage,
): string | undefined {
  if (!isWord) return undefined;
  const [before, after] = [text.slice(Math.max(0, span.start, start - 40), start), text.slice(end, Math.min(span.end, end + 60))]; // prettier-ignore
  if (isBeforeDeterminer(after)) return "may be a verb here";
  if (isVerb && isAfterVerbSign(before)) return "is a verb here";
  if (isVerb && !isAfterDeterminer(before)) return "may be a verb here";
  // Of the plural no longer term is made: `clients connect`.
  if (text[end - 1] === "s") return undefined;
  // `opens developer tools`: without an article it is no word of its own.
  const isOwn = (word: string) => isNoun(word) || !isDetermined(before);
  return beginsWithNoun(after, isOwn) ? "may be part of a longer term" : undefined;
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
  const [before, after] = [wordsBefore(text, start).split(" ").at(-2), wordsAfter(text, end).split(" ")[1]]; // prettier-ignore
  const isBefore = next[0] !== old[0] && before !== "" && isAlike(before, next[0]);
  // `OAuth 2.0` and `OAuth 2.1`: a number tells one name from another.
  if (/\d$/.test(to) && /^\s+v?\d/.test(text.slice(end, end + 8))) return true;
  return isBefore || (next.at(-1) !== old.at(-1) && after !== "" && isAlike(after, next.at(-1)));
}

/** The same word, or its plural. */
function isAlike(one = "", other = ""): boolean {
  return one === other || pluralOf(one) === other || one === pluralOf(other);
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

/** In small letters, with one blank between them. */
function wordsOf(text: string): string {
  return allWords(text).join(" ");
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

export function pluralOf(term: string): string {
  if (/[^aeiou]y$/i.test(term)) return `${term.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/i.test(term) ? `${term}es` : `${term}s`;
}
