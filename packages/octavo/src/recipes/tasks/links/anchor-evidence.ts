import { gitHubSlugOf, inlineText, readHeadingLine, slugOf } from "@octavo/site/text";
import { lastPart, letters } from "../../pages.ts";
import type { Anchor } from "../../text/anchors.ts";
import type { Verdict } from "./link-evidence.ts";
import type { RewordedHeadings } from "./lost-pages.ts";
import { code } from "../telling.ts";
import {
  allWords,
  inSameOrder,
  isMisspelling,
  isOneLetterOff,
  sameWords,
  wordsOf,
} from "../words.ts";

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

/** A broken anchor, the words of the link that names it, and the page that it should be on. */
interface LostAnchor {
  readonly anchor: string;
  readonly linkText: string;
  readonly page: string;
  /** How headings of the page were reworded, newest first. */
  readonly rewordings: readonly RewordedHeadings[];
}

/** With the place that is meant if no other page has the section by now, and what speaks for it. */
export type AnchorVerdict = Verdict & {
  readonly likely?: { readonly id: string; readonly because: string };
};

/**
 * Which place of a page a broken anchor means: one that differs in signs, case or a slip of the hand. One whose words
 * the link's own text says, or that says the same in more or fewer words, is likely, where it is the only one.
 */
export function judgeAnchor(lost: LostAnchor, anchors: readonly Anchor[]): AnchorVerdict {
  const known = rewordedTo(lost, anchors);
  if (known !== undefined) {
    return { found: known, because: "the history says that the heading was reworded" };
  }
  const named = anchors.filter(({ label }) => holdsText(label, lost.linkText)).map(({ id }) => id);
  for (const { because, isMeant, likeness = "same", isRival } of evidence) {
    const found = distinct(anchors.filter((candidate) => isMeant(candidate, lost)));
    const [id] = found;
    if (id === undefined) continue;
    const rivals = anchors.filter(
      (other) => other.id !== id && isRival?.(other, lost, id) === true,
    );
    const possible = [...found, ...distinct(rivals)];
    if (possible.length > 1) return { reason: `either could be meant: ${offer(possible)}` };
    if (likeness === "same") return { found: id, because };
    // What is only like the anchor must not be somewhere else than the link's own words say.
    if (named.length > 0 && !named.includes(id)) {
      return {
        reason: `its words and its anchor say different headings: ${offer([id, ...named])}`,
      };
    }
    if (likeness === "spelt") return { found: id, because };
    const [closest, ...others] = closestTo(lost.anchor, anchors);
    const isClosest = closest === undefined || closest === id || others.includes(id);
    const doubt = `not sure enough: ${offer(isClosest ? [id] : [id, closest])}`;
    return { reason: doubt, ...(isClosest && { likely: { id, because } }) };
  }
  const alike = closestTo(lost.anchor, anchors);
  if (alike.length === 0) return { reason: "no heading of the page is like it" };
  return { reason: `not sure enough: ${offer(alike)}` };
}

const maxOffers = 3;

function offer(ids: readonly string[]): string {
  const shown = [...new Set(ids)].slice(0, maxOffers).map((id) => code(`#${id}`));
  return `perhaps ${shown.join(" or ")}`;
}

/** The headings that share most words with an anchor, and more than half of its own or of theirs. */
export function closestTo(anchor: string, anchors: readonly Anchor[]): readonly string[] {
  const mine = wordsOf(anchor);
  const shared = anchors.flatMap(({ id }) => {
    const words = wordsOf(id);
    const count = words.filter((word) => mine.includes(word)).length;
    const isParameter = isParameterId(id) && !isParameterId(anchor);
    const isAlike = count * 2 > Math.min(words.length, mine.length);
    return isAlike && !isParameter ? [{ id, count }] : [];
  });
  const max = Math.max(...shared.map(({ count }) => count));
  return shared.filter(({ count }) => count === max).map(({ id }) => id);
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

/** Whether the history has a heading of that anchor: then it tells what became of it. */
export function isInHistory(anchor: string, rewordings: readonly RewordedHeadings[]): boolean {
  return rewordings.some((rewording) => hasHeading(rewording, anchor));
}

/** Whether the newest commit that had the heading in hand took it off the page and put none in its place. */
export function isTakenOff(anchor: string, rewordings: readonly RewordedHeadings[]): boolean {
  const last = rewordings.find((rewording) => hasHeading(rewording, anchor));
  return last !== undefined && headingIds(last.added).length === 0;
}

function hasHeading({ removed, added }: RewordedHeadings, anchor: string): boolean {
  return headingIds([...removed, ...added]).some((forms) => forms.includes(anchor));
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
  /** Whether another heading has as much for it as the one that is meant, whose id is given. */
  readonly isRival?: (other: Anchor, lost: LostAnchor, id: string) => boolean;
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
    // What the link's text says as well is no slip.
    isMeant: ({ id }, { anchor, linkText }) =>
      isMisspelling(id, anchor) && !isSaid(anchor, linkText),
  },
  {
    because: "the same words in another form",
    likeness: "near",
    isMeant: ({ id }, { anchor }) =>
      inSameOrder(wordsOf(id), wordsOf(anchor)) || sameWords(allWords(id), allWords(anchor)),
    // `delete-a-lamp` may be `delete-the-lamp` by now, or `drop-a-lamp`, or cut to `delete-a`.
    isRival: (other, { anchor }, id) =>
      isOneWordOff(id, anchor) && (isOneWordOff(other.id, anchor) || isCutShort(other.id, anchor)),
  },
  {
    because: "the heading that the link's text names",
    // The anchor may be a section's that is elsewhere by now.
    likeness: "near",
    // `tier-2-add-on` names more than `Tier 2`, which may have stood beside it all along.
    isMeant: ({ id, label }, { anchor, linkText }) =>
      wordsOf(linkText).length >= 2 &&
      letters(label) === letters(linkText) &&
      !isBeginning(allWords(id), allWords(anchor)),
    isRival: (other, { anchor }, id) =>
      holdsMoreWords(other.id, id, anchor) || isOneLetterOff(other.id, anchor),
  },
  {
    because: "the parameter or heading of that name",
    // A page may have both: a section that left it leaves the parameter behind.
    likeness: "near",
    isMeant: ({ id, label }, { anchor }) =>
      isParameterId(id) !== isParameterId(anchor) &&
      letters(label) === letters(anchor.replace(/^param-/, "")),
  },
  {
    because: "the same words without the page's own name",
    likeness: "near",
    isMeant: ({ id }, { anchor, page }) =>
      inSameOrder(wordsOf(id), without(wordsOf(anchor), lastPart(page))),
  },
  {
    because: "the only heading of nearly those words",
    likeness: "near",
    isMeant: ({ id }, { anchor, linkText }) => isNearly(id, anchor, linkText),
  },
  {
    because: "the only heading whose words it has in a row",
    likeness: "near",
    isMeant: ({ id }, { anchor }) => isWithin(wordsOf(id), wordsOf(anchor)),
  },
];

function isSaid(anchor: string, linkText: string): boolean {
  const said = wordsOf(linkText);
  return wordsOf(anchor).every((word) => said.includes(word));
}

/** Whether a heading has every word of the anchor, and another has not. */
function holdsMoreWords(id: string, other: string, anchor: string): boolean {
  const [words, others, mine] = [wordsOf(id), wordsOf(other), wordsOf(anchor)];
  const holds = (all: readonly string[]) => mine.every((word) => all.includes(word));
  return mine.length >= 2 && holds(words) && !holds(others);
}

function isBeginning(few: readonly string[], many: readonly string[]): boolean {
  return few.length < many.length && few.every((word, at) => word === many[at]);
}

/** Whether two have as many words, and all but one of them in the same places. */
function isOneWordOff(id: string, anchor: string): boolean {
  const [words, mine] = [allWords(id), allWords(anchor)];
  const count = words.filter((word, at) => word !== mine[at]).length;
  return words.length === mine.length && mine.length >= 3 && count === 1;
}

/** Whether a heading has all words of an anchor but its first or last. */
function isCutShort(id: string, anchor: string): boolean {
  const [words, mine] = [allWords(id), allWords(anchor)];
  return words.length === mine.length - 1 && words.length >= 2 && isRun(words, mine);
}

/** Whether an anchor is a parameter's, as the format's fields have them. */
export function isParameterId(id: string): boolean {
  return id.startsWith("param-");
}

function distinct(anchors: readonly Anchor[]): string[] {
  return [...new Set(anchors.map(({ id }) => id))];
}

function without(words: readonly string[], pageName: string): string[] {
  const own = wordsOf(pageName);
  return words.filter((word) => !own.includes(word));
}

/** Whether one has the other's words in a row and none more that says anything. One word alone must be what the link says, too. */
function isNearly(id: string, anchor: string, linkText: string): boolean {
  const [theirs, mine] = [wordsOf(id), wordsOf(anchor)];
  const [few, many] = theirs.length < mine.length ? [theirs, mine] : [mine, theirs];
  const isTelling = mine.length > 1 || isSaid(anchor, linkText);
  const more = many.filter((word) => !few.includes(word));
  return (
    few.length > 0 && isTelling && isRun(few, many) && more.every((word) => plainWords.has(word))
  );
}

/**
 * `old-client-field-access-works` means `Client field access`. Of two words, none may be left out before them that turns
 * them, and none behind them: the last words say what a heading is about. An anchor that only goes on where a heading
 * ends is another's: `Data layer` and `Data layer protocol` are often beside each other.
 */
function isWithin(heading: readonly string[], anchor: readonly string[]): boolean {
  const more = anchor.filter((word) => !heading.includes(word));
  const isTurned = more.some((word) => turningWords.has(word) || /\d/.test(word));
  const fewest = isTurned || heading.at(-1) !== anchor.at(-1) ? 3 : 2;
  return heading.length >= fewest && !isBeginning(heading, anchor) && isRun(heading, anchor);
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
