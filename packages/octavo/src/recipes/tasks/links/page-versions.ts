import { getFolder } from "../../pages.ts";
import type { Plan } from "../../plan.ts";
import { getEdition, findLanguage, stripEdition } from "./edition.ts";
import { normalizeAddress } from "../page-path.ts";
import type { PageReader } from "./page-reader.ts";
import { listAnchors } from "../../text/anchors.ts";
import { splitPageBlocks } from "../../text/page-blocks.ts";

/** Finds a missing page by the content that other languages and versions have at its address. */
interface VersionMatcher {
  /** The pages that have to be read first. */
  pagesFor(address: string): readonly string[];
  /**
   * The page that now has the content at that address in another language or version; undefined unless it is certain.
   */
  find(address: string): string | undefined;
}

/** If each of two languages or versions lacks more of the other's pages than this, they are different sites. */
const maxUnpaired = 150;
/** Fewer marks in common are a coincidence. */
const minShared = 5;
const minLikeness = 0.25;
const minPart = 0.6;
/** The factor by which a page must exceed any other in common marks. */
const minLead = 3;

/** Shorter lines are on many pages. */
const minCodeLetters = 6;
const minProseLetters = 30;

const inText: readonly RegExp[] = [
  /`[^`\n]{3,200}`/g,
  // Translations link to pages in their own language, and ids are compared as anchors.
  /\b(?!href\b|id\b)[\w-]+=["'][^"'\s]{2,300}["']/g,
  /https?:\/\/[^\s)"'>\]}]+/g,
  /!\[[^\]]{0,300}\]\([^)\s]+/g,
];

/**
 * Creates a matcher. A page that moved, was renamed or became part of another page still has the content of its other
 * versions: no other page has as much of it that is not also in that page's own version. `pages` are all pages of the
 * site; `textOf` returns the text of those that were read.
 */
export function createVersionMatcher(
  pages: readonly string[],
  textOf: (page: string) => string | undefined,
): VersionMatcher {
  const { versionIn, isPaired, compare } = createEditions(pages);
  const marksOf = createMarksReader(textOf);

  /** Measures what a page shares with a version, not counting what the page's own version has too. */
  function share(version: string, page: string): Share {
    const withText = findLanguage(version) === findLanguage(page);
    const counterpart = versionIn(page, getEdition(version));
    const [all, found] = [marksOf(version, withText), marksOf(page, withText)];
    const none = isPaired(page) ? undefined : new Set<string>();
    const common = counterpart === undefined ? none : marksOf(counterpart, withText);
    if (all === undefined || found === undefined || common === undefined) return noShare;
    const own = [...all].filter((mark) => !common.has(mark));
    const theirs = new Set([...found].filter((mark) => !common.has(mark)));
    const shared = own.filter((mark) => theirs.has(mark)).length;
    if (shared < minShared) return noShare;
    return { likeness: shared / Math.sqrt(own.length * theirs.size), part: shared / own.length };
  }

  const likeness = (version: string, page: string) => share(version, page).likeness;

  const maxLikeness = (versions: readonly string[], page: string) =>
    Math.max(0, ...versions.map((version) => likeness(version, page)));

  /** A single version may have received another page's text, so most of them have to agree. */
  const areMostLike = (versions: readonly string[], page: string) =>
    versions.filter((version) => likeness(version, page) > 0).length * 2 > versions.length;

  return {
    pagesFor(address) {
      const { versions, candidates, rivals } = compare(address);
      if (versions.length === 0) return [];
      const compared = new Set([...versions, ...rivals.flat()].map(getEdition));
      const counterparts = candidates.flatMap((page) =>
        [...compared].flatMap((edition) => versionIn(page, edition) ?? []),
      );
      return [...new Set([...versions, ...candidates, ...counterparts, ...rivals.flat()])];
    },
    find(address) {
      const { versions, candidates, rivals } = compare(address);
      const [best, second] = candidates
        .map((page) => ({ page, score: maxLikeness(versions, page) }))
        .toSorted((a, b) => b.score - a.score);
      if (best === undefined || best.score < minLikeness) return undefined;
      if (!areMostLike(versions, best.page)) return undefined;
      // A match of a section only, or of text that both took from a third page, is not the page.
      const part = Math.max(...versions.map((version) => share(version, best.page).part));
      if (part < minPart) return undefined;
      // A page that is more similar to another missing page belongs to that one.
      const unmatched = rivals.filter((pages) => areMostLike(pages, best.page)).flat();
      const rival = Math.max(second?.score ?? 0, maxLikeness(unmatched, best.page));
      return best.score >= minLead * rival ? best.page : undefined;
    },
  };
}

interface Share {
  /** From 0 to 1: the shared marks relative to those of both pages. */
  readonly likeness: number;
  /** From 0 to 1: the shared marks relative to those of the version. */
  readonly part: number;
}

const noShare: Share = { likeness: 0, part: 0 };

interface Editions {
  /** Returns the page in another language or version. */
  readonly versionIn: (page: string, edition: string) => string | undefined;
  /** Reports whether another language or version has a page at the same address. */
  readonly isPaired: (page: string) => boolean;
  /** Collects the pages to compare for a missing address. */
  readonly compare: (address: string) => Comparison;
}

function createEditions(pages: readonly string[]): Editions {
  const editions = new Map(
    [...Map.groupBy(pages, getEdition)].map(([edition, own]) => [edition, groupByEditionPath(own)]),
  );
  const byFolder = Map.groupBy(pages, getFolder);
  const versionIn = (page: string, edition: string) =>
    editions.get(edition)?.get(getEditionPath(page));
  /** Returns the pages of one language or version that none of the others has at the same address. */
  const unpaired = (edition: string, others: readonly string[]) =>
    [...(editions.get(edition)?.values() ?? [])].filter((page) =>
      others.every((other) => versionIn(page, other) === undefined),
    );

  /** Returns the other languages and versions that have a page at the address. */
  const editionsWith = (address: string, own: string) =>
    [...editions.keys()].filter(
      (edition) => edition !== own && versionIn(address, edition) !== undefined,
    );

  function compare(address: string): Comparison {
    const own = getEdition(address);
    const lacking = new Map(
      [...editions.keys()]
        .filter((edition) => edition !== own)
        .map((edition) => [edition, unpaired(edition, [own])] as const)
        .filter(([, pages]) => pages.length <= maxUnpaired),
    );
    const others = editionsWith(address, own);
    const alike = others.filter((edition) => lacking.has(edition));
    const without = [...lacking.keys()].filter((edition) => !others.includes(edition));
    const unmatched = (among: readonly string[]) =>
      among
        .flatMap((edition) => lacking.get(edition) ?? [])
        .filter((page) => getEditionPath(page) !== getEditionPath(address));
    const moved = unpaired(own, others);
    const beside = byFolder.get(getFolder(address)) ?? [];
    return {
      versions: alike.flatMap((edition) => versionIn(address, edition) ?? []),
      candidates: moved.length > maxUnpaired ? [] : [...new Set([...moved, ...beside])],
      rivals: [
        ...unmatched(alike).map((page) => [page]),
        // A page that only one of them has may be what the missing page became there.
        ...[...Map.groupBy(unmatched(without), getEditionPath).values()].filter(
          ({ length }) => length > 1,
        ),
      ],
    };
  }

  return {
    versionIn,
    isPaired: (page) =>
      [...editions.values()].some((own) => (own.get(getEditionPath(page)) ?? page) !== page),
    compare,
  };
}

/** Caches a page's marks; undefined if the page was not read. */
function createMarksReader(
  textOf: (page: string) => string | undefined,
): (page: string, withText: boolean) => ReadonlySet<string> | undefined {
  const known = new Map<string, ReadonlySet<string>>();
  return (page, withText) => {
    const key = `${withText} ${page}`;
    const text = known.has(key) ? undefined : textOf(page);
    if (text !== undefined) known.set(key, collectPageMarks(text, withText));
    return known.get(key);
  };
}

/** A missing page's other versions, and the pages among which to find it. */
interface Comparison {
  readonly versions: readonly string[];
  /** Pages that only the missing page's language or version has, and those in its folder. */
  readonly candidates: readonly string[];
  /**
   * Other pages that its own language or version lacks, each with its versions: a candidate may be what became of one.
   */
  readonly rivals: readonly (readonly string[])[];
}

/** Reads the pages needed to find missing pages, and caches the results. */
interface VersionReader {
  read(addresses: readonly string[]): Plan<void>;
  /**
   * The page that now has the content of an address; undefined unless it is certain, or if nothing was read for the
   * address.
   */
  readonly pageAt: (address: string) => string | undefined;
}

/** The maximum number of pages to read in order to find missing ones. */
const maxCompared = 1_000;

export function createVersionReader(
  sitePages: readonly string[],
  reader: PageReader,
): VersionReader {
  const { fileOf, texts } = reader;
  const matcher = createVersionMatcher(sitePages, (page) => texts.get(fileOf(page) ?? ""));
  const found = new Map<string, string | undefined>();
  return {
    pageAt: (address) => found.get(address),
    *read(addresses) {
      const needed = new Set<string>();
      const compared = addresses.filter((address) => {
        const own = matcher.pagesFor(address).filter((page) => !needed.has(page));
        if (found.has(address) || needed.size + own.length > maxCompared) return false;
        for (const page of own) needed.add(page);
        return true;
      });
      yield* reader.read([...needed]);
      for (const address of compared) found.set(address, matcher.find(address));
    },
  };
}

function getEditionPath(page: string): string {
  // Strip the edition first: the first page of a version's folder is not a page with the version's name.
  return normalizeAddress(stripEdition(page));
}

function groupByEditionPath(pages: readonly string[]): ReadonlyMap<string, string> {
  return new Map(pages.map((page) => [getEditionPath(page), page]));
}

/**
 * Collects what translations of a page share: lines of code, names in backticks, addresses of other sites and of
 * pictures, attribute values and anchors. With the lines of its text, it is what its versions share.
 */
function collectPageMarks(text: string, withText: boolean): ReadonlySet<string> {
  const marks = new Set<string>();
  for (const { kind, start, end } of splitPageBlocks(text)) {
    const part = text.slice(start, end);
    const lines = part.split("\n").map((line) => line.trim());
    if (kind === "code")
      addAll(
        marks,
        lines.filter((line) => line.length >= minCodeLetters),
      );
    if (kind !== "text") continue;
    for (const form of inText) {
      for (const [mark] of part.matchAll(form)) marks.add(mark.replace(/^!\[.*\]/s, ""));
    }
    if (withText)
      addAll(
        marks,
        lines.filter((line) => line.length >= minProseLetters),
      );
  }
  for (const { id } of listAnchors(text)) marks.add(`#${id}`);
  return marks;
}

function addAll(marks: Set<string>, more: Iterable<string>): void {
  for (const mark of more) marks.add(mark);
}
