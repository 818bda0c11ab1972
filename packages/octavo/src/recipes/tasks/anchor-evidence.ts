import { gitHubSlugOf, inlineText, readHeadingLine, slugOf } from "@octavo/site/text";
import { letters } from "../pages.ts";
import type { Anchor } from "../text/anchors.ts";
import type { Verdict } from "./link-judgement.ts";
import type { RewordedHeadings } from "./lost-pages.ts";
import { code } from "./telling.ts";
import { allWords, isMisspelling, sameWords, wordsOf, writtenWords } from "./words.ts";

/** With one of these more, a heading says something else. */
const turningWords: ReadonlySet<string> = new Set(
  "not no non without dont never except old new legacy deprecated removed beta advanced".split(" "),
);

/** A broken anchor, the words of the link that names it, and the name of the page that it should be on. */
export interface LostAnchor {
  readonly anchor: string;
  readonly linkText: string;
  readonly pageName: string;
  /** How headings of the page were reworded, newest first. */
  readonly rewordings: readonly RewordedHeadings[];
}

/**
 * Which place of a page a broken anchor means: one that differs in signs, case or a slip of the hand; one whose
 * words the link's own text says. One with a word more or less is offered: pages have sections on a part of a topic.
 */
export function judgeAnchor(lost: LostAnchor, anchors: readonly Anchor[]): Verdict {
  const known = rewordedTo(lost, anchors);
  if (known !== undefined) {
    return { found: known, because: "the history says that the heading was reworded" };
  }
  const named = anchors.filter(({ label }) => holdsText(label, lost.linkText)).map(({ id }) => id);
  for (const { because, isMeant, likeness = "same" } of evidence) {
    const found = distinct(anchors.filter((candidate) => isMeant(candidate, lost)));
    const [id] = found;
    if (id === undefined) continue;
    if (found.length > 1) return { reason: `either could be meant: ${offer(found)}` };
    const isNamed = named.includes(id);
    // What is only like the anchor must not be somewhere else than the link's own words say.
    if (likeness !== "same" && named.length > 0 && !isNamed) {
      return {
        reason: `its words and its anchor say different headings: ${offer([id, ...named])}`,
      };
    }
    if (likeness === "near") return { reason: `not sure enough: ${offer([id])}` };
    return { found: id, because };
  }
  return { reason: "no heading of the page is like it" };
}

const maxOffers = 3;

function offer(ids: readonly string[]): string {
  const shown = [...new Set(ids)].slice(0, maxOffers).map((id) => code(`#${id}`));
  return `perhaps ${shown.join(" or ")}`;
}

/** The id by now of a heading that had the anchor before, followed from one rewording to the next. */
function rewordedTo(
  { anchor, rewordings }: LostAnchor,
  anchors: readonly Anchor[],
): string | undefined {
  const ids = new Set(anchors.map(({ id }) => id));
  let id = anchor;
  for (let at = rewordings.length - 1; at >= 0; at--) {
    const { removed, added } = rewordings[at] ?? { removed: [], added: [] };
    const [old, now] = [headingIds(removed), headingIds(added)];
    const index = old.findIndex((forms) => forms.includes(id));
    if (index === -1 || now.some((forms) => forms.includes(id))) continue;
    // Of headings that were exchanged together, only the same number in the same order tells which is which.
    const [next] = old.length === now.length ? (now[index] ?? []) : [];
    if (next === undefined) return undefined;
    id = next;
  }
  return id !== anchor && ids.has(id) ? id : undefined;
}

/** Whether the newest commit that had the heading in hand took it off the page and put none in its place. */
export function isTakenOff(anchor: string, rewordings: readonly RewordedHeadings[]): boolean {
  const last = rewordings.find(({ removed, added }) =>
    headingIds([...removed, ...added]).some((forms) => forms.includes(anchor)),
  );
  return last !== undefined && headingIds(last.added).length === 0;
}

/** The ids that each heading among the lines has: the format's own, and GitHub's. */
function headingIds(lines: readonly string[]): string[][] {
  return lines.flatMap((line) => {
    const heading = readHeadingLine(line);
    if (heading === undefined) return [];
    const label = inlineText(heading.text);
    return [[heading.id?.name ?? slugOf(label), gitHubSlugOf(label)]];
  });
}

interface Evidence {
  readonly because: string;
  readonly isMeant: (candidate: Anchor, lost: LostAnchor) => boolean;
  /** How far the heading is the anchor's: but for its form where nothing is said, for its spelling, or in some words, which is only offered. */
  readonly likeness?: "spelt" | "near";
}

const evidence: readonly Evidence[] = [
  {
    because: "the same heading but for case and signs",
    isMeant: ({ id }, { anchor }) => letters(id) === letters(anchor),
  },
  {
    because: "the only heading of nearly that spelling",
    likeness: "spelt",
    isMeant: ({ id }, { anchor }) => isMisspelling(id, anchor),
  },
  {
    because: "the same words in another form",
    likeness: "near",
    isMeant: ({ id }, { anchor }) =>
      inSameOrder(wordsOf(id), wordsOf(anchor)) || sameWords(allWords(id), allWords(anchor)),
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
    likeness: "near",
    isMeant: ({ id }, { anchor, pageName }) =>
      hasName(id, pageName) !== hasName(anchor, pageName) &&
      inSameOrder(without(wordsOf(id), pageName), without(wordsOf(anchor), pageName)),
  },
  // Where one of them has the words as they are written, `response_type` is not meant by `new-response-types`.
  {
    because: "the only heading of nearly those words",
    likeness: "near",
    isMeant: ({ id }, { anchor }) => isNearly(writtenWords(id), writtenWords(anchor)),
  },
  {
    because: "the only heading of nearly those words",
    likeness: "near",
    isMeant: ({ id }, { anchor }) => isNearly(wordsOf(id), wordsOf(anchor)),
  },
  {
    because: "the only heading whose words it has in a row",
    likeness: "near",
    isMeant: ({ id }, { anchor }) => isWithin(wordsOf(id), wordsOf(anchor)),
  },
];

function distinct(anchors: readonly Anchor[]): string[] {
  return [...new Set(anchors.map(({ id }) => id))];
}

/** `tools in sampling` is not `sampling with tools`. */
function inSameOrder(one: readonly string[], other: readonly string[]): boolean {
  return one.length > 0 && one.join(" ") === other.join(" ");
}

function hasName(id: string, pageName: string): boolean {
  const words = wordsOf(id);
  return wordsOf(pageName).some((word) => words.includes(word));
}

function without(words: readonly string[], pageName: string): string[] {
  const own = wordsOf(pageName);
  return words.filter((word) => !own.includes(word));
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
