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
  for (const { because, isMeant } of evidence) {
    const found = distinct(anchors.filter((candidate) => isMeant(candidate, lost)));
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
      id.startsWith("param-") && letters(label) === letters(anchor),
  },
  {
    because: "the same words without the page's own name",
    isMeant: ({ id }, { anchor, pageName }) =>
      sameWords(without(wordsOf(id), pageName), without(wordsOf(anchor), pageName)),
  },
  {
    because: "the only heading of nearly that spelling",
    isMeant: ({ id }, { anchor }) => isMisspelling(letters(id), letters(anchor)),
  },
  {
    because: "the only heading of nearly those words",
    isMeant: ({ id }, { anchor }) => isNearly(wordsOf(id), wordsOf(anchor)),
  },
  {
    because: "the only heading whose words it has in a row",
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

/** All words of one are in the other, which has at most half as many more; none of those turns the sense. */
function isNearly(one: readonly string[], other: readonly string[]): boolean {
  const [few, many] = one.length <= other.length ? [one, other] : [other, one];
  const more = many.filter((word) => !few.includes(word));
  if (few.length < 2 || !few.every((word) => many.includes(word))) return false;
  return (
    more.length <= few.length / 2 && !more.some((word) => turningWords.has(word) || /\d/.test(word))
  );
}

/** Three words in a row are no chance: `old-client-field-access-works` means `Client field access`. */
function isWithin(heading: readonly string[], anchor: readonly string[]): boolean {
  if (heading.length < 3) return false;
  return ` ${anchor.join(" ")} `.includes(` ${heading.join(" ")} `);
}

/** The words that matter, each without its ending: `configuring` and `configure` are one. */
export function wordsOf(text: string): string[] {
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
