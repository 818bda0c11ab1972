import type { Span } from "../text/page-spans.ts";

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
const verbMarker = new RegExp(`(?:^|[\\s(*_“"])(?:${modal}|to|please|i|we|you|they|who|and|or)[\\s*_]+$`, "i"); // prettier-ignore
const determiners =
  "a|an|the|this|that|these|those|each|every|any|all|your|our|its|their|my|no|another|some|one|both";
const determiner = new RegExp(
  `(?:^|[\\s(*_“"[])(?:${determiners}|either|one|which|per)[\\s*_"“[]+$`,
  "i",
);

/** Reports whether the text before a word shows that it is probably a verb. */
export function isAfterVerbMarker(before: string): boolean {
  return verbMarker.test(before);
}

/** Reports whether the text before a word shows that it is a noun or part of one. */
export function isAfterDeterminer(before: string): boolean {
  return determiner.test(before);
}

const beforeDeterminer = new RegExp(`^[ \\t]+(?:${determiners}|it|them|us|you)(?![\\p{L}])`, "iu");

/** Reports whether the text after a word shows that the word is a verb, as in `Preview your changes`. */
export function isBeforeDeterminer(after: string): boolean {
  return beforeDeterminer.test(after);
}

const adverb = /^(?:also|always|still|then|now|never|only|already|later|again|instead|first|once)$/;

/**
 * Reports whether the next word is another noun, without a verb or a function word in between. `isNoun` decides about
 * words that end in `s`.
 */
export function beginsWithNoun(after: string, isNoun: (word: string) => boolean): boolean {
  const [whole = "", word = ""] = /^[ \t]+([\p{L}\p{N}]+)/u.exec(after) ?? [];
  if (word === "" || isFunctionWord(word) || adverb.test(word) || /(?:ed|ing|ly)$/.test(word))
    return false;
  // The text is `The host requests the page`, in which `host requests` is not a compound noun.
  return !word.endsWith("s") || (!isBeforeDeterminer(after.slice(whole.length)) && isNoun(word));
}

const determined = new RegExp(`(?:(?<![\\p{L}])(?:${determiners}|either|one|which|per)|['’]s)\\s+(?:\\S+\\s+)?$`, "iu"); // prettier-ignore

/** Reports whether an article or similar word shortly precedes the next word. */
export function isDetermined(before: string): boolean {
  return determined.test(before);
}

const nounMarkers = String.raw`\b(?:${determiners}|of|with)\s+`;
const markedNouns = new RegExp(String.raw`${nounMarkers}(?=([\p{L}\p{N}_]+))`, "giu");

/** Lists the words that texts use as nouns, in lower case. */
export function listNouns(texts: readonly string[]): ReadonlySet<string> {
  const found = texts.flatMap((text) => Array.from(text.matchAll(markedNouns), ([, word = ""]) => word)); // prettier-ignore
  return new Set(found.map((word) => word.toLowerCase()));
}

/** Creates a pattern for `search` that finds a word as a verb: `must host`, `hosted`. */
export function createVerbPattern(word: string): string {
  return String.raw`\b(?:(?:${certainModal})\s+${word}|${listPastForms(word).join("|")})\b`;
}

function listPastForms(word: string): readonly string[] {
  if (word.endsWith("e")) return [`${word}d`];
  if (/[^aeiou]y$/.test(word)) return [`${word.slice(0, -1)}ied`];
  return [`${word}ed`, `${word}${word.slice(-1)}ed`];
}

/** Verbs of technical texts that are not nouns. */
const verbsOnly: ReadonlySet<string> = new Set(
  "execute invoke configure create enable disable utilize choose remove allow prevent ensure provide contain verify validate generate retrieve receive send obtain determine define describe explain specify include exclude initialize publish submit modify append serialize encrypt decrypt compute evaluate iterate authenticate authorize consume notify apply delete".split(
    " ",
  ),
);
/** Nouns with the ending of nouns that are verbs, too. */
const alsoVerbs = /^(?:mention|position|function|question|condition|portion|station|caption|version|ration|implement|document|comment|complement|experiment|reference|experience|influence|balance)$/; // prettier-ignore
const nounEnding = /(?:tion|sion|ment|ness|ity|ance|ence|ship|ism)$/;

/** The ways in which a word is used. Both are false if nothing shows one. */
interface WordRoles {
  readonly isNoun: boolean;
  readonly isVerb: boolean;
}

/** The minimum share of the other use. Below it, a use is probably a typo or a word of another name. */
const minShare = 0.1;

/** Reads from a word itself, or else from texts, whether it is a noun, a verb or both. */
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
export function startsSentence(text: string, { kind, start }: Span, at: number): boolean {
  const from = kind === "metadata" || kind === "attribute" ? start : Math.max(0, at - 200);
  const before = text.slice(from, at).replace(/[*_"“‘'[(]+$/, "");
  return beginning.test(before);
}
