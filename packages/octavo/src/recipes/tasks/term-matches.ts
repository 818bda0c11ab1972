import { foldLettersAndDigits } from "@octavo/site/core";
import {
  applyEdits,
  formatYamlString,
  getFieldText,
  LineIndex,
  readFrontmatterFields,
} from "@octavo/site/text";
import type { FrontmatterField, TextEdit } from "@octavo/site/text";
import type { TaskOf } from "../instruction/forms.ts";
import type { Plan } from "../plan.ts";
import { findFiles, type Listing } from "../site-tools.ts";
import { listPageSpans, type Span } from "../text/page-spans.ts";
import type { SkippedLine } from "./report-text.ts";
import { capitalize, escapePattern, splitWords } from "./words.ts";

interface TermEdits {
  readonly edits: readonly TextEdit[];
  /** The lines on which the term, or another spelling of it, was not changed, with the reasons. */
  readonly left: readonly Omit<SkippedLine, "path">[];
}

type TermPair = Pick<TaskOf<"rename_term">, "from" | "to" | "inCode" | "withPlural">;

/** The gap between the words of a term: spaces, or a line break followed by indentation or blockquote markers (`>`). */
const gap = String.raw`(?:[ \t]+|[ \t]*\r?\n[ \t>]*)`;

const gapRegExp = new RegExp(gap, "g");

/**
 * An article, followed by anything that may come between it and its noun: spaces, a line break, emphasis, a bracket or
 * a quotation mark.
 */
const article = /(?<![\p{L}\p{N}.'’-])(an?)([ \t]+|[ \t]*\r?\n[ \t>]*)([*_"“‘'[]{0,4})$/iu;

/** Creates a matcher that renames whole words in their exact spelling, unless they may mean something else. */
export function createTerm({ from, to, inCode, withPlural }: TermPair, usage: WordUsage) {
  const forms = [{ from, to }, ...(withPlural ? [{ from: toPlural(from), to: toPlural(to) }] : [])];
  const finders = forms.map((form) => ({
    ...form,
    pattern: new RegExp(form.from.split(/\s+/).map(escapePattern).join(gap), "gi"),
  }));

  function findIn(text: string, span: Span): Found[] {
    return finders
      .flatMap((form) =>
        [...text.slice(span.start, span.end).matchAll(form.pattern)].flatMap((match) => {
          const start = span.start + match.index;
          const place = { text, span, start, end: start + match[0].length };
          return findMatchEdit(place, form, usage) ?? [];
        }),
      )
      .toSorted((a, b) => a.start - b.start);
  }

  return {
    /** A pattern for `search` that finds every line with the term, or with its beginning at the end of the line. */
    query: createQuery(from),
    /** Returns the edits of a label in `[start, end)`, which begins a sentence. */
    labelEdits(text: string, start: number, end: number): TermEdits {
      const found = findIn(text, { kind: "metadata", start, end });
      return { edits: found.filter(isCertain), left: listSkipped(text, found) };
    },
    /** Returns the edits of a whole page, capitalized and escaped as their context requires. */
    pageEdits(page: string): TermEdits {
      if (finders.every(({ pattern }) => page.search(pattern) === -1))
        return { edits: [], left: [] };
      const fields = new Map(readFrontmatterFields(page).map((field) => [field.valueStart, field]));
      const spans = listPageSpans(page).filter(({ kind }) => kind !== "code" || inCode);
      const found = spans.map((span) => ({ span, places: findIn(page, span) }));
      const edits = found.flatMap(({ span, places }) => {
        const field = span.kind === "metadata" ? fields.get(span.start) : undefined;
        const certain = places.filter(isCertain);
        return field === undefined
          ? certain.map((edit) => escapeForContext(edit, span))
          : toFieldEdits(page, field, certain);
      });
      return { edits, left: listSkipped(page, found.flatMap(({ places }) => places)) }; // prettier-ignore
    },
  };
}

/** An occurrence of the term with its replacement, or the reason why it is left unchanged. */
interface Found extends TextEdit {
  readonly reason?: string | undefined;
}

function isCertain({ reason }: Found): boolean {
  return reason === undefined;
}

function listSkipped(text: string, found: readonly Found[]): TermEdits["left"] {
  const left = found.filter((place) => !isCertain(place));
  if (left.length === 0) return [];
  const lines = new LineIndex(text);
  return left.map(({ start, reason = "" }) => ({ line: lines.lineAt(start) + 1, reason }));
}

/** Returns the edit of an occurrence; undefined if it already has the new name or is not a separate word. */
function findMatchEdit(
  place: TermMatch,
  form: TermReplacement,
  usage: WordUsage,
): Found | undefined {
  const { text, span, start, end } = place;
  if (isEnclosed(place)) return undefined;
  // A compound may be a separate name.
  const isCompound = text[start - 1] === "-" || text[end] === "-";
  if (isCompound) return { start, end, text: "", reason: "part of a compound" };
  if (isNewAlready(place, form)) return undefined;
  const isStart = () => startsSentence(text, span, start);
  const found = text.slice(start, end).replaceAll(/\s+[>\s]*/g, " ");
  const needsCapital =
    found === form.from && span.kind !== "code" && isCapitalLost(form) && isStart();
  const spelled = needsCapital ? capitalize(form.to) : findNewSpelling(found, form, isStart);
  if (spelled === undefined)
    return { start, end, text: "", reason: `written “${found}”, which may mean something else` };
  const doubt = findNameDoubt(place, form, needsCapital && !usage.takesCapital);
  const reason = doubt ?? findTextDoubt(place, usage, isStart);
  if (reason !== undefined) return { start, end, text: "", reason };
  const article = correctArticle(text.slice(span.start, start), form);
  const edited = article.text + keepGaps(text.slice(start, end), spelled);
  return { start: start - article.length, end, text: edited };
}

/**
 * Explains why text outside code may mean something else; undefined if it means the term. A name that is also a common
 * word may be that word, or part of another name.
 */
function findTextDoubt(
  place: TermMatch,
  usage: WordUsage,
  isStart: () => boolean,
): string | undefined {
  if (place.span.kind === "code") return undefined;
  if (usage.isCommon && isStart()) return "begins a sentence, where it may be the common word";
  if (usage.isCommon && isInName(place)) return "part of a longer name";
  return findLinkDoubt(place) ?? findWordDoubt(place, usage);
}

/** Escapes text that would be markup in its context. */
function escapeForContext(edit: TextEdit, { kind }: Span): TextEdit {
  if (kind === "attribute") return { ...edit, text: edit.text.replaceAll('"', "&quot;") };
  return kind === "prose" ? { ...edit, text: edit.text.replaceAll(/[<{]/g, "\\$&") } : edit;
}

/** Returns the edits of a field. If the new text has a special meaning in YAML, quotes the whole value. */
function toFieldEdits(
  page: string,
  field: FrontmatterField,
  edits: readonly TextEdit[],
): TextEdit[] {
  const [first] = edits;
  if (first === undefined) return [];
  const isPlain = edits.every(({ text }) => !/[:#"'\\]|^[-?!&*%@[{|>]/.test(text));
  if (isPlain) return [...edits];
  const value = applyEdits(page, edits, { start: field.valueStart, end: field.valueEnd });
  const around = field.quote === "" ? 0 : 1;
  const [start, end] = [field.valueStart - around, field.valueEnd + around];
  const text = getFieldText(value, { ...field, valueStart: 0, valueEnd: value.length });
  return [{ start, end, text: formatYamlString(field.quote === "" ? value : text) }];
}

/**
 * Creates a search pattern such as `Acme(\s+Cloud|\s*$)`, because a search matches individual lines, but a term may
 * continue on the next line.
 */
function createQuery(term: string): string {
  const parts = term.split(/\s+/).slice(0, 8).map(escapePattern);
  return parts
    .reduceRight((rest, part) => (rest === "" ? part : String.raw`${part}(\s+${rest}|\s*$)`), "")
    .slice(0, 1_000);
}

/** Keeps the gaps between words, such as a line break, if the new term has the same number of words. */
function keepGaps(found: string, to: string): string {
  const gaps = found.match(gapRegExp) ?? [];
  const words = to.split(" ");
  if (gaps.length !== words.length - 1) return to;
  return words.map((word, index) => word + (gaps[index] ?? "")).join("");
}

/** Corrects the article before a term if needed: `an Anchor` becomes `a Boat`. */
function correctArticle(
  before: string,
  { from, to }: TermReplacement,
): { readonly length: number; readonly text: string } {
  const match = article.exec(before.slice(-60));
  const [whole = "", word = "", blank = "", marks = ""] = match ?? [];
  const [written, now] = [word.length === 2 ? "vowel" : "consonant", findInitialSound(to)];
  // An article that does not fit the old term may not be an article, or may be a typo that this task must not fix.
  const isRight = (findInitialSound(from) ?? written) === written;
  if (match === null || !isRight || now === undefined || written === now) {
    return { length: 0, text: "" };
  }
  const n = word === word.toUpperCase() && word.length === 2 ? "N" : "n";
  const right = now === "vowel" ? word.charAt(0) + n : word.charAt(0);
  return { length: whole.length, text: right + blank + marks };
}

/**
 * Returns the sound with which a term begins. Returns undefined if the letters do not determine it, as in `SQL`, `HDMI`
 * and `umask`.
 */
function findInitialSound(term: string): "vowel" | "consonant" | undefined {
  const [word = ""] = /^\p{L}+/u.exec(term.normalize("NFD")) ?? [];
  if (word === "" || /^sql/i.test(word)) return undefined;
  // Words without vowels are read letter by letter: `an MCP host`, `an npm package`, `a JWT`.
  if (!/[aeiouy]/i.test(word)) return /^[fhlmnrsx]/i.test(word) ? "vowel" : "consonant";
  if (/^[aeio]/i.test(word)) return /^(?:eu|one$|once$)/i.test(word) ? undefined : "vowel";
  if (/^u/i.test(word)) return beginsWithYou(word) ? "consonant" : undefined;
  if (/^[bcdgjkpqtvwyz]/i.test(word)) return "consonant";
  // `SEP` may be read as a word or letter by letter, `hour` and `nginx` begin with a vowel sound, and `Xbox` and
  // `Xerox` begin with different sounds.
  const isClear = /^.\p{Ll}/u.test(word) && !/^(?:x|ng|h(?:eir|erb|on(?:est|o)|our))/i.test(word);
  return isClear ? "consonant" : undefined;
}

/** Reports whether a word begins with the sound of `you`, as `URL`, `user` and `unit` do. */
function beginsWithYou(word: string): boolean {
  return /^U\p{Lu}/u.test(word) || /^(?:us[aeu]|util|uni(?:co|f|on|qu|t|v))/i.test(word);
}

/** A spelling of a term, and its replacement. */
type TermReplacement = Pick<TaskOf<"rename_term">, "from" | "to">;

/** How the site's texts use a word. */
interface WordUsage {
  /** Whether the word is sometimes used as a verb. */
  readonly isVerb: boolean;
  /** Whether the term is a lower-case word, which may form a longer term with the next word, as in `host machine`. */
  readonly isWord: boolean;
  /** Reports whether a word that ends in `s` is a noun. */
  readonly isNoun: (word: string) => boolean;
  /** For a capitalized term: whether it also occurs in lower case. */
  readonly isCommon: boolean;
  /** For a lower-case new name: whether the site sometimes capitalizes it, which a name like `npm` never is. */
  readonly takesCapital: boolean;
}

/** An occurrence of a term in a text, in any capitalization. */
interface TermMatch {
  readonly text: string;
  readonly span: Span;
  readonly start: number;
  readonly end: number;
}

/** Explains why the new name may not fit in this position, even in code. Returns undefined if it fits. */
function findNameDoubt(
  place: TermMatch,
  form: TermReplacement,
  isCapitalOpen: boolean,
): string | undefined {
  if (isCapitalOpen) return "begins a sentence, where the new name may need a capital letter";
  if (isBesideNew(place, form)) return "the new name is next to it";
  return isRepetition(place, form) ? "the new name would be next to a part of itself" : undefined;
}

/**
 * Returns the new name with the capitalization of the occurrence. Returns undefined if the capitalization suggests that
 * something else is meant.
 */
function findNewSpelling(
  found: string,
  { from, to }: TermReplacement,
  isStart: () => boolean,
): string | undefined {
  if (found === from) return to;
  return found === capitalize(from) && isStart() ? capitalize(to) : undefined;
}

/**
 * Reports whether the new name begins in lower case, unlike the old one, as in `LLM` → `language model`. A change of
 * case alone, as in `GitHub` → `github`, is intended.
 */
function isCapitalLost({ from, to }: TermReplacement): boolean {
  return (
    /^\p{Lu}/u.test(from) &&
    /^\p{Ll}+(?!\p{L})/u.test(to) &&
    foldLettersAndDigits(from) !== foldLettersAndDigits(to)
  );
}

/**
 * Reports whether the text contrasts the term with the new name, as in `Claude Desktop or Claude`. After the renaming,
 * both would have the same name.
 */
function isBesideNew({ text, start, end }: TermMatch, { to }: TermReplacement): boolean {
  const [before, after] = [
    extractWordsBefore(text, start).trim(),
    extractWordsAfter(text, end).trim(),
  ];
  const name = normalizeWords(to);
  const joins = ["or", "and", "vs", "versus"];
  return joins.some((join) => before.endsWith(`${name} ${join}`) || `${after} `.startsWith(`${join} ${name} `)); // prettier-ignore
}

/** Reports whether the term may be part of a longer name, like `Context` in `Model Context Protocol`. */
function isInName({ text, span, start, end }: TermMatch): boolean {
  const before = text.slice(Math.max(span.start, start - around), start);
  const last = /(\p{Lu}[\p{L}\p{N}]*)[ \t]+$/u.exec(before)?.[1] ?? "";
  const isAfterName = last !== "" && !isFunctionWord(last);
  return isAfterName || /^[ \t]+\p{Lu}/u.test(text.slice(end, end + 10));
}

/**
 * Explains the doubt about a link's text if the link leads to another site whose address contains the name: the text
 * may then be a name that this site uses.
 */
function findLinkDoubt({ text, start, end }: TermMatch): string | undefined {
  const address = /^[^[\]\n]{0,80}\]\((https?:[^)\s]*)/.exec(text.slice(end, end + 300))?.[1] ?? "";
  const isName = foldLettersAndDigits(address).includes(
    foldLettersAndDigits(text.slice(start, end)),
  );
  return isName ? "the words of a link to another site" : undefined;
}

/**
 * Explains the doubt about a common word, which may be a verb or part of a longer term. Returns undefined if there is
 * no doubt.
 */
function findWordDoubt(
  { text, span, start, end }: TermMatch,
  { isVerb, isWord, isNoun }: WordUsage,
): string | undefined {
  if (!isWord) return undefined;
  const [before, after] = [text.slice(Math.max(0, span.start, start - 40), start), text.slice(end, Math.min(span.end, end + 60))]; // prettier-ignore
  if (beforeDeterminer.test(after)) return "may be a verb here";
  if (isVerb && verbMarker.test(before)) return "is a verb here";
  if (isVerb && !determiner.test(before)) return "may be a verb here";
  // A plural does not form a longer term, as in `clients connect`.
  if (text[end - 1] === "s") return undefined;
  // Without an article before the term, as in `opens developer tools`, the next word belongs to the term.
  const isOwn = (word: string) => isNoun(word) || !determined.test(before);
  return beginsWithNoun(after, isOwn) ? "may be part of a longer term" : undefined;
}

/**
 * Reports whether the occurrence is already part of the new name, such as `MCP Inspector` if `Inspector` is renamed to
 * `MCP Inspector`.
 */
function isNewAlready({ text, start, end }: TermMatch, { from, to }: TermReplacement): boolean {
  for (let at = to.indexOf(from); at !== -1; at = to.indexOf(from, at + 1)) {
    const [head, tail] = [to.slice(0, at), to.slice(at + from.length)];
    const isWritten = text.endsWith(head, start) && text.startsWith(tail, end);
    const [first, last] = [normalizeWords(head), normalizeWords(tail)];
    const hasFirst = first === "" || extractWordsBefore(text, start).endsWith(` ${first} `);
    const hasLast = last === "" || extractWordsAfter(text, end).startsWith(` ${last} `);
    if (isWritten || (hasFirst && hasLast && first + last !== "")) return true;
  }
  return false;
}

/** Reports whether the new name would repeat the adjacent word or its plural. */
function isRepetition({ text, start, end }: TermMatch, { from, to }: TermReplacement): boolean {
  const [old, next] = [normalizeWords(from).split(" "), normalizeWords(to).split(" ")];
  const [before, after] = [extractWordsBefore(text, start).split(" ").at(-2), extractWordsAfter(text, end).split(" ")[1]]; // prettier-ignore
  const isBefore = next[0] !== old[0] && before !== "" && isAlike(before, next[0]);
  // A number distinguishes names, such as `OAuth 2.0` and `OAuth 2.1`.
  if (/\d$/.test(to) && /^\s+v?\d/.test(text.slice(end, end + 8))) return true;
  return isBefore || (next.at(-1) !== old.at(-1) && after !== "" && isAlike(after, next.at(-1)));
}

/** Reports whether two words are the same, or one is the other's plural. */
function isAlike(one = "", other = ""): boolean {
  return one === other || toPlural(one) === other || one === toPlural(other);
}

/** The number of characters that are read before and after a term. */
const around = 120;

/** Returns the words directly before an offset, back to the nearest punctuation. */
function extractWordsBefore(text: string, at: number): string {
  return ` ${normalizeWords(text.slice(Math.max(0, at - around), at).replace(/^.*(?:[.,!?:;|]\s|\n\s*\n)/s, ""))} `;
}

function extractWordsAfter(text: string, at: number): string {
  return ` ${normalizeWords(text.slice(at, at + around).replace(/(?:[.,!?:;|](?=\s|$)|\n\s*\n).*$/s, ""))} `;
}

/** Normalizes words to lower case with single spaces. */
function normalizeWords(text: string): string {
  return splitWords(text).join(" ");
}

const letter = String.raw`[\p{L}\p{N}_/\\@#$]`;
const boundBefore = new RegExp(`${letter}$|[\\p{L}\\p{N}][.:]$`, "u");
const boundAfter = new RegExp(`^(?:[\\p{L}\\p{N}_/\\\\@(]|(?:\\.|::?)[\\p{L}\\p{N}])`, "u");

/** Reports whether the occurrence is part of a word, an address, a file name, a mention or an identifier. */
function isEnclosed({ text, start, end }: TermMatch): boolean {
  return boundBefore.test(text.slice(Math.max(0, start - 2), start)) || boundAfter.test(text.slice(end, end + 2)); // prettier-ignore
}

export function toPlural(term: string): string {
  if (/[^aeiou]y$/i.test(term)) return `${term.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/i.test(term) ? `${term}es` : `${term}s`;
}

/** Function words of English, which are never terms. */
const functionWords: ReadonlySet<string> = new Set(
  (
    "a an the this that these those it its he she they them their we us our you your i me my who whom whose which what " +
    "and or but nor so yet if then else when while where why how because although though unless until since as than " +
    "of in on at by for with from to into onto over under about after before between through during without within " +
    "is are was were be been being am do does did done have has had having can could may might must shall should will would " +
    "not no yes all any each every some many much more most other another such same own few less least both either neither " +
    "myself yourself itself himself herself ourselves yourselves themselves someone something anyone anything everyone everything nothing " +
    "via per against among along across around behind below above beside besides despite except inside outside near off out toward towards up down upon like versus throughout alone " +
    "here there now just only also too very again once ever never always often"
  ).split(" "),
);

export function isFunctionWord(word: string): boolean {
  return functionWords.has(word.toLowerCase());
}

const certainModal =
  "must|should|shall|can|could|might|would|cannot|don't|doesn't|won't|can't|let's";
const modal = "must|should|shall|can|could|may|might|will|would|cannot|not|don['’]t|doesn['’]t|didn['’]t|won['’]t|can['’]t|let['’]s"; // prettier-ignore
/** Matches the end of a text after which a word is probably a verb. */
const verbMarker = new RegExp(`(?:^|[\\s(*_“"])(?:${modal}|to|please|i|we|you|they|who|and|or)[\\s*_]+$`, "i"); // prettier-ignore
const determiners =
  "a|an|the|this|that|these|those|each|every|any|all|your|our|its|their|my|no|another|some|one|both";
/** Matches the end of a text after which a word is a noun or part of a compound noun. */
const determiner = new RegExp(
  `(?:^|[\\s(*_“"[])(?:${determiners}|either|one|which|per)[\\s*_"“[]+$`,
  "i",
);

/** Matches the beginning of a text before which a word is a verb, as in `Preview your changes`. */
const beforeDeterminer = new RegExp(`^[ \\t]+(?:${determiners}|it|them|us|you)(?![\\p{L}])`, "iu");

const adverb = /^(?:also|always|still|then|now|never|only|already|later|again|instead|first|once)$/;

/**
 * Reports whether the next word is another noun, without a verb or a function word in between. `isNoun` reports whether
 * a word that ends in `s` is a noun.
 */
function beginsWithNoun(after: string, isNoun: (word: string) => boolean): boolean {
  const [whole = "", word = ""] = /^[ \t]+([\p{L}\p{N}]+)/u.exec(after) ?? [];
  if (word === "" || isFunctionWord(word) || adverb.test(word) || /(?:ed|ing|ly)$/.test(word))
    return false;
  // In `The host requests the page`, `host requests` is not a compound noun.
  return !word.endsWith("s") || (!beforeDeterminer.test(after.slice(whole.length)) && isNoun(word));
}

/** Matches the end of a text with an article or similar word before the next word, or one word earlier. */
const determined = new RegExp(`(?:(?<![\\p{L}])(?:${determiners}|either|one|which|per)|['’]s)\\s+(?:\\S+\\s+)?$`, "iu"); // prettier-ignore

const nounMarkers = String.raw`\b(?:${determiners}|of|with)\s+`;
const markedNouns = new RegExp(String.raw`${nounMarkers}(?=([\p{L}\p{N}_]+))`, "giu");

/** Lists the words that texts use as nouns, in lower case. */
function listNouns(texts: readonly string[]): ReadonlySet<string> {
  const found = texts.flatMap((text) => Array.from(text.matchAll(markedNouns), ([, word = ""]) => word)); // prettier-ignore
  return new Set(found.map((word) => word.toLowerCase()));
}

/** Creates a pattern for `search` that finds uses of a word as a verb: `must host`, `hosted`. */
function createVerbPattern(word: string): string {
  return String.raw`\b(?:(?:${certainModal})\s+${word}|${listPastForms(word).join("|")})\b`;
}

function listPastForms(word: string): readonly string[] {
  if (word.endsWith("e")) return [`${word}d`];
  if (/[^aeiou]y$/.test(word)) return [`${word.slice(0, -1)}ied`];
  return [`${word}ed`, `${word}${word.slice(-1)}ed`];
}

/** Verbs in technical texts that are never nouns. */
const verbsOnly: ReadonlySet<string> = new Set(
  "execute invoke configure create enable disable utilize choose remove allow prevent ensure provide contain verify validate generate retrieve receive send obtain determine define describe explain specify include exclude initialize publish submit modify append serialize encrypt decrypt compute evaluate iterate authenticate authorize consume notify apply delete".split(
    " ",
  ),
);
/** Words with noun endings that are also verbs. */
const alsoVerbs = /^(?:mention|position|function|question|condition|portion|station|caption|version|ration|implement|document|comment|complement|experiment|reference|experience|influence|balance)$/; // prettier-ignore
const nounEnding = /(?:tion|sion|ment|ness|ity|ance|ence|ship|ism)$/;

/** Whether a word is used as a noun and as a verb. Both are false if there is no evidence. */
interface WordRoles {
  readonly isNoun: boolean;
  readonly isVerb: boolean;
}

/** The minimum frequency of one use relative to the other. A rarer use is probably a typo or part of another name. */
const minShare = 0.1;

/**
 * Determines whether a word is a noun, a verb or both: from its form if possible, otherwise from its uses in the texts.
 */
export function findRoles(word: string, texts: readonly string[]): WordRoles {
  if (verbsOnly.has(word) || /..(?:ize|ify)$/.test(word)) return { isNoun: false, isVerb: true };
  if (nounEnding.test(word) && !alsoVerbs.test(word)) return { isNoun: true, isVerb: false };
  const noun = new RegExp(`${nounMarkers}(?:${word}|${word.slice(0, -1)})\\b`, "i");
  const verb = new RegExp(String.raw`${createVerbPattern(word)}|\b(?:to|can|please)\s+${word}\s+(?:${determiners}|it)\b`, "i"); // prettier-ignore
  const count = (pattern: RegExp) => texts.filter((text) => pattern.test(text)).length;
  const [nouns, verbs] = [count(noun), count(verb)];
  return { isNoun: nouns > minShare * verbs, isVerb: verbs > minShare * nouns };
}

const beginning =
  /(?:^|\n[ \t>]*\n[ \t>]*|(?:^|\n)[ \t>]*(?:#{1,6}|[-*+]|\d+[.)])[ \t]+(?:\[[ xX]\][ \t]+)?|\n---\r?\n\s*|\|[ \t]*|>\s*|[.!?:…]["”’)\]*_]*\s+)$/;

/** Reports whether the text at an offset begins a sentence, a heading, a cell, an item or a label. */
function startsSentence(text: string, { kind, start }: Span, at: number): boolean {
  const from = kind === "metadata" || kind === "attribute" ? start : Math.max(0, at - 200);
  const before = text.slice(from, at).replace(/[*_"“‘'[(]+$/, "");
  return beginning.test(before);
}

/** Lists the text that readers see, without code and addresses. */
export function listProse(page: string): string[] {
  return listPageSpans(page).flatMap(({ kind, start, end }) => (kind === "code" ? [] : [page.slice(start, end)])); // prettier-ignore
}

export const unknownWordUsage: WordUsage = {
  isVerb: false,
  isWord: false,
  isNoun: () => false,
  isCommon: false,
  takesCapital: true,
};

export const plainWordPattern = /^\p{L}+$/u;

/**
 * Determines how the site uses a term. Other forms of its word may occur in texts that do not contain the term, so this
 * requires further searches.
 */
export function* readWordUsage(
  { from: word, to }: TermReplacement,
  { texts, prose }: { readonly texts: readonly string[]; readonly prose: readonly string[] },
  { files }: Listing,
): Plan<WordUsage> {
  const takesCapital = isWrittenWithCapital(to, prose);
  if (!plainWordPattern.test(word)) return { ...unknownWordUsage, takesCapital };
  const small = word.toLowerCase();
  if (word !== small)
    return { ...unknownWordUsage, takesCapital, isCommon: isCommonWord(word, prose) };
  const query = { query: createVerbPattern(small), isRegex: true, ignoreCase: true };
  const found = yield* findFiles([query], files);
  let nouns: ReadonlySet<string> | undefined;
  const isNoun = (other: string) => {
    nouns ??= listNouns(texts);
    return [other, other.slice(0, -1)].some((form) => nouns?.has(form.toLowerCase()));
  };
  return { isVerb: found.length > 0, isWord: true, isNoun, isCommon: false, takesCapital };
}

/**
 * Reports whether a lower-case name is capitalized at the beginning of a sentence. This is the case if the name has
 * several words or if the texts capitalize it.
 */
function isWrittenWithCapital(name: string, prose: readonly string[]): boolean {
  if (/^\p{L}*[aeiouy]\p{L}* /iu.test(name)) return true;
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}_-])${escapePattern(capitalize(name))}(?![\\p{L}\\p{N}_-])`, "u"); // prettier-ignore
  return prose.some((part) => pattern.test(part));
}

/** The maximum share of lower-case occurrences of a name at which they are treated as typos. */
const maxTypoShare = 0.05;

/**
 * Reports whether a name is also a common word in lower case. Parts of an address such as `help@kiln.example` are
 * ignored. A name with an inner capital letter, such as `OAuth`, is never a common word.
 */
function isCommonWord(name: string, prose: readonly string[]): boolean {
  const small = name.toLowerCase();
  if (name.slice(1) !== small.slice(1)) return false;
  const [before, after] = ["[\\p{L}\\p{N}_@./-]", "[\\p{L}\\p{N}_@/-]|\\.[\\p{L}\\p{N}]"];
  const either = new RegExp(`(?<!${before})(?:${name}|(${small}))(?!${after})`, "gu");
  const found = prose.flatMap((part) => Array.from(part.matchAll(either), ([, word]) => word));
  const words = found.filter((word) => word !== undefined);
  return words.length > maxTypoShare * (found.length - words.length);
}
