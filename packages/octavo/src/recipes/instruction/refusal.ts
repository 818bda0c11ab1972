import { OctavoError } from "@octavo/site/core";
import { forms } from "./forms.ts";
import { getCanonicalWord, type Token } from "./tokens.ts";

/** The reason for rejecting an instruction, and what to send instead. */
interface Refusal {
  /** The rest of a sentence that begins with “I cannot do this:”. */
  readonly reason: string;
  /** Complete instructions that work on this site and can be sent instead. */
  readonly send?: readonly string[];
  /** The most similar forms, with empty slots, for an instruction that was not understood. */
  readonly nearest?: readonly string[];
  /**
   * Whether the instruction matches a form but cannot be carried out on this site. The list of forms is then omitted,
   * because it would not help.
   */
  readonly isUnderstood?: boolean;
}

const formList = [
  "Without a language model, I understand these forms, one per line, with names and texts in quotation marks:",
  ...forms.flatMap(({ wordings: [wording], purpose }) =>
    purpose === undefined ? [] : [`- ${wording}`],
  ),
  "For anything else, set a model in OCTAVO_MODEL or for the project, for example anthropic/<model>.",
].join("\n");

/** Values that may work in one of the form's slots. */
interface Choices {
  readonly slot: string;
  readonly choices: readonly string[];
}

/** Creates the error for a refusal. Alternatives are on separate lines of the message, indented by four spaces. */
export function createRefusal(refusal: Refusal): OctavoError {
  const { reason, send = [], nearest = [], isUnderstood = false } = refusal;
  const parts = [
    `I cannot do this: ${reason.replace(/\.$/, "")}. Nothing was changed.`,
    ...listUnder(send.length > 1 ? "Send one of these instead:" : "Send this instead:", send),
    ...listUnder("The nearest tasks, to fill in:", nearest),
    ...(isUnderstood ? [] : [formList]),
  ];
  return new OctavoError("invalid_input", parts.join("\n\n"), {
    details: { reason, send, nearest, isUnderstood },
  });
}

function listUnder(heading: string, forms: readonly string[]): string[] {
  if (forms.length === 0) return [];
  return [
    [heading, "", ...forms.map((form) => `    ${form.replaceAll("\n", "\n    ")}`)].join("\n"),
  ];
}

/**
 * Creates the error for a task that cannot be carried out on this site. `reason` completes a sentence that begins with
 * “I cannot do this:”. A caller that knows the form inserts each of the choices into it.
 */
export function createRefusedError(
  reason: string,
  instead?: Choices | { readonly send: readonly string[] },
): OctavoError {
  return new OctavoError("invalid_input", `I cannot do this: ${reason.replace(/\.$/, "")}.`, {
    details: { reason, ...instead },
  });
}

const maxNearest = 3;

/** Words in wordings that do not indicate the kind of task. */
const connectingWords: ReadonlySet<string> = new Set("to in at with from the a all and as than not that lack one them".split(" ")); // prettier-ignore

/** The kinds of task, each with the words that identify it. */
const kinds = forms
  .filter(({ purpose }) => purpose !== undefined)
  .map(({ wordings: [shown, ...others], hints }) => ({
    shown: leaveSlotsEmpty(shown),
    words: new Set([shown, ...others].flatMap(listWords).map(getCanonicalWord)),
    hints: new Set(hints?.split(" ").map(getCanonicalWord)),
  }));

function leaveSlotsEmpty(wording: string): string {
  return removeOptions(wording).replaceAll(/"<[^>]+>"/g, '"…"').replaceAll(/<[^>]+>/g, "…"); // prettier-ignore
}

function listWords(wording: string): string[] {
  const words = removeOptions(wording).replaceAll(/<[^>]+>/g, "").toLowerCase().match(/[a-z]+/g); // prettier-ignore
  return (words ?? []).filter((word) => !connectingWords.has(word));
}

function removeOptions(wording: string): string {
  return wording.replaceAll(/ ?\[(?:[^[\]]|\[[^\]]*\])*\]/g, "");
}

const negationPattern = /^(?:don['’]?t|not|never)$/i;

/**
 * Lists the kinds of task that share the most words with an instruction. A hint counts as two words. Returns an empty
 * list for a negated instruction.
 */
export function listNearestKinds(tokens: readonly Token[]): string[] {
  if (tokens.some(({ kind, text }) => kind === "word" && negationPattern.test(text))) return [];
  const asked = tokens.map(({ text }) => getCanonicalWord(text.replaceAll(/^\W+|\W+$/g, "")));
  const count = (words: ReadonlySet<string>) => new Set(asked.filter((word) => words.has(word))).size; // prettier-ignore
  return kinds
    .map(({ shown, words, hints }) => ({ shown, score: count(words) + 2 * count(hints) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, maxNearest)
    .map(({ shown }) => shown);
}
