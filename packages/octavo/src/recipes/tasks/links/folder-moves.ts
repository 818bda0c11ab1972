import type { Redirect } from "../../configuration.ts";
import { lastPart } from "../../pages.ts";
import { sameEdition } from "./edition.ts";
import type { LostPage } from "./lost-pages.ts";
import { plainAddress } from "../page-path.ts";
import type { SiteIndex } from "./site-index.ts";
import { isTwin } from "./site-index.ts";

/** Where the pages of folders went that links still name. */
export interface FolderMoves {
  /** Where a page would be by now if it went with the others of its folder. */
  from(address: string): readonly FolderMove[];
}

interface FolderMove {
  /** The page's path, where it went along. */
  readonly to: string;
  readonly weight: number;
  readonly reason: string;
  /** Nothing but names or a single page says so. */
  readonly isGuess: boolean;
}

/** What speaks for one folder having become another. */
interface Move {
  readonly from: string;
  readonly to: string;
  /** Pages that the history or a redirect says to have gone that way. */
  readonly known: Set<string>;
  /** Addresses that links name below the old folder and that pages have below the new one. */
  readonly alike: Set<string>;
}

interface MoveFacts {
  readonly index: SiteIndex;
  readonly redirects: readonly Redirect[];
  readonly lost: ReadonlyMap<string, LostPage>;
  /** Every address that links name and no page has. */
  readonly wanted: readonly string[];
}

const manyKnown = 3;
/** That many pages went there; of fewer, it may be another page. */
const manyWeight = 10;

/** Compares what is gone with what is there: one page alone says nothing of its folder. */
export function findFolderMoves(facts: MoveFacts): FolderMoves {
  const moves = new Map<string, Move>();
  for (const [old, page] of knownMoves(facts)) moveOf(old, page, moves)?.known.add(old);
  for (const address of new Set(facts.wanted)) {
    for (const page of facts.index.named(lastPart(address))) {
      if (!sameEdition(page, address) || isTwin(page, address, facts.index)) continue;
      moveOf(address, plainAddress(page), moves)?.alike.add(address);
    }
  }
  const all = [...moves.values()];
  return {
    from: (address) =>
      all.flatMap((move): FolderMove[] => {
        // A folder that is still there did not go with the pages that left it.
        const isItself = address === move.from && !facts.index.hasFolder(address);
        if (!isItself && !address.startsWith(`${move.from}/`)) return [];
        const to = move.to + address.slice(move.from.length);
        const known = weighKnown(move, address, all);
        if (known > 0) {
          const reason = "other pages of that folder went there";
          return [{ to, weight: known, reason, isGuess: known < manyWeight }];
        }
        const weight = weighAlike(move, address, { all, ...facts });
        const reason = "pages with the names of others of that folder are there";
        return weight === 0 || hasNearer(to, address, facts.index)
          ? []
          : [{ to, weight, reason, isGuess: true }];
      }),
  };
}

function* knownMoves({ lost, redirects, index }: MoveFacts): Generator<[string, string]> {
  for (const [old, { renamedTo }] of lost) {
    if (renamedTo !== undefined && index.pageAt(renamedTo)) yield [old, plainAddress(renamedTo)];
  }
  for (const { source, destination } of redirects) {
    const wildcard = /^(.+)\/(?::\w+\*?|\*)$/;
    const [from, to] = [wildcard.exec(source)?.[1], wildcard.exec(destination)?.[1]];
    if (from === undefined || to === undefined) {
      if (index.pageAt(destination)) yield [plainAddress(source), plainAddress(destination)];
      continue;
    }
    for (let at = 0; at < manyKnown; at++) {
      yield [`${plainAddress(from)}/page-${at}`, `${plainAddress(to)}/page-${at}`];
    }
  }
}

/** The move of folders that takes one path to the other, made known; undefined where their names differ. */
function moveOf(old: string, page: string, moves: Map<string, Move>): Move | undefined {
  const [a, b] = [old.split("/"), page.split("/")];
  let shared = 0;
  while (shared < Math.min(a.length, b.length) && a.at(-1 - shared) === b.at(-1 - shared)) shared++;
  // Of one that lies within the other by now, the folder itself is what moved.
  while (shared > 0 && (shared === a.length || shared === b.length)) shared--;
  if (shared === 0) return undefined;
  const [from, to] = [a.slice(0, -shared).join("/"), b.slice(0, -shared).join("/")];
  const key = `${from}\n${to}`;
  const move = moves.get(key) ?? { from, to, known: new Set<string>(), alike: new Set<string>() };
  moves.set(key, move);
  return move;
}

/** What the history and redirects say. */
function weighKnown({ from, to, known }: Move, address: string, all: readonly Move[]): number {
  const others = [...known].filter((old) => old !== address).length;
  const rivalsKnown = Math.max(0, ...rivalsOf({ from, to }, all).map((rival) => rival.known.size));
  if (others >= manyKnown && others >= 3 * rivalsKnown) return manyWeight;
  return others > 0 && rivalsKnown === 0 ? 7 : 0;
}

function rivalsOf({ from, to }: Pick<Move, "from" | "to">, all: readonly Move[]): Move[] {
  return all.filter((other) => other.from === from && other.to !== to);
}

/** What the names of pages say. */
function weighAlike(
  { from, to, alike }: Move,
  address: string,
  { all, index, lost, wanted }: MoveFacts & { readonly all: readonly Move[] },
): number {
  const isGone = (path: string) => lost.has(path) && lost.get(path)?.renamedTo === undefined;
  const telling = [...alike].filter(
    (path) => path !== address && !index.isCommonName(lastPart(path)) && !isGone(path),
  );
  const below = new Set(wanted.filter((path) => path.startsWith(`${from}/`)));
  const rivalsAlike = Math.max(0, ...rivalsOf({ from, to }, all).map((rival) => rival.alike.size));
  if (alike.size < 0.6 * below.size || alike.size <= 1.5 * rivalsAlike) return 0;
  const isRelated = lastPart(from) === lastPart(to);
  if (telling.length >= 2) return 8;
  if (telling.length === 0) return 0;
  return isRelated ? 7 : 4;
}

/** Whether another page of that name lies as near to the address, by the folders that they share. */
function hasNearer(to: string, address: string, index: SiteIndex): boolean {
  const nearness = sharedFolders(to, address);
  return index
    .named(lastPart(address))
    .map(plainAddress)
    .some(
      (page) =>
        page !== to && sameEdition(page, address) && sharedFolders(page, address) >= nearness,
    );
}

function sharedFolders(one: string, other: string): number {
  const [a, b] = [one.split("/"), other.split("/")];
  const end = a.findIndex((part, at) => part !== b[at]);
  return end === -1 ? a.length : end;
}
