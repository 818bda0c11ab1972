import type { Span } from "../text/span.ts";

/** Words of the language itself: no term is one of them. */
const functionWords: ReadonlySet<string> = new Set(
  (
    "a an the this that these those it its he she they them their we us our you your i me my who whom whose which what " +
    "and or but nor so yet if then else when while where why how because although though unless until since as than " +
    "of in on at by for with from to into onto over under about after before between through during without within " +
    "is are was were be been being am do does did done have has had having can could may might must shall should will would " +
    "not no yes all any each every some many much more most other another such same own few less least both either neither " +
    "here there now just only also too very again once ever never always often"
  ).split(" "),
);

export function isFunctionWord(word: string): boolean {
  return functionWords.has(word.toLowerCase());
}

const modal = "must|should|shall|can|could|may|might|will|would|cannot|not|don['’]t|doesn['’]t|didn['’]t|won['’]t|can['’]t|let['’]s"; // prettier-ignore
const afterModal = new RegExp(`(?:^|[\\s(*_“"])(?:${modal})[\\s*_]+$`, "i");
const verbSign = new RegExp(`(?:^|[\\s(*_“"])(?:${modal}|to|please|i|we|you|they|who|and|or)[\\s*_]+$`, "i"); // prettier-ignore
const determiner =
  /(?:^|[\s(*_“"[])(?:a|an|the|this|that|each|every|any|your|our|its|their|my|no|another|either|one|which|per)[\s*_"“[]+$/i;

/** Whether a word that comes next can only be a verb. */
export function isAfterModal(before: string): boolean {
  return afterModal.test(before);
}

/** Whether of a word that is a verb in places the next one most likely is. */
export function isAfterVerbSign(before: string): boolean {
  return verbSign.test(before);
}

/** Whether a word that comes next is a noun, or a part of one. */
export function isAfterDeterminer(before: string): boolean {
  return determiner.test(before);
}

/** `hosted`: where a word has such a form, it is a verb too. */
export function pastFormsOf(word: string): readonly string[] {
  if (word.endsWith("e")) return [`${word}d`];
  if (/[^aeiou]y$/.test(word)) return [`${word.slice(0, -1)}ied`];
  return [`${word}ed`, `${word}${word.slice(-1)}ed`];
}

const beginning =
  /(?:^|\n[ \t>]*\n[ \t>]*|\n[ \t>]*(?:#{1,6}|[-*+]|\d+[.)])[ \t]+(?:\[[ xX]\][ \t]+)?|\n---\r?\n\s*|\|[ \t]*|>\s*|[.!?:…]["”’)\]*_]*\s+)$/;

/** Whether what stands at an offset begins a sentence, a heading, a cell, an item or a label. */
export function startsSentence(text: string, { kind, start }: Span, at: number): boolean {
  const from = kind === "metadata" || kind === "attribute" ? start : Math.max(0, at - 200);
  const before = text.slice(from, at).replace(/[*_"“‘'[(]+$/, "");
  return beginning.test(before);
}
