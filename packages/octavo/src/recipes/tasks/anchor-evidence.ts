import { letters } from "../pages.ts";
import { pageAnchors } from "../text/anchors.ts";
import type { Anchor } from "../text/anchors.ts";
import { isMisspelling } from "./link-evidence.ts";
import type { Verdict } from "./link-evidence.ts";

/** Words that say nothing of what a heading is about. */
const smallWords: ReadonlySet<string> = new Set(
  "a an the and or of to in on for with your our how do i is are by as at from per".split(" "),
);
/** With one of these more, a heading says something else. */
const turningWords: ReadonlySet<string> = new Set(
  "not no non without dont never except old new legacy deprecated removed beta advanced".split(" "),
);

/** A broken anchor, the words of the link that names it, and the name of the page that it should be on. */
export interface LostAnchor {
  readonly anchor: string;
  readonly linkText: string;
  readonly pageName: string;
}

/**
 * Which place of a page a broken anchor means: one that differs in signs, case or a slip of the hand; one whose
 * words the link's own text says; one with the same words, but for one or two more on one side.
 */
export function judgeAnchor(lost: LostAnchor, page: string): Verdict {
  const anchors = pageAnchors(page);
  const named = anchors.filter(({ label }) => holdsText(label, lost.linkText)).map(({ id }) => id);
  for (const { because, isMeant, isNear } of evidence) {
    const found = distinct(anchors.filter((candidate) => isMeant(candidate, lost)));
    // What is only like the anchor must not be somewhere else than the link's own words say.
    const isElsewhere =
      found.length > 0 && named.length > 0 && !found.some((id) => named.includes(id));
    if (isNear && isElsewhere) return { reason: "its words and its anchor say different headings" };
    if (found.length === 1) return { found: found[0] ?? "", because };
    if (found.length > 1) {
      const shown = found.slice(0, 3).map((id) => `#${id}`);
      return { reason: `${found.length} places could be meant (${shown.join(", ")})` };
    }
  }
  return { reason: "no heading of the page is like it" };
}

interface Evidence {
  readonly because: string;
  readonly isMeant: (candidate: Anchor, lost: LostAnchor) => boolean;
  /** The heading is only like the anchor. */
  readonly isNear?: true;
}

const evidence: readonly Evidence[] = [
  {
    because: "the same heading but for case and signs",
    isMeant: ({ id }, { anchor }) => letters(id) === letters(anchor),
  },
  {
    because: "the same words in another form",
    isMeant: ({ id }, { anchor }) => sameWords(wordsOf(id), wordsOf(anchor)),
  },
  {
    because: "the heading that the link's text names",
    isMeant: ({ label }, { linkText }) =>
      wordsOf(linkText).length >= 2 && letters(label) === letters(linkText),
  },
  {
    because: "the parameter of that name",
    isMeant: ({ id, label }, { anchor }) =>
      id.startsWith("param-") !== anchor.startsWith("param-") &&
      letters(label) === letters(anchor.replace(/^param-/, "")),
  },
  {
    because: "the same words without the page's own name",
    isMeant: ({ id }, { anchor, pageName }) =>
      sameWords(without(wordsOf(id), pageName), without(wordsOf(anchor), pageName)),
  },
  {
    because: "the only heading of nearly that spelling",
    isNear: true,
    isMeant: ({ id }, { anchor }) => isMisspelling(id, anchor),
  },
  // Where one of them has the words as they are written, `response_type` is not meant by `new-response-types`.
  {
    because: "the only heading of nearly those words",
    isNear: true,
    isMeant: ({ id }, { anchor }) => isNearly(writtenWords(id), writtenWords(anchor)),
  },
  {
    because: "the only heading of nearly those words",
    isNear: true,
    isMeant: ({ id }, { anchor }) => isNearly(wordsOf(id), wordsOf(anchor)),
  },
  {
    because: "the only heading whose words it has in a row",
    isNear: true,
    isMeant: ({ id }, { anchor }) => isWithin(wordsOf(id), wordsOf(anchor)),
  },
];

function distinct(anchors: readonly Anchor[]): string[] {
  return [...new Set(anchors.map(({ id }) => id))];
}

function without(words: readonly string[], pageName: string): string[] {
  const own = wordsOf(pageName);
  return words.filter((word) => !own.includes(word));
}

export function sameWords(one: readonly string[], other: readonly string[]): boolean {
  return one.length > 0 && one.toSorted().join(" ") === other.toSorted().join(" ");
}

/**
 * All words of one are in the other in a row, which has at most half as many more before or behind them; none of
 * those turns the sense. A word more between them does: `with-nested-groups` is not `with-groups`.
 */
function isNearly(one: readonly string[], other: readonly string[]): boolean {
  const [few, many] = one.length <= other.length ? [one, other] : [other, one];
  const more = many.filter((word) => !few.includes(word));
  if (few.length < 2 || !isRun(few, many)) return false;
  return (
    more.length <= few.length / 2 && !more.some((word) => turningWords.has(word) || /\d/.test(word))
  );
}

/** Three words in a row are no chance: `old-client-field-access-works` means `Client field access`. */
function isWithin(heading: readonly string[], anchor: readonly string[]): boolean {
  return heading.length >= 3 && isRun(heading, anchor);
}

function isRun(few: readonly string[], many: readonly string[]): boolean {
  return ` ${many.join(" ")} `.includes(` ${few.join(" ")} `);
}

/** Shorter link texts, like `it` and `API`, are in many headings. */
const namingLetters = 4;

function holdsText(label: string, linkText: string): boolean {
  const text = letters(linkText);
  return text.length >= namingLetters && letters(label).includes(text);
}

/** The words that matter, each without its ending: `configuring` and `configure` are one. */
export function wordsOf(text: string): string[] {
  return [...new Set(writtenWords(text).map(stemOf))];
}

function writtenWords(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.slice(0, 40).filter((word) => !smallWords.has(word));
}

function stemOf(word: string): string {
  if (word.length < 5) return word.replace(/(?<=...)e?s?$/, "");
  return word.replace(/(?:ies|y)$/, "i").replace(/(?:ing|ed|es|e|s)$/, "");
}
