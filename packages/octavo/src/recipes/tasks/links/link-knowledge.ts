import { getBaseName, getParentFolder } from "@octavo/site/core";
import { listRedirects, type ConfigurationFile } from "../../configuration.ts";
import { isConfiguration, isSnippet, toPagePath, escapePattern } from "../../pages.ts";
import {
  callTools,
  findAnswerError,
  splitIntoBatches,
  type Plan,
  type ToolAnswer,
  type ToolCall,
} from "../../plan.ts";
import { readMatches, type Listing, type SearchMatch } from "../../site-tools.ts";
import { hasAnchorId, listAnchors } from "../../text/anchors.ts";
import { createLinkedText, getLinkText, type LinkedText } from "../../text/link-locations.ts";
import { foldPathLetters, joinPath, listAddressForms, normalizeAddress } from "../page-path.ts";
import { splitPageBlocks } from "../../text/page-blocks.ts";
import type { BrokenLink } from "./broken-links.ts";
import { findLanguage, getEdition, isSameEdition, stripEdition } from "./page-kinds.ts";
import { findFolderMoves } from "./folder-moves.ts";
import { listAnchorPages } from "./anchor-repair.ts";
import { findDoubtfulPages, parseUnresolvedLink } from "./link-repair.ts";
import type { RepairFacts } from "./link-facts.ts";
import {
  hasHistory,
  minCertainSimilarity,
  readFormerPages,
  readRewordings,
  type FormerPage,
  type RewordedHeadings,
} from "./former-pages.ts";
import {
  createEditionLinkChecker,
  createSiteIndex,
  readTitles,
  type PageTitle,
} from "./site-index.ts";
import { createPageReader, type PageReader } from "./page-reader.ts";

/** Facts about the site that do not change while links are repaired. */
export interface KnownSite {
  readonly listing: Listing;
  /** The paths of pages, without extension. */
  readonly pages: readonly string[];
  readonly titles: ReadonlyMap<string, PageTitle>;
  readonly hasHistory: boolean;
}

/** The number of names in one search. Each retry uses fewer. */
const batchSizes = [20, 4, 1];
const maxPages = 400;
const searchLimit = 500;

const opening = String.raw`(?:\]\(|\bhref=\{?["'])`;

export function* readKnownSite(listing: Listing): Plan<KnownSite> {
  const files = listing.files.filter((file) => !isSnippet(file));
  return {
    listing,
    pages: files.map(toPagePath),
    titles: yield* readTitles(files),
    hasHistory: yield* hasHistory(files),
  };
}

/** The maximum number of pages to read for anchors, in one folder and in total. */
const maxFolder = 60;
const maxRead = 400;

/** Everything that has been read of a site to repair its broken links. */
export interface RepairContext {
  /** Every text that was read, by file. */
  readonly texts: ReadonlyMap<string, string>;
  /** The texts that contain the links, by file. */
  readonly linked: ReadonlyMap<string, LinkedText>;
  /** Records that an address used to belong to a page. */
  addFormer(address: string, page: string): void;
  /** Reads what helps to choose between the pages to which links may refer. */
  learn(links: readonly BrokenLink[]): Plan<void>;
  facts(): RepairFacts;
}

export function* loadRepairContext(
  open: readonly BrokenLink[],
  site: KnownSite,
  configuration: readonly ConfigurationFile[],
): Plan<RepairContext> {
  const pages = createPageReader(site.listing);
  const { texts, anchorsOf, sectionsOf } = pages;
  yield* pages.readFiles(open.map(({ file }) => file).filter((file) => !isConfiguration(file)));
  yield* pages.read(open.flatMap((link) => listAnchorPages(link, site.pages)));
  const linked = new Map([...texts].map(([path, text]) => [path, createLinkedText(text)]));
  const { wanted, ...addresses } = collectUnresolvedAddresses(open, linked);
  const lost: ReadonlyMap<string, FormerPage> = site.hasHistory
    ? yield* readFormerPages(wanted.flatMap(listAddressForms))
    : new Map();
  const former = renamedPages(lost, site.pages);
  const rewordings = new Map<string, readonly RewordedHeadings[]>();
  const inbound = new Map<string, boolean>();
  const redirects = listRedirects(configuration);
  const versions = createVersionReader(site.pages, pages);

  function* learnHeadings(named: readonly string[]): Plan<void> {
    yield* pages.read(named);
    if (!site.hasHistory) return;
    const unread = named.filter((page) => !rewordings.has(page));
    const found = yield* readRewordings(unread.flatMap((page) => pages.fileOf(page) ?? []));
    for (const [page, own] of found) rewordings.set(page, own);
  }

  let known: RepairFacts | undefined;
  const facts = () => (known ??= readFacts());

  function readFacts(): RepairFacts {
    const index = createSiteIndex({ ...site, redirects, former });
    return {
      ...addresses,
      index,
      lost,
      moves: findFolderMoves({ index, redirects, lost, wanted }),
      redirects,
      configuration,
      anchorsOf,
      sectionsOf,
      versionsOf: (page) =>
        index.counterparts(page).map((other) => ({ page: other, sections: sectionsOf(other) })),
      hasHistory: site.hasHistory,
      rewordingsOf: (page) => rewordings.get(page) ?? [],
      pageByVersions: versions.pageAt,
      leavesEdition: createEditionLinkChecker(texts, index),
      hasAnchor(page, anchor) {
        const anchors = anchorsOf(page);
        return anchors && hasAnchorId(anchors, anchor);
      },
      hasInbound: (page) => inbound.get(page),
    };
  }

  return {
    texts,
    linked,
    addFormer(address, page) {
      if (former.get(address) !== page) known = undefined;
      former.set(address, page);
    },
    facts,
    *learn(links) {
      const now = facts();
      yield* versions.read(wanted.filter((address) => isUnknown(address, now)));
      yield* pages.read(listPagesWithAnchors(wanted, now));
      const candidates = links.map((link) => ({ link, ...findDoubtfulPages(link, now) }));
      const doubtful = candidates.flatMap(({ pages, isCertain }) => (isCertain ? [] : pages));
      const unknown = doubtful.filter((page) => !inbound.has(page));
      for (const [page, isLinked] of yield* findInboundLinks(unknown)) inbound.set(page, isLinked);
      const anchored = candidates.filter(({ hasAnchors }) => hasAnchors);
      const named = links.flatMap(({ anchorPage }) => anchorPage ?? []);
      const headed = [...new Set([...named, ...anchored.flatMap(({ pages }) => pages)])];
      yield* learnHeadings(headed);
      yield* pages.read(headed.flatMap((page) => now.index.counterparts(page)).slice(0, maxRead));
    },
  };
}

/** Reports whether neither a different form of an address nor a redirect or the history explains it. */
function isUnknown(address: string, { index, lost }: RepairFacts): boolean {
  const isKnown = index.alike(address).length > 0 || index.redirectsFrom(address).length > 0;
  return !isKnown && lost.get(address)?.renamedTo === undefined;
}

/**
 * Returns pages of which a missing page may now be a section. With a history this is unnecessary, because the history
 * shows it.
 */
function listPagesWithAnchors(wanted: readonly string[], facts: RepairFacts): readonly string[] {
  if (facts.hasHistory) return [];
  const folders = wanted
    .filter((address) => facts.anchorsTo(address).length > 0)
    .map((address) => facts.index.pagesIn(getParentFolder(address)))
    .filter((pages) => pages.length <= maxFolder);
  return [...new Set(folders.flat())].slice(0, maxRead);
}

/** Facts from links whose addresses do not lead to a page. */
interface UnresolvedAddresses extends Pick<
  RepairFacts,
  "wordsOf" | "anchorsTo" | "isLinkedFrom" | "lostNamed"
> {
  readonly wanted: readonly string[];
}

function collectUnresolvedAddresses(
  open: readonly BrokenLink[],
  linked: ReadonlyMap<string, LinkedText>,
): UnresolvedAddresses {
  const words = new Map<string, string[]>();
  const anchors = new Map<string, Set<string>>();
  const sources = new Map<string, Set<string>>();
  for (const link of open) {
    const lost = link.kind === "anchor" ? undefined : parseUnresolvedLink(link);
    if (lost === undefined || "reason" in lost || lost.wanted === "") continue;
    const page = linked.get(link.file);
    const own = page === undefined ? "" : getLinkText(page.text, page.find(link));
    words.set(lost.wanted, [...(words.get(lost.wanted) ?? []), own]);
    const places = anchors.get(lost.wanted) ?? new Set<string>();
    anchors.set(lost.wanted, lost.anchor === "" ? places : places.add(lost.anchor));
    if (lost.from === undefined) continue;
    sources.set(lost.wanted, (sources.get(lost.wanted) ?? new Set<string>()).add(lost.from));
  }
  const wanted = [...words.keys()];
  const byName = Map.groupBy(wanted, (address) => foldPathLetters(getBaseName(address)));
  return {
    wanted,
    wordsOf: (address) => words.get(address) ?? [],
    anchorsTo: (address) => [...(anchors.get(address) ?? [])],
    isLinkedFrom: (address, page) => sources.get(address)?.has(page) ?? false,
    lostNamed: (name) => byName.get(foldPathLetters(name)) ?? [],
  };
}

/** Returns former addresses that the history proves, with the pages that had them. */
function renamedPages(
  lost: ReadonlyMap<string, FormerPage>,
  pages: readonly string[],
): Map<string, string> {
  const present = new Set(pages);
  const sure = [...lost].flatMap(([address, { renamedTo, similarity }]) => {
    const isSure =
      renamedTo !== undefined &&
      similarity >= minCertainSimilarity &&
      isSameEdition(address, renamedTo);
    return isSure && present.has(renamedTo)
      ? [[normalizeAddress(address), renamedTo] as const]
      : [];
  });
  return new Map(sure);
}

/**
 * Reports for each page whether another file links to it. If that is unknown, the result does not contain the page.
 * Incomplete searches are repeated in smaller batches.
 */
function* findInboundLinks(pages: readonly string[]): Plan<ReadonlyMap<string, boolean>> {
  const inbound = new Map<string, boolean>();
  let open = [...new Set(pages)].filter((page) => getPageName(page) !== "").slice(0, maxPages);
  for (const size of batchSizes) {
    // Pages with the same name stay together, so that one search covers all of them.
    const named = [...Map.groupBy(open, getPageName).values()];
    const batches = splitIntoBatches(named, size).map((some) => some.flat());
    const answers = yield* callTools(batches.map(searchCall));
    for (const [index, batch] of batches.entries()) {
      for (const [page, isLinked] of readInboundLinks(batch, answers[index] ?? {})) {
        inbound.set(page, isLinked);
      }
    }
    open = open.filter((page) => !inbound.has(page));
  }
  return inbound;
}

function searchCall(pages: readonly string[]): ToolCall {
  const names = [...new Set(pages.map(getPageName))].map(escapePattern);
  const query = `${opening}(?:[^)\\s"'#?]*/)?(?:${names.join("|")})(?:/?index)?/?(?:\\.mdx?)?[)\\s"'#?]`;
  return { tool: "search", input: { query, isRegex: true, limit: searchLimit } };
}

function readInboundLinks(pages: readonly string[], answer: ToolAnswer): [string, boolean][] {
  if (findAnswerError(answer) !== undefined) return [];
  const matches = readMatches(answer);
  const named = addressesIn(matches);
  const isWhole = matches.length >= Number(answer.total);
  return pages.flatMap((page): [string, boolean][] => {
    const isLinked =
      named.get(normalizeAddress(page))?.some((file) => file.replace(/\.mdx?$/i, "") !== page) ??
      false;
    return isLinked || isWhole ? [[page, isLinked]] : [];
  });
}

function getPageName(page: string): string {
  return getBaseName(normalizeAddress(page));
}

/** Returns the files that link to each address. */
function addressesIn(matches: readonly SearchMatch[]): ReadonlyMap<string, readonly string[]> {
  const named = new Map<string, string[]>();
  const links = new RegExp(`${opening}([^)\\s"'#?]+)`, "g");
  for (const { file, text } of matches) {
    for (const [, target = ""] of text.matchAll(links)) {
      const folder = target.startsWith(".") ? getParentFolder(file) : "";
      const address = normalizeAddress(joinPath(folder, target));
      named.set(address, [...(named.get(address) ?? []), file]);
    }
  }
  return named;
}

/** Finds a missing page by the content that other languages and versions have at its address. */
interface VersionMatcher {
  /** Returns the pages that must be read first. */
  pagesFor(address: string): readonly string[];
  /**
   * Returns the page that now contains the content that other languages or versions have at that address; undefined
   * unless it is certain.
   */
  find(address: string): string | undefined;
}

/**
 * The maximum number of pages that each of two languages or versions lacks. If both lack more of the other's pages,
 * they are different sites.
 */
const maxUnpaired = 150;
/** The minimum number of marks in common. Fewer are a coincidence. */
const minShared = 5;
const minLikeness = 0.25;
const minPart = 0.6;
/** The factor by which a page must exceed any other page in common marks. */
const minLead = 3;

/** The minimum length of a line. Shorter lines occur on many pages. */
const minCodeLetters = 6;
const minProseLetters = 30;

const inText: readonly RegExp[] = [
  /`[^`\n]{3,200}`/g,
  // Translations link to pages in their own language, and IDs are compared as anchors.
  /\b(?!href\b|id\b)[\w-]+=["'][^"'\s]{2,300}["']/g,
  /https?:\/\/[^\s)"'>\]}]+/g,
  /!\[[^\]]{0,300}\]\([^)\s]+/g,
];

/**
 * Creates a matcher. A page that moved, was renamed or became part of another page still shares its content with its
 * other versions. No other page shares as much with them, apart from content that is also in that other page's own
 * version. `pages` contains all pages of the site; `textOf` returns the text of those that were read.
 */
export function createVersionMatcher(
  pages: readonly string[],
  textOf: (page: string) => string | undefined,
): VersionMatcher {
  const { versionIn, isPaired, compare } = createEditions(pages);
  const marksOf = createMarksReader(textOf);

  /**
   * Measures the content that a page shares with a version, except content that the page's own counterpart in that
   * version also contains.
   */
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

  /**
   * Reports whether most versions are similar to a page. A single version may have received another page's text, so
   * most of them must agree.
   */
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
      // If only a section matches, or text that both took from a third page, this is not the page.
      const part = Math.max(...versions.map((version) => share(version, best.page).part));
      if (part < minPart) return undefined;
      // A page that is more similar to a different missing page belongs to that page.
      const unmatched = rivals.filter((pages) => areMostLike(pages, best.page)).flat();
      const rival = Math.max(second?.score ?? 0, maxLikeness(unmatched, best.page));
      return best.score >= minLead * rival ? best.page : undefined;
    },
  };
}

interface Share {
  /** The shared marks relative to those of both pages, from 0 to 1. */
  readonly likeness: number;
  /** The shared marks relative to those of the version, from 0 to 1. */
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
  const byFolder = Map.groupBy(pages, getParentFolder);
  const versionIn = (page: string, edition: string) =>
    editions.get(edition)?.get(getEditionPath(page));
  /** Returns the pages of one language or version for which none of the others has a page at the same address. */
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
    const beside = byFolder.get(getParentFolder(address)) ?? [];
    return {
      versions: alike.flatMap((edition) => versionIn(address, edition) ?? []),
      candidates: moved.length > maxUnpaired ? [] : [...new Set([...moved, ...beside])],
      rivals: [
        ...unmatched(alike).map((page) => [page]),
        // A page that only one of these editions contains may be the new form of the missing page there.
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

/** The other versions of a missing page, and the pages among which to find the missing page. */
interface Comparison {
  readonly versions: readonly string[];
  /** Pages that exist only in the missing page's language or version, and the pages in its folder. */
  readonly candidates: readonly string[];
  /**
   * Other pages that are missing from its own language or version, each with its versions. A candidate may be the new
   * form of one of them.
   */
  readonly rivals: readonly (readonly string[])[];
}

/** Reads the pages that are needed to find missing pages, and caches the results. */
interface VersionReader {
  read(addresses: readonly string[]): Plan<void>;
  /**
   * Returns the page that now has the content of an address; undefined unless it is certain, or if nothing was read for
   * the address.
   */
  readonly pageAt: (address: string) => string | undefined;
}

/** The maximum number of pages to read in order to find missing pages. */
const maxCompared = 1_000;

function createVersionReader(sitePages: readonly string[], reader: PageReader): VersionReader {
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
  // The edition is removed first, because the first page of a version's folder is not a page with the version's name.
  return normalizeAddress(stripEdition(page));
}

function groupByEditionPath(pages: readonly string[]): ReadonlyMap<string, string> {
  return new Map(pages.map((page) => [getEditionPath(page), page]));
}

/**
 * Collects the marks that translations of a page share: lines of code, names in backticks, addresses of other sites and
 * of pictures, attribute values and anchors. With `withText`, also collects the lines of its text, which versions in
 * the same language share.
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
