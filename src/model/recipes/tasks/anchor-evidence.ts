import { letters } from "../pages.ts";
import { pageAnchors } from "../text/anchors.ts";
import type { Anchor } from "../text/anchors.ts";
import { isMisspelling } from "./link-evidence.ts";
import type { Verdict } from "./link-evidence.ts";

/** Words that say nothing of what a heading is about. */
const smallWords: ReadonlySet<string> = new Set(
  "a an the and or of to in on for with your our how do i is are by as at from".split(" "),
);
/** With one of these more, a heading says something else. */
const turningWords: ReadonlySet<string> = new Set(
  "not no non without dont never except old new legacy deprecated removed beta advanced".split(" "),
);

/**
 * Which place of a page a broken anchor means: one that differs in signs, case or a slip of the hand; one whose
 * words the link's own text says; one with the same words, but for one or two more on one side.
 */
export function judgeAnchor(anchor: string, linkText: string, page: string): Verdict {
  const anchors = pageAnchors(page);
  for (const { because, isMeant } of evidence) {
    const found = distinct(anchors.filter((candidate) => isMeant(candidate, anchor, linkText)));
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
  readonly isMeant: (candidate: Anchor, anchor: string, linkText: string) => boolean;
}

const evidence: readonly Evidence[] = [
  {
    because: "the same heading but for case and signs",
    isMeant: ({ id }, anchor) => letters(id) === letters(anchor),
  },
  {
    because: "the same words in another form",
    isMeant: ({ id }, anchor) => sameWords(wordsOf(id), wordsOf(anchor)),
  },
  {
    because: "the heading that the link's text names",
    isMeant: ({ label }, _anchor, linkText) =>
      wordsOf(linkText).length >= 2 && letters(label) === letters(linkText),
  },
  {
    because: "the only heading of nearly that spelling",
    isMeant: ({ id }, anchor) => isMisspelling(letters(id), letters(anchor)),
  },
  {
    because: "the only heading of nearly those words",
    isMeant: ({ id }, anchor) => isNearly(wordsOf(id), wordsOf(anchor)),
  },
];

function distinct(anchors: readonly Anchor[]): string[] {
  return [...new Set(anchors.map(({ id }) => id))];
}

function sameWords(one: readonly string[], other: readonly string[]): boolean {
  return one.length > 0 && one.toSorted().join(" ") === other.toSorted().join(" ");
}

/** All words of one are in the other, which has at most half as many more; none of those turns the sense. */
function isNearly(one: readonly string[], other: readonly string[]): boolean {
  const [few, many] = one.length <= other.length ? [one, other] : [other, one];
  const more = many.filter((word) => !few.includes(word));
  if (few.length < 2 || !few.every((word) => many.includes(word))) return false;
  return (
    more.length <= few.length / 2 && !more.some((word) => turningWords.has(word) || /\d/.test(word))
  );
}

/** The words that matter, each without its ending: `configuring` and `configure` are one. */
function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return [
    ...new Set(
      words
        .slice(0, 40)
        .filter((word) => !smallWords.has(word))
        .map(stemOf),
    ),
  ];
}

function stemOf(word: string): string {
  if (word.length < 5) return word.replace(/(?<=...)s$/, "");
  return word.replace(/(?:ies|y)$/, "i").replace(/(?:ing|ed|es|e|s)$/, "");
}
