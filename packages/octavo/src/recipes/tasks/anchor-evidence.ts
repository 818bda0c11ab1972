import { gitHubSlugOf, inlineText, readHeadingLine, slugOf } from "@octavo/site/text";
import { letters } from "../pages.ts";
import type { Anchor } from "../text/anchors.ts";
import type { Verdict } from "./link-judgement.ts";
import type { RewordedHeadings } from "./lost-pages.ts";
import { code } from "./telling.ts";
import { allWords, isMisspelling, sameWords, wordsOf } from "./words.ts";

/** With one of these more, a heading says something else. */
const turningWords: ReadonlySet<string> = new Set(
  "not no non without dont never except old new legacy deprecated removed beta advanced".split(" "),
);

/** Words, without their endings, with which a heading says what it says without them. */
const plainWords: ReadonlySet<string> = new Set(
  wordsOf(
    "about using understanding introduction overview basics details reference guide explained more handle",
  ),
);

/** A broken anchor, and the words of the link that names it. */
export interface LostAnchor {
  readonly anchor: string;
  readonly linkText: string;
  /** How headings of the page were reworded, newest first. */
  readonly rewordings: readonly RewordedHeadings[];
}

/** With the place that is meant if no other page has the section by now. */
export type AnchorVerdict = Verdict & { readonly likely?: string };

/**
 * Which place of a page a broken anchor means: one that differs in signs, case or a slip of the hand; one whose
 * words the link's own text says. One that says the same in more or fewer words is likely, where it is the only one.
 */
export function judgeAnchor(lost: LostAnchor, anchors: readonly Anchor[]): AnchorVerdict {
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
    if (likeness === "near") return judgeNear({ id, isLikely: true }, named);
    if (likeness === "spelt" && isOther(id, named)) return saysAnother(id, named);
    return { found: id, because };
  }
  const nearest = nearestHeading(lost, anchors);
  if (nearest === undefined) return { reason: "no heading of the page is like it" };
  return judgeNear(nearest, named);
}

/** The heading that is most like an anchor, and whether it says the same. */
interface Nearest {
  readonly id: string;
  readonly isLikely: boolean;
}

function judgeNear({ id, isLikely }: Nearest, named: readonly string[]): AnchorVerdict {
  if (isOther(id, named)) return saysAnother(id, named);
  return { reason: `not sure enough: ${offer([id])}`, ...(isLikely && { likely: id }) };
}

/** Whether the link's own words name headings, and what is only like the anchor is none of them. */
function isOther(id: string, named: readonly string[]): boolean {
  return named.length > 0 && !named.includes(id);
}

function saysAnother(id: string, named: readonly string[]): AnchorVerdict {
  return { reason: `its words and its anchor say different headings: ${offer([id, ...named])}` };
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
  /** How far the heading is the anchor's: but for its form where nothing is said, for its spelling, or in its words, which is only likely. */
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
];

function distinct(anchors: readonly Anchor[]): string[] {
  return [...new Set(anchors.map(({ id }) => id))];
}

/** `tools in sampling` is not `sampling with tools`. */
function inSameOrder(one: readonly string[], other: readonly string[]): boolean {
  return one.length > 0 && one.join(" ") === other.join(" ");
}

/**
 * The one heading that shares most of the anchor's words, where one has all of the other's in a row. One word alone must
 * be what the link says, too.
 */
function nearestHeading(
  { anchor, linkText }: LostAnchor,
  anchors: readonly Anchor[],
): Nearest | undefined {
  const mine = wordsOf(anchor);
  const isSaid = mine.length > 1 || mine.every((word) => wordsOf(linkText).includes(word));
  if (!isSaid) return undefined;
  const shared = anchors.map(({ id }) => {
    const words = wordsOf(id);
    return { id, words, count: words.filter((word) => mine.includes(word)).length };
  });
  const max = Math.max(0, ...shared.map(({ count }) => count));
  const [best, ...others] = shared.filter(({ count }) => count === max);
  if (best === undefined || others.some(({ id }) => id !== best.id)) return undefined;
  const [few, many] = best.words.length < mine.length ? [best.words, mine] : [mine, best.words];
  if (max === 0 || few.length < max || !isRun(few, many)) return undefined;
  return { id: best.id, isLikely: saysTheSame(few, many, few === mine) };
}

/** Whether the longer one says no more: of many words one may be left out, and words may stand there that say nothing. */
function saysTheSame(few: readonly string[], many: readonly string[], isAdded: boolean): boolean {
  const more = many.filter((word) => !few.includes(word));
  const isPlain = more.every((word) => plainWords.has(word));
  return isPlain || (!isAdded && more.length === 1 && few.length >= 3 && !isTurning(more));
}

function isTurning(words: readonly string[]): boolean {
  return words.some((word) => turningWords.has(word) || /\d/.test(word));
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
