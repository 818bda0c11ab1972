import { foldLettersAndDigits, getBaseName } from "@octavo/site/core";
import { createGitHubSlug, createSlug, readHeadingLine, toPlainText } from "@octavo/site/text";
import type { Anchor } from "../../text/links.ts";
import { formatCode } from "../report-text.ts";
import {
  extractStems,
  hasSameOrder,
  hasSameWords,
  isLikelyTypo,
  isOneLetterOff,
  splitWords,
} from "../words.ts";
import type { RewordedHeadings } from "./broken-links.ts";
import type { LinkMatch } from "./link-evidence.ts";

/** Words that change the meaning of the heading to which they are added. */
const turningWords: ReadonlySet<string> = new Set(
  "not no non without dont never except old new legacy deprecated removed beta advanced".split(" "),
);

/** Words, without their endings, that do not change the meaning of a heading. */
const plainWords: ReadonlySet<string> = new Set(
  extractStems(
    "about using understanding introduction overview basics details reference guide explained more handle",
  ),
);

/** A broken anchor, the text of its link, and the page that should contain it. */
interface UnresolvedAnchor {
  readonly anchor: string;
  readonly linkText: string;
  readonly page: string;
  /** How the headings of the page were reworded, newest first. */
  readonly rewordings: readonly RewordedHeadings[];
}

/**
 * The result for an anchor. If there is no match, `likely` contains the anchor to use if no other page contains the
 * section, and the evidence for it.
 */
export type AnchorMatch = LinkMatch & {
  readonly likely?: { readonly id: string; readonly because: string };
};

/**
 * Finds the anchor of a page to which a broken anchor refers. A match differs only in punctuation, case or a typo. An
 * anchor is only likely if the link's text names it, or if it says the same in more or fewer words, and no other anchor
 * is equally similar.
 */
export function matchAnchor(lost: UnresolvedAnchor, anchors: readonly Anchor[]): AnchorMatch {
  const known = findRewording(lost, anchors);
  if (known !== undefined) {
    return { target: known, because: "the history says that the heading was reworded" };
  }
  const named = anchors
    .filter(({ label }) => hasLinkText(label, lost.linkText))
    .map(({ id }) => id);
  for (const { because, isMatch, likeness = "same", isRival } of anchorRules) {
    const found = listDistinctIds(anchors.filter((candidate) => isMatch(candidate, lost)));
    const [id] = found;
    if (id === undefined) continue;
    const rivals = anchors.filter(
      (other) => other.id !== id && isRival?.(other, lost, id) === true,
    );
    const possible = [...found, ...listDistinctIds(rivals)];
    if (possible.length > 1) return { reason: `ambiguous: ${formatOffer(possible)}` };
    if (likeness === "same") return { target: id, because };
    // A similar anchor must not contradict the link's text.
    if (named.length > 0 && !named.includes(id)) {
      return {
        reason: `its text and its anchor name different headings: ${formatOffer([id, ...named])}`,
      };
    }
    if (likeness === "typo") return { target: id, because };
    const [closest, ...others] = findClosestHeadings(lost.anchor, anchors);
    const isClosest = closest === undefined || closest === id || others.includes(id);
    const doubt = `not sure enough: ${formatOffer(isClosest ? [id] : [id, closest])}`;
    return { reason: doubt, ...(isClosest && { likely: { id, because } }) };
  }
  const alike = findClosestHeadings(lost.anchor, anchors);
  if (alike.length === 0) return { reason: "no heading of the page is similar" };
  return { reason: `not sure enough: ${formatOffer(alike)}` };
}

const maxOffers = 3;

function formatOffer(ids: readonly string[]): string {
  const shown = [...new Set(ids)].slice(0, maxOffers).map((id) => formatCode(`#${id}`));
  return `perhaps ${shown.join(" or ")}`;
}

/**
 * Returns the headings that share the most words with an anchor, and more than half of the words of the shorter of the
 * two.
 */
export function findClosestHeadings(anchor: string, anchors: readonly Anchor[]): readonly string[] {
  const mine = extractStems(anchor);
  const shared = anchors.flatMap(({ id }) => {
    const words = extractStems(id);
    const count = words.filter((word) => mine.includes(word)).length;
    const isParameter = isParameterId(id) && !isParameterId(anchor);
    const isAlike = count * 2 > Math.min(words.length, mine.length);
    return isAlike && !isParameter ? [{ id, count }] : [];
  });
  const max = Math.max(...shared.map(({ count }) => count));
  return shared.filter(({ count }) => count === max).map(({ id }) => id);
}

/** Follows a heading's former anchor from one rewording to the next. Returns the heading's current ID. */
function findRewording(
  { anchor, rewordings }: UnresolvedAnchor,
  anchors: readonly Anchor[],
): string | undefined {
  const ids = new Set(anchors.map(({ id }) => id));
  let id = anchor;
  for (let at = rewordings.length - 1; at >= 0; at--) {
    const { removed, added } = rewordings[at] ?? { removed: [], added: [] };
    const [old, now] = [listHeadingIds(removed), listHeadingIds(added)];
    const index = old.findIndex((forms) => forms.includes(id));
    if (index === -1 || now.some((forms) => forms.includes(id))) continue;
    // If several headings were replaced together, they are matched in order, but only if there are as many new headings
    // as old ones.
    const [next] = old.length === now.length ? (now[index] ?? []) : [];
    if (next === undefined) return undefined;
    id = next;
  }
  return id !== anchor && ids.has(id) ? id : undefined;
}

/** Reports whether the history contains a heading with the given anchor. */
export function isAnchorInHistory(
  anchor: string,
  rewordings: readonly RewordedHeadings[],
): boolean {
  return rewordings.some((rewording) => hasHeading(rewording, anchor));
}

/** Reports whether the newest commit that changed the heading removed it from the page without a replacement. */
export function isRemovedFromPage(
  anchor: string,
  rewordings: readonly RewordedHeadings[],
): boolean {
  const last = rewordings.find((rewording) => hasHeading(rewording, anchor));
  return last !== undefined && listHeadingIds(last.added).length === 0;
}

function hasHeading({ removed, added }: RewordedHeadings, anchor: string): boolean {
  return listHeadingIds([...removed, ...added]).some((forms) => forms.includes(anchor));
}

/** Returns the IDs of each heading in the lines, as generated by this site's format and by GitHub. */
function listHeadingIds(lines: readonly string[]): string[][] {
  return lines.flatMap((line) => {
    const heading = readHeadingLine(line);
    if (heading === undefined) return [];
    const label = toPlainText(heading.text);
    return [[heading.id?.name ?? createSlug(label), createGitHubSlug(label)]];
  });
}

interface AnchorRule {
  readonly because: string;
  readonly isMatch: (candidate: Anchor, lost: UnresolvedAnchor) => boolean;
  /** Reports whether another heading is as likely as the matched heading, which has the given ID. */
  readonly isRival?: (other: Anchor, lost: UnresolvedAnchor, id: string) => boolean;
  /**
   * How the heading differs: by a `typo`, or `near` if its words are only similar, which makes the match only likely.
   * Undefined if the heading differs only in form.
   */
  readonly likeness?: "typo" | "near";
}

const anchorRules: readonly AnchorRule[] = [
  {
    because: "the same heading except for case and punctuation",
    isMatch: ({ id }, { anchor }) => foldLettersAndDigits(id) === foldLettersAndDigits(anchor),
  },
  {
    because: "the only heading with nearly the same spelling",
    likeness: "typo",
    // A word that the link's text repeats is not a typo.
    isMatch: ({ id }, { anchor, linkText }) =>
      isLikelyTypo(id, anchor) && !isInLinkText(anchor, linkText),
  },
  {
    because: "the same words in another form",
    likeness: "near",
    isMatch: ({ id }, { anchor }) =>
      hasSameOrder(extractStems(id), extractStems(anchor)) ||
      hasSameWords(splitWords(id), splitWords(anchor)),
    // `delete-a-lamp` may have become `delete-the-lamp` or `drop-a-lamp`, or have been shortened to `delete-a`.
    isRival: (other, { anchor }, id) =>
      isOneWordOff(id, anchor) && (isOneWordOff(other.id, anchor) || isCutShort(other.id, anchor)),
  },
  {
    because: "the heading that the link's text names",
    // The anchor's section may have moved to a different page.
    likeness: "near",
    // `tier-2-add-on` refers to more than `Tier 2`, which may always have been next to it.
    isMatch: ({ id, label }, { anchor, linkText }) =>
      extractStems(linkText).length >= 2 &&
      foldLettersAndDigits(label) === foldLettersAndDigits(linkText) &&
      !isBeginning(splitWords(id), splitWords(anchor)),
    isRival: (other, { anchor }, id) =>
      hasMoreWords(other.id, id, anchor) || isOneLetterOff(other.id, anchor),
  },
  {
    because: "the parameter or heading with that name",
    // A page may have had both a heading and a parameter with that name. If the heading's section moves to another
    // page, the parameter remains.
    likeness: "near",
    isMatch: ({ id, label }, { anchor }) =>
      isParameterId(id) !== isParameterId(anchor) &&
      foldLettersAndDigits(label) === foldLettersAndDigits(anchor.replace(/^param-/, "")),
  },
  {
    because: "the same words without the page's own name",
    likeness: "near",
    isMatch: ({ id }, { anchor, page }) => {
      const own = extractStems(getBaseName(page));
      const others = extractStems(anchor).filter((word) => !own.includes(word));
      return hasSameOrder(extractStems(id), others);
    },
  },
  {
    because: "the only heading with nearly the same words",
    likeness: "near",
    isMatch: ({ id }, { anchor, linkText }) => hasNearlySameWords(id, anchor, linkText),
  },
  {
    because: "the only heading whose words appear consecutively in the anchor",
    likeness: "near",
    isMatch: ({ id }, { anchor }) => isContained(extractStems(id), extractStems(anchor)),
    isRival: (other, { anchor }, id) =>
      splitWords(other.id).length > splitWords(id).length && hasRunWithTypo(anchor, other.id),
  },
];

function isInLinkText(anchor: string, linkText: string): boolean {
  const said = extractStems(linkText);
  return extractStems(anchor).every((word) => said.includes(word));
}

/** Reports whether a heading contains every word of the anchor while the other heading does not. */
function hasMoreWords(id: string, other: string, anchor: string): boolean {
  const [words, others, mine] = [extractStems(id), extractStems(other), extractStems(anchor)];
  const holds = (all: readonly string[]) => mine.every((word) => all.includes(word));
  return mine.length >= 2 && holds(words) && !holds(others);
}

function isBeginning(few: readonly string[], many: readonly string[]): boolean {
  return few.length < many.length && few.every((word, at) => word === many[at]);
}

/** Reports whether two IDs have the same number of words and differ in exactly one of them. */
function isOneWordOff(id: string, anchor: string): boolean {
  const [words, mine] = [splitWords(id), splitWords(anchor)];
  const count = words.filter((word, at) => word !== mine[at]).length;
  return words.length === mine.length && mine.length >= 3 && count === 1;
}

/** Reports whether a heading contains all words of an anchor except the first or the last. */
function isCutShort(id: string, anchor: string): boolean {
  const [words, mine] = [splitWords(id), splitWords(anchor)];
  return words.length === mine.length - 1 && words.length >= 2 && isConsecutive(words, mine);
}

/** Reports whether an anchor has the form that the format generates for a parameter field. */
export function isParameterId(id: string): boolean {
  return id.startsWith("param-");
}

function listDistinctIds(anchors: readonly Anchor[]): string[] {
  return [...new Set(anchors.map(({ id }) => id))];
}

/**
 * Reports whether the ID or the anchor contains the other's words consecutively, and no further significant words. If
 * the anchor is a single word, the link's text must also contain it.
 */
function hasNearlySameWords(id: string, anchor: string, linkText: string): boolean {
  const [theirs, mine] = [extractStems(id), extractStems(anchor)];
  const [few, many] = theirs.length < mine.length ? [theirs, mine] : [mine, theirs];
  const isTelling = mine.length > 1 || isInLinkText(anchor, linkText);
  const more = many.filter((word) => !few.includes(word));
  return (
    few.length > 0 &&
    isTelling &&
    isConsecutive(few, many) &&
    more.every((word) => plainWords.has(word))
  );
}

/**
 * Reports whether the anchor contains the heading, as `old-client-field-access-works` contains `Client field access`.
 * For a heading of two words, no word before it may change its meaning, and no word may follow it, because the last
 * words indicate the subject of a heading. An anchor that merely begins with a heading's words belongs to a different
 * heading, because headings such as `Data layer` and `Data layer protocol` are often next to each other.
 */
function isContained(heading: readonly string[], anchor: readonly string[]): boolean {
  const more = anchor.filter((word) => !heading.includes(word));
  const isTurned = more.some((word) => turningWords.has(word) || /\d/.test(word));
  const fewest = isTurned || heading.at(-1) !== anchor.at(-1) ? 3 : 2;
  return (
    heading.length >= fewest && !isBeginning(heading, anchor) && isConsecutive(heading, anchor)
  );
}

/** Reports whether the anchor contains the ID's words consecutively, with a typo in one of them. */
function hasRunWithTypo(anchor: string, id: string): boolean {
  const [words, count] = [splitWords(anchor), splitWords(id).length];
  return words.some((_, at) => isLikelyTypo(words.slice(at, at + count).join("-"), id));
}

function isConsecutive(few: readonly string[], many: readonly string[]): boolean {
  return ` ${many.join(" ")} `.includes(` ${few.join(" ")} `);
}

/**
 * The minimum number of letters in a link text that identifies a heading. Shorter texts, such as `it` and `API`, occur
 * in many headings.
 */
const minNamingLetters = 4;

function hasLinkText(label: string, linkText: string): boolean {
  const text = foldLettersAndDigits(linkText);
  return text.length >= minNamingLetters && foldLettersAndDigits(label).includes(text);
}
