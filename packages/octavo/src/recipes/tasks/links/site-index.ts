import { foldLettersAndDigits, getBaseName, getParentFolder } from "@octavo/site/core";
import type { Redirect } from "../../configuration.ts";
import {
  foldPathLetters,
  getEdition,
  isEdition,
  isSameEdition,
  normalizeAddress,
  stripEdition,
} from "../page-path.ts";
import { extractStems } from "../words.ts";

/** An index of a site's pages by the forms of addresses that links may contain. Pages are identified by path. */
export type SiteIndex = ReturnType<typeof createSiteIndex>;

const commonNames: ReadonlySet<string> = new Set(
  "index overview introduction intro quickstart getting-started start home about faq reference changelog setup installation install configuration config usage examples guide guides basics concepts api troubleshooting migration settings security authentication errors advanced".split(
    " ",
  ),
);
/** The minimum number of pages with the same name in one language and version that makes the name common. */
const commonCount = 3;

interface IndexedSite {
  readonly pages: readonly string[];
  readonly titles: ReadonlyMap<string, PageTitle>;
  readonly redirects: readonly Redirect[];
  /** Former addresses, with the pages that had them. */
  readonly former: ReadonlyMap<string, string>;
}

/** The titles in a page's frontmatter. */
export interface PageTitle {
  readonly title: string;
  readonly sidebarTitle: string;
  /** Whether the page shows an operation of an API description. */
  readonly isOperation: boolean;
}

export function createSiteIndex({ pages, titles, redirects, former }: IndexedSite) {
  const addresses = new Map([
    ...former,
    ...pages.map((page) => [normalizeAddress(page), page] as const),
  ]);
  const byLetters = Map.groupBy(addresses, ([address]) => foldPathLetters(address));
  const byWords = Map.groupBy(pages, (page) => extractPathWords(page));
  const byStrippedAddress = Map.groupBy(pages, (page) => stripEdition(normalizeAddress(page)));
  const byName = Map.groupBy(pages, (page) => foldPathLetters(getBaseName(normalizeAddress(page))));
  const addressesByName = Map.groupBy(addresses, ([address]) =>
    foldPathLetters(getBaseName(address)),
  );
  const oftenUsedNames = new Set(
    [...byName].filter(([, own]) => isOftenUsed(own)).map(([letters]) => letters),
  );
  const byFolder = Map.groupBy(pages, getParentFolder);
  const below = groupBelow(pages);
  const folders = new Set([...below.keys()].map(foldPathLetters));
  const folderNames = new Set(
    [...below.keys()].map((folder) => foldPathLetters(getBaseName(folder))),
  );
  const byTitle = new Map<string, Set<string>>();
  const words = new Set(pages.flatMap(extractStems));
  for (const page of pages) {
    for (const title of getTitles(page)) {
      for (const word of extractStems(title)) words.add(word);
      const own = byTitle.get(foldLettersAndDigits(title)) ?? new Set<string>();
      byTitle.set(foldLettersAndDigits(title), own.add(page));
    }
  }

  function getTitles(page: string): readonly string[] {
    const { title = "", sidebarTitle = "" } = titles.get(page) ?? {};
    return [title, sidebarTitle].filter((text) => text !== "");
  }
  /** Returns the page at an address. For the address of a folder, returns the folder's index page. */
  const pageAt = (address: string) => addresses.get(normalizeAddress(address));
  const plainRedirects = redirects
    .filter(({ source }) => !/[*:]/.test(source))
    .map(({ source, destination }) => ({ source, to: destination.replace(/[?#].*$/s, "") }));
  const redirected = plainRedirects.flatMap(({ source, to }) => {
    const page = pageAt(to);
    return page === undefined ? [] : [[normalizeAddress(source), page] as const];
  });
  const redirectsByLetters = Map.groupBy(plainRedirects, ({ source }) => foldPathLetters(source));
  const redirectTargets = (address: string) =>
    (redirectsByLetters.get(foldPathLetters(address)) ?? []).map(({ to }) => to);
  return {
    pages,
    /** Every address with its page: current and former addresses of pages, and sources of redirects. */
    addresses: new Map([...redirected, ...addresses]) as ReadonlyMap<string, string>,
    pageAt,
    /** Returns the pages whose addresses differ only in case and punctuation. */
    findAlike: (address: string): readonly string[] => [
      ...new Set((byLetters.get(foldPathLetters(address)) ?? []).map(([, page]) => page)),
    ],
    /** Returns the pages whose addresses contain the same words, such as `set-up/linux` for `set-up-linux`. */
    findByWords: (path: string): readonly string[] => byWords.get(extractPathWords(path)) ?? [],
    /** Returns the pages at the same address in other languages and versions. */
    listVersions: (address: string): readonly string[] =>
      (byStrippedAddress.get(stripEdition(normalizeAddress(address))) ?? []).filter(
        (page) => !isSameEdition(page, address),
      ),
    /** Returns the pages whose path ends with `name`. */
    findNamed: (name: string): readonly string[] => byName.get(foldPathLetters(name)) ?? [],
    /** Returns the addresses that end with `name`, with their pages. */
    listAddressesNamed: (name: string): readonly (readonly [address: string, page: string])[] =>
      addressesByName.get(foldPathLetters(name)) ?? [],
    /** Reports whether a name is common, on this site or in general, and therefore hardly identifies a page. */
    isCommonName: (name: string) =>
      commonNames.has(name.toLowerCase()) || oftenUsedNames.has(foldPathLetters(name)),
    /** Returns the pages directly in a folder. */
    listPagesIn: (folder: string): readonly string[] => byFolder.get(folder) ?? [],
    /** Returns the pages at any depth in a folder. */
    listPagesBelow: (folder: string): readonly string[] =>
      folder === "" ? pages : (below.get(folder) ?? []),
    /** Reports whether the folder exists, ignoring case and punctuation. */
    hasFolder: (folder: string) => folders.has(foldPathLetters(folder)),
    /** Reports whether a folder with that name exists at any depth, ignoring case and punctuation. */
    hasFolderNamed: (name: string) => folderNames.has(foldPathLetters(name)),
    /** Returns the pages to which redirects from the address lead. */
    followRedirects: (address: string): readonly string[] =>
      redirectTargets(address).flatMap((to) => pageAt(to) ?? []),
    /** Reports whether a redirect leads from the address to a missing page. */
    hasDeadRedirect: (address: string) =>
      redirectTargets(address).some((to) => pageAt(to) === undefined),
    getTitles,
    /** Returns the pages with the given title or sidebar title. */
    findTitled: (text: string): readonly string[] => [
      ...(byTitle.get(foldLettersAndDigits(text)) ?? []),
    ],
    isOperation: (page: string) => titles.get(page)?.isOperation ?? false,
    /** Reports whether a path or title of the site contains a word. `word` must be a stem. */
    hasWord: (word: string) => words.has(word),
  };
}

function extractPathWords(path: string): string {
  return normalizeAddress(path)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ");
}

/**
 * Reports whether enough of these pages, which have the same name, are in one language and version to make the name
 * common.
 */
function isOftenUsed(pages: readonly string[]): boolean {
  const editions = Map.groupBy(pages, getEdition);
  return [...editions.values()].some((own) => own.length >= commonCount);
}

function groupBelow(pages: readonly string[]): Map<string, string[]> {
  const below = new Map<string, string[]>();
  for (const page of pages) {
    for (let at = page.lastIndexOf("/"); at > 0; at = page.lastIndexOf("/", at - 1)) {
      const folder = page.slice(0, at);
      const own = below.get(folder);
      if (own) own.push(page);
      else below.set(folder, [page]);
    }
  }
  return below;
}

/**
 * Reports whether the folders where two paths diverge contain pages with the same names. If so, the paths lead to
 * parallel pages, such as the pages of two products, and neither was moved to the other's path.
 */
export function isParallelPage(one: string, other: string, index: SiteIndex): boolean {
  const [a, b] = [one.split("/"), other.split("/")];
  while (a.length > 1 && b.length > 1 && a.at(-1) === b.at(-1)) {
    a.pop();
    b.pop();
  }
  const [mine, theirs] = [`${a.join("/")}/`, `${b.join("/")}/`];
  if (mine.startsWith(theirs) || theirs.startsWith(mine)) return false;
  const listNames = (folder: string) =>
    index.listPagesBelow(folder.slice(0, -1)).map((page) => page.slice(folder.length));
  const names = new Set(listNames(mine).filter((name) => !index.isCommonName(getBaseName(name))));
  return listNames(theirs).some((name) => names.has(name));
}

/** Returns the page at an address relative to the language or version folder that contains the page `from`. */
export function findInOwnEdition(
  address: string,
  from: string | undefined,
  index: SiteIndex,
): string | undefined {
  if (!isSameEdition(address, "")) return undefined;
  const folders = (from ?? "").split("/").slice(0, -1);
  const depth = folders.findLastIndex(isEdition) + 1;
  return depth === 0 ? undefined : index.pageAt(`${folders.slice(0, depth).join("/")}/${address}`);
}

/** The history of an address that no longer leads to a page. */
export interface FormerPage {
  /** The path of the page to which it was renamed; undefined if it was deleted. */
  readonly renamedTo: string | undefined;
  /** The share of its text that stayed the same, from 0 to 1. */
  readonly similarity: number;
  /** The path of the page that now contains its text; undefined if the page was renamed or its text was removed. */
  readonly mergedInto: string | undefined;
}

/** A path that a page has now if it moved together with the other pages in its folder. */
export interface FolderMove {
  readonly to: string;
  readonly score: number;
  readonly reason: string;
  /** Whether the evidence consists only of names or of few moved pages. */
  readonly isGuess: boolean;
}

/** The evidence that one folder became another. */
interface Move {
  readonly from: string;
  readonly to: string;
  /** Addresses of pages that moved in this way according to the history or a redirect. */
  readonly known: Set<string>;
  /** Addresses in the old folder, from links, for which the new folder contains a page of the same name. */
  readonly alike: Set<string>;
}

interface MoveFacts {
  readonly index: SiteIndex;
  readonly redirects: readonly Redirect[];
  readonly lost: ReadonlyMap<string, FormerPage>;
  /** All addresses in links that do not lead to a page. */
  readonly wanted: readonly string[];
}

/** The number of known moves that make a folder's move certain. */
const minKnownMoves = 3;
/** The score if at least `minKnownMoves` pages moved. If fewer moved, the target may be a different page. */
const manyLinksScore = 10;

/**
 * Finds folder moves from the history, redirects and the names of pages. Returns a function that lists the paths that
 * the page at an address may have now.
 */
export function findFolderMoves(facts: MoveFacts): (address: string) => readonly FolderMove[] {
  const moves = new Map<string, Move>();
  for (const [old, page] of listKnownMoves(facts)) findMove(old, page, moves)?.known.add(old);
  for (const address of new Set(facts.wanted)) {
    for (const page of facts.index.findNamed(getBaseName(address))) {
      if (!isSameEdition(page, address) || isParallelPage(page, address, facts.index)) continue;
      findMove(address, normalizeAddress(page), moves)?.alike.add(address);
    }
  }
  const all = [...moves.values()];
  return (address) =>
    all.flatMap((move): FolderMove[] => {
      // A folder that still exists has not moved, even if pages left it.
      const isItself = address === move.from && !facts.index.hasFolder(address);
      if (!isItself && !address.startsWith(`${move.from}/`)) return [];
      const to = move.to + address.slice(move.from.length);
      const known = scoreKnownMoves(move, address, all);
      if (known > 0) {
        const reason = "other pages of that folder moved there";
        return [{ to, score: known, reason, isGuess: known < manyLinksScore }];
      }
      const score = scoreSimilarNames(move, address, { all, ...facts });
      const reason = "pages with the same names as others in that folder are there";
      return score === 0 || hasNearer(to, address, facts.index)
        ? []
        : [{ to, score, reason, isGuess: true }];
    });
}

function* listKnownMoves({ lost, redirects, index }: MoveFacts): Generator<[string, string]> {
  for (const [old, { renamedTo }] of lost) {
    if (renamedTo !== undefined && index.pageAt(renamedTo))
      yield [old, normalizeAddress(renamedTo)];
  }
  for (const { source, destination } of redirects) {
    const wildcard = /^(.+)\/(?::\w+\*?|\*)$/;
    const [from, to] = [wildcard.exec(source)?.[1], wildcard.exec(destination)?.[1]];
    if (from === undefined || to === undefined) {
      if (index.pageAt(destination))
        yield [normalizeAddress(source), normalizeAddress(destination)];
      continue;
    }
    for (let at = 0; at < minKnownMoves; at++) {
      yield [`${normalizeAddress(from)}/page-${at}`, `${normalizeAddress(to)}/page-${at}`];
    }
  }
}

/**
 * Returns the folder move that turns the path `old` into `page`, and adds it to `moves` if necessary. Returns undefined
 * if the two paths do not end with the same name.
 */
function findMove(old: string, page: string, moves: Map<string, Move>): Move | undefined {
  const [a, b] = [old.split("/"), page.split("/")];
  let shared = 0;
  while (shared < Math.min(a.length, b.length) && a.at(-1 - shared) === b.at(-1 - shared)) shared++;
  // If one folder is now inside the other, the folder itself has moved.
  while (shared > 0 && (shared === a.length || shared === b.length)) shared--;
  if (shared === 0) return undefined;
  const [from, to] = [a.slice(0, -shared).join("/"), b.slice(0, -shared).join("/")];
  const key = `${from}\n${to}`;
  const move = moves.get(key) ?? { from, to, known: new Set<string>(), alike: new Set<string>() };
  moves.set(key, move);
  return move;
}

/** Scores a move by the history and redirects. */
function scoreKnownMoves(move: Move, address: string, all: readonly Move[]): number {
  const others = [...move.known].filter((old) => old !== address).length;
  const rivalsKnown = countRivalPages(move, "known", all);
  if (others >= minKnownMoves && others >= 3 * rivalsKnown) return manyLinksScore;
  return others > 0 && rivalsKnown === 0 ? 7 : 0;
}

/** Returns the maximum number of pages that speak for another target of the same folder. */
function countRivalPages({ from, to }: Move, by: "known" | "alike", all: readonly Move[]): number {
  const rivals = all.filter((other) => other.from === from && other.to !== to);
  return Math.max(0, ...rivals.map((rival) => rival[by].size));
}

/** Scores a move by page names. */
function scoreSimilarNames(
  move: Move,
  address: string,
  { all, index, lost, wanted }: MoveFacts & { readonly all: readonly Move[] },
): number {
  const { from, to, alike } = move;
  const isGone = (path: string) => lost.has(path) && lost.get(path)?.renamedTo === undefined;
  const telling = [...alike].filter(
    (path) => path !== address && !index.isCommonName(getBaseName(path)) && !isGone(path),
  );
  const below = new Set(wanted.filter((path) => path.startsWith(`${from}/`)));
  const rivalsAlike = countRivalPages(move, "alike", all);
  if (alike.size < 0.6 * below.size || alike.size <= 1.5 * rivalsAlike) return 0;
  const isRelated = getBaseName(from) === getBaseName(to);
  if (telling.length >= 2) return 8;
  if (telling.length === 0) return 0;
  return isRelated ? 7 : 4;
}

/**
 * Reports whether another page with the same name shares at least as many folders with the address as the page at `to`.
 */
function hasNearer(to: string, address: string, index: SiteIndex): boolean {
  const nearness = countSharedFolders(to, address);
  return index
    .findNamed(getBaseName(address))
    .map(normalizeAddress)
    .some(
      (page) =>
        page !== to &&
        isSameEdition(page, address) &&
        countSharedFolders(page, address) >= nearness,
    );
}

function countSharedFolders(one: string, other: string): number {
  const [a, b] = [one.split("/"), other.split("/")];
  const end = a.findIndex((part, at) => part !== b[at]);
  return end === -1 ? a.length : end;
}
