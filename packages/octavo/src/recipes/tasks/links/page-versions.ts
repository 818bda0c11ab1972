import { getParentFolder } from "@octavo/site/core";
import { listAnchors } from "../../text/links.ts";
import { splitPageBlocks } from "../../text/page-spans.ts";
import { findLanguage, getEdition, normalizeAddress, stripEdition } from "../page-path.ts";

/**
 * The maximum number of pages of one language or version that another may lack. If it lacks more, the two are treated
 * as different sites.
 */
const maxUnpaired = 150;
/** The minimum number of shared marks. Fewer shared marks may be a coincidence. */
const minShared = 5;
const minLikeness = 0.25;
const minPart = 0.6;
/** The factor by which the likeness of a page must exceed that of any other page. */
const minLead = 3;

/** The minimum lengths of lines that are compared. Shorter lines occur on many pages. */
const minCodeLetters = 6;
const minProseLetters = 30;

const markPatterns: readonly RegExp[] = [
  /`[^`\n]{3,200}`/g,
  // `href` is ignored because translations link to pages in their own language, and `id` because IDs are compared as
  // anchors.
  /\b(?!href\b|id\b)[\w-]+=["'][^"'\s]{2,300}["']/g,
  /https?:\/\/[^\s)"'>\]}]+/g,
  /!\[[^\]]{0,300}\]\([^)\s]+/g,
];

/**
 * Creates a matcher that finds a missing page by the content that other languages and versions have at its address. A
 * page that moved, was renamed or became part of another page still shares its content with its other versions. No
 * other page shares as much content with these versions, if content that is also in the other page's own versions is
 * ignored. `pages` contains all pages of the site; `getText` returns the text of those that were read.
 */
export function createVersionMatcher(
  pages: readonly string[],
  getText: (page: string) => string | undefined,
) {
  const { findVersionIn, isPaired, compare } = createEditions(pages);
  const getMarks = createMarksReader(getText);

  /**
   * Measures the content that a page shares with a version, except content that the page's own counterpart in that
   * version also contains.
   */
  function measureShare(version: string, page: string): Share {
    const withText = findLanguage(version) === findLanguage(page);
    const counterpart = findVersionIn(page, getEdition(version));
    const [all, found] = [getMarks(version, withText), getMarks(page, withText)];
    const none = isPaired(page) ? undefined : new Set<string>();
    const common = counterpart === undefined ? none : getMarks(counterpart, withText);
    if (all === undefined || found === undefined || common === undefined) return noShare;
    const own = [...all].filter((mark) => !common.has(mark));
    const theirs = new Set([...found].filter((mark) => !common.has(mark)));
    const shared = own.filter((mark) => theirs.has(mark)).length;
    if (shared < minShared) return noShare;
    return { likeness: shared / Math.sqrt(own.length * theirs.size), part: shared / own.length };
  }

  const findMaxLikeness = (versions: readonly string[], page: string) =>
    Math.max(0, ...versions.map((version) => measureShare(version, page).likeness));

  /**
   * Reports whether most versions are similar to a page. A single version may have received another page's text, so
   * most versions must be similar.
   */
  const areMostLike = (versions: readonly string[], page: string) =>
    versions.filter((version) => measureShare(version, page).likeness > 0).length * 2 >
    versions.length;

  return {
    /** Returns the pages that must be read before `find` is called for the address. */
    listPagesToRead(address: string): readonly string[] {
      const { versions, candidates, rivals } = compare(address);
      if (versions.length === 0) return [];
      const compared = new Set([...versions, ...rivals.flat()].map(getEdition));
      const counterparts = candidates.flatMap((page) =>
        [...compared].flatMap((edition) => findVersionIn(page, edition) ?? []),
      );
      return [...new Set([...versions, ...candidates, ...counterparts, ...rivals.flat()])];
    },
    /**
     * Returns the page that now contains what other languages or versions have at the address; undefined if this is
     * uncertain.
     */
    find(address: string): string | undefined {
      const { versions, candidates, rivals } = compare(address);
      const [best, second] = candidates
        .map((page) => ({ page, score: findMaxLikeness(versions, page) }))
        .toSorted((a, b) => b.score - a.score);
      if (best === undefined || best.score < minLikeness) return undefined;
      if (!areMostLike(versions, best.page)) return undefined;
      // The page is rejected if it shares only a section with the versions, or text that both copied from a third page.
      const part = Math.max(...versions.map((version) => measureShare(version, best.page).part));
      if (part < minPart) return undefined;
      // A page that is more similar to a different missing page belongs to that page.
      const unmatched = rivals.filter((pages) => areMostLike(pages, best.page)).flat();
      const rival = Math.max(second?.score ?? 0, findMaxLikeness(unmatched, best.page));
      return best.score >= minLead * rival ? best.page : undefined;
    },
  };
}

interface Share {
  /** The number of shared marks relative to the numbers of marks of both pages, from 0 to 1. */
  readonly likeness: number;
  /** The share of the version's marks that the page also has, from 0 to 1. */
  readonly part: number;
}

const noShare: Share = { likeness: 0, part: 0 };

/** The other versions of a missing page, and the pages that may be the missing page. */
interface Comparison {
  readonly versions: readonly string[];
  /** Pages that exist only in the missing page's language or version, and the pages in its folder. */
  readonly candidates: readonly string[];
  /**
   * The other pages that the missing page's language or version lacks, each as a list of its versions. A candidate may
   * be the new form of one of them instead.
   */
  readonly rivals: readonly (readonly string[])[];
}

function createEditions(pages: readonly string[]) {
  const editions = new Map(
    [...Map.groupBy(pages, getEdition)].map(([edition, own]) => [
      edition,
      new Map(own.map((page) => [getEditionPath(page), page])),
    ]),
  );
  const byFolder = Map.groupBy(pages, getParentFolder);
  /** Returns the page in another language or version. */
  const findVersionIn = (page: string, edition: string) =>
    editions.get(edition)?.get(getEditionPath(page));
  /** Returns the pages of one language or version for which none of the `others` has a page at the same address. */
  const listUnpaired = (edition: string, others: readonly string[]) =>
    [...(editions.get(edition)?.values() ?? [])].filter((page) =>
      others.every((other) => findVersionIn(page, other) === undefined),
    );

  /** Collects the pages to compare for a missing address. */
  function compare(address: string): Comparison {
    const own = getEdition(address);
    const foreign = [...editions.keys()].filter((edition) => edition !== own);
    const lacking = new Map(
      foreign
        .map((edition) => [edition, listUnpaired(edition, [own])] as const)
        .filter(([, pages]) => pages.length <= maxUnpaired),
    );
    const others = foreign.filter((edition) => findVersionIn(address, edition) !== undefined);
    const alike = others.filter((edition) => lacking.has(edition));
    const without = [...lacking.keys()].filter((edition) => !others.includes(edition));
    const unmatched = (among: readonly string[]) =>
      among
        .flatMap((edition) => lacking.get(edition) ?? [])
        .filter((page) => getEditionPath(page) !== getEditionPath(address));
    const moved = listUnpaired(own, others);
    const beside = byFolder.get(getParentFolder(address)) ?? [];
    return {
      versions: alike.flatMap((edition) => findVersionIn(address, edition) ?? []),
      candidates: moved.length > maxUnpaired ? [] : [...new Set([...moved, ...beside])],
      rivals: [
        ...unmatched(alike).map((page) => [page]),
        // A page that only one of these editions contains may be that edition's new form of the missing page, so it is
        // not a rival.
        ...[...Map.groupBy(unmatched(without), getEditionPath).values()].filter(
          ({ length }) => length > 1,
        ),
      ],
    };
  }

  return {
    findVersionIn,
    /** Reports whether another language or version has a page at the same address. */
    isPaired: (page: string) =>
      [...editions.values()].some((own) => (own.get(getEditionPath(page)) ?? page) !== page),
    compare,
  };
}

/** Creates a cached function that returns a page's marks; undefined if the page was not read. */
function createMarksReader(
  getText: (page: string) => string | undefined,
): (page: string, withText: boolean) => ReadonlySet<string> | undefined {
  const known = new Map<string, ReadonlySet<string>>();
  return (page, withText) => {
    const key = `${withText} ${page}`;
    const text = known.has(key) ? undefined : getText(page);
    if (text !== undefined) known.set(key, collectPageMarks(text, withText));
    return known.get(key);
  };
}

function getEditionPath(page: string): string {
  // The edition is removed first, because the index page of a version's folder must not be treated as a page with the
  // version's name.
  return normalizeAddress(stripEdition(page));
}

/**
 * Collects the marks that translations of a page share: lines of code, names in backticks, addresses of other sites and
 * of images, attribute values and anchors. With `withText`, also collects lines of prose, which only versions in the
 * same language share.
 */
function collectPageMarks(text: string, withText: boolean): ReadonlySet<string> {
  const marks = new Set<string>();
  for (const { kind, start, end } of splitPageBlocks(text)) {
    const part = text.slice(start, end);
    const lines = part.split("\n").map((line) => line.trim());
    const minLetters = kind === "code" ? minCodeLetters : minProseLetters;
    const compared = kind === "code" || (kind === "text" && withText) ? lines : [];
    for (const line of compared) if (line.length >= minLetters) marks.add(line);
    if (kind !== "text") continue;
    for (const form of markPatterns) {
      for (const [mark] of part.matchAll(form)) marks.add(mark.replace(/^!\[.*\]/s, ""));
    }
  }
  for (const { id } of listAnchors(text)) marks.add(`#${id}`);
  return marks;
}
