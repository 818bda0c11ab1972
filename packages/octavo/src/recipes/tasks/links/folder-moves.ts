import { getBaseName } from "@octavo/site/core";
import type { Redirect } from "../../configuration.ts";
import { isSameEdition, normalizeAddress } from "../page-path.ts";
import type { FolderMove, FolderMoves, FormerPage } from "./link-facts.ts";
import { isParallelPage, type SiteIndex } from "./site-index.ts";

/** The evidence that one folder became another. */
interface Move {
  readonly from: string;
  readonly to: string;
  /** Pages that moved in this way according to the history or a redirect. */
  readonly known: Set<string>;
  /** Addresses in links to the old folder for which the new folder contains a page. */
  readonly alike: Set<string>;
}

interface MoveFacts {
  readonly index: SiteIndex;
  readonly redirects: readonly Redirect[];
  readonly lost: ReadonlyMap<string, FormerPage>;
  /** Every address in links for which there is no page. */
  readonly wanted: readonly string[];
}

const manyKnown = 3;
/** The score if at least `manyKnown` pages moved. If fewer moved, the target may be a different page. */
const manyLinksScore = 10;

/** Compares missing addresses with existing pages. A single page says nothing about its folder. */
export function findFolderMoves(facts: MoveFacts): FolderMoves {
  const moves = new Map<string, Move>();
  for (const [old, page] of knownMoves(facts)) findMove(old, page, moves)?.known.add(old);
  for (const address of new Set(facts.wanted)) {
    for (const page of facts.index.named(getBaseName(address))) {
      if (!isSameEdition(page, address) || isParallelPage(page, address, facts.index)) continue;
      findMove(address, normalizeAddress(page), moves)?.alike.add(address);
    }
  }
  const all = [...moves.values()];
  return {
    from: (address) =>
      all.flatMap((move): FolderMove[] => {
        // A folder that still exists did not move together with the pages that left it.
        const isItself = address === move.from && !facts.index.hasFolder(address);
        if (!isItself && !address.startsWith(`${move.from}/`)) return [];
        const to = move.to + address.slice(move.from.length);
        const known = weighKnown(move, address, all);
        if (known > 0) {
          const reason = "other pages of that folder moved there";
          return [{ to, score: known, reason, isGuess: known < manyLinksScore }];
        }
        const score = weighAlike(move, address, { all, ...facts });
        const reason = "pages with the same names as others in that folder are there";
        return score === 0 || hasNearer(to, address, facts.index)
          ? []
          : [{ to, score, reason, isGuess: true }];
      }),
  };
}

function* knownMoves({ lost, redirects, index }: MoveFacts): Generator<[string, string]> {
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
    for (let at = 0; at < manyKnown; at++) {
      yield [`${normalizeAddress(from)}/page-${at}`, `${normalizeAddress(to)}/page-${at}`];
    }
  }
}

/**
 * Returns the folder move that turns one path into the other, and creates it if necessary. Undefined if the names
 * differ.
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
function weighKnown({ from, to, known }: Move, address: string, all: readonly Move[]): number {
  const others = [...known].filter((old) => old !== address).length;
  const rivalsKnown = Math.max(
    0,
    ...listRivals({ from, to }, all).map((rival) => rival.known.size),
  );
  if (others >= manyKnown && others >= 3 * rivalsKnown) return manyLinksScore;
  return others > 0 && rivalsKnown === 0 ? 7 : 0;
}

function listRivals({ from, to }: Pick<Move, "from" | "to">, all: readonly Move[]): Move[] {
  return all.filter((other) => other.from === from && other.to !== to);
}

/** Scores a move by page names. */
function weighAlike(
  { from, to, alike }: Move,
  address: string,
  { all, index, lost, wanted }: MoveFacts & { readonly all: readonly Move[] },
): number {
  const isGone = (path: string) => lost.has(path) && lost.get(path)?.renamedTo === undefined;
  const telling = [...alike].filter(
    (path) => path !== address && !index.isCommonName(getBaseName(path)) && !isGone(path),
  );
  const below = new Set(wanted.filter((path) => path.startsWith(`${from}/`)));
  const rivalsAlike = Math.max(
    0,
    ...listRivals({ from, to }, all).map((rival) => rival.alike.size),
  );
  if (alike.size < 0.6 * below.size || alike.size <= 1.5 * rivalsAlike) return 0;
  const isRelated = getBaseName(from) === getBaseName(to);
  if (telling.length >= 2) return 8;
  if (telling.length === 0) return 0;
  return isRelated ? 7 : 4;
}

/**
 * Reports whether another page with the same name is equally close to the address, measured by the number of shared
 * folders.
 */
function hasNearer(to: string, address: string, index: SiteIndex): boolean {
  const nearness = sharedFolders(to, address);
  return index
    .named(getBaseName(address))
    .map(normalizeAddress)
    .some(
      (page) =>
        page !== to && isSameEdition(page, address) && sharedFolders(page, address) >= nearness,
    );
}

function sharedFolders(one: string, other: string): number {
  const [a, b] = [one.split("/"), other.split("/")];
  const end = a.findIndex((part, at) => part !== b[at]);
  return end === -1 ? a.length : end;
}
