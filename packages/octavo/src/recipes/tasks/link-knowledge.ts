import { redirectsOf } from "../configuration.ts";
import type { ConfigurationFile } from "../configuration.ts";
import { isSnippet, lastPart, pagePath } from "../pages.ts";
import type { Plan } from "../plan.ts";
import { readFiles } from "../site-tools.ts";
import type { Listing } from "../site-tools.ts";
import { hasPlace, pageAnchors } from "../text/anchors.ts";
import type { Anchor } from "../text/anchors.ts";
import { createLinkedText, linkText } from "../text/link-places.ts";
import type { LinkedText } from "../text/link-places.ts";
import type { BrokenLink } from "./broken-links.ts";
import { sameEdition } from "./edition.ts";
import { findFolderMoves } from "./folder-moves.ts";
import { findInbound } from "./inbound-links.ts";
import { anchorPages, doubtfulPages, isConfiguration, lostLink } from "./link-repair.ts";
import type { RepairFacts } from "./link-repair.ts";
import { hasHistory, readLostPages, readRewordings, sureSimilarity } from "./lost-pages.ts";
import type { LostPage, RewordedHeadings } from "./lost-pages.ts";
import { addressForms, pathLetters, plainAddress } from "./page-path.ts";
import { createLeavingReader } from "./own-edition.ts";
import { readTitles } from "./page-titles.ts";
import type { PageTitle } from "./page-titles.ts";
import { createSiteIndex } from "./site-index.ts";

/** What does not change while links are mended. */
export interface KnownSite {
  readonly listing: Listing;
  /** Paths of pages, without extension. */
  readonly pages: readonly string[];
  readonly titles: ReadonlyMap<string, PageTitle>;
  readonly hasHistory: boolean;
}

export function* readSite(listing: Listing): Plan<KnownSite> {
  const files = listing.files.filter((file) => !isSnippet(file));
  return {
    listing,
    pages: files.map(pagePath),
    titles: yield* readTitles(files),
    hasHistory: yield* hasHistory(files),
  };
}

/** What has been read of a site to decide its broken links. */
export interface LinkKnowledge {
  /** Every text that was read, by file. */
  readonly texts: ReadonlyMap<string, string>;
  /** The texts that hold the links, by file. */
  readonly linked: ReadonlyMap<string, LinkedText>;
  /** An address is known to have been a page's. */
  addFormer(address: string, page: string): void;
  /** Reads what helps to decide between the pages that links may mean. */
  learn(links: readonly BrokenLink[]): Plan<void>;
  facts(): RepairFacts;
}

export function* openKnowledge(
  open: readonly BrokenLink[],
  site: KnownSite,
  configuration: readonly ConfigurationFile[],
): Plan<LinkKnowledge> {
  const files = new Map(site.listing.files.map((file) => [pagePath(file), file]));
  const fileOf = (page: string): string => files.get(page) ?? "";
  const holders = open.flatMap((link) => [
    ...(isConfiguration(link.file) ? [] : [link.file]),
    ...anchorPages(link, site.pages).flatMap((path) => files.get(path) ?? []),
  ]);
  const texts = new Map(yield* readFiles(holders));
  const linked = new Map([...texts].map(([path, text]) => [path, createLinkedText(text)]));
  const addresses = lostAddresses(open, linked);
  const wanted = [...addresses.words.keys()];
  const lost: ReadonlyMap<string, LostPage> = site.hasHistory
    ? yield* readLostPages(wanted.flatMap(addressForms))
    : new Map();
  const wantedByName = Map.groupBy(wanted, (address) => pathLetters(lastPart(address)));
  const former = renamedPages(lost, site.pages);
  const rewordings = new Map<string, readonly RewordedHeadings[]>();
  const inbound = new Map<string, boolean>();
  const redirects = redirectsOf(configuration);
  const anchorsOf = createAnchorReader((page) => texts.get(fileOf(page)));

  function* learnHeadings(pages: readonly string[]): Plan<void> {
    const unread = pages.filter((page) => files.has(page) && !rewordings.has(page));
    const more = yield* readFiles(unread.map(fileOf).filter((file) => !texts.has(file)));
    for (const [file, text] of more) texts.set(file, text);
    if (!site.hasHistory) return;
    const found = yield* readRewordings(new Map(unread.map((page) => [page, fileOf(page)])));
    for (const [page, own] of found) rewordings.set(page, own);
  }

  function facts(): RepairFacts {
    const index = createSiteIndex({ ...site, redirects, former });
    return {
      index,
      lost,
      moves: findFolderMoves({ index, redirects, lost, wanted }),
      redirects,
      configuration,
      anchorsOf,
      wordsOf: (address) => addresses.words.get(address) ?? [],
      rewordingsOf: (page) => rewordings.get(page) ?? [],
      leavesEdition: createLeavingReader(
        [...texts].map(([file, text]) => [pagePath(file), text] as const),
        index,
      ),
      hasAnchor(page, anchor) {
        const anchors = anchorsOf(page);
        return anchors && hasPlace(anchors, anchor);
      },
      hasInbound: (page) => inbound.get(page),
      lostNamed: (name) => wantedByName.get(pathLetters(name)) ?? [],
      isLinkedFrom: (address, page) => addresses.sources.get(address)?.has(page) ?? false,
    };
  }

  return {
    texts,
    linked,
    addFormer: (address, page) => former.set(address, page),
    facts,
    *learn(links) {
      const known = facts();
      const candidates = links.map((link) => ({ link, ...doubtfulPages(link, known) }));
      const doubtful = candidates.flatMap(({ pages, isCertain }) => (isCertain ? [] : pages));
      const unknown = doubtful.filter((page) => !inbound.has(page));
      for (const [page, isLinked] of yield* findInbound(unknown)) inbound.set(page, isLinked);
      const anchored = candidates.filter(({ link }) => link.target.includes("#"));
      const named = links.flatMap(({ anchorPage }) => anchorPage ?? []);
      yield* learnHeadings([...new Set([...named, ...anchored.flatMap(({ pages }) => pages)])]);
    },
  };
}

/** Addresses that lead nowhere. */
interface LostAddresses {
  /** By address: the words of the links that name it. */
  readonly words: ReadonlyMap<string, readonly string[]>;
  /** By address: the pages that name it. */
  readonly sources: ReadonlyMap<string, ReadonlySet<string>>;
}

function lostAddresses(
  open: readonly BrokenLink[],
  linked: ReadonlyMap<string, LinkedText>,
): LostAddresses {
  const words = new Map<string, string[]>();
  const sources = new Map<string, Set<string>>();
  for (const link of open) {
    const lost = link.kind === "anchor" ? undefined : lostLink(link);
    if (lost === undefined || "reason" in lost || lost.wanted === "") continue;
    const page = linked.get(link.file);
    const own = page === undefined ? "" : linkText(page.text, page.find(link));
    words.set(lost.wanted, [...(words.get(lost.wanted) ?? []), own]);
    if (lost.from === undefined) continue;
    sources.set(lost.wanted, (sources.get(lost.wanted) ?? new Set<string>()).add(lost.from));
  }
  return { words, sources };
}

/** Former addresses that the history tells of for sure, with the pages that had them. */
function renamedPages(
  lost: ReadonlyMap<string, LostPage>,
  pages: readonly string[],
): Map<string, string> {
  const present = new Set(pages);
  const sure = [...lost].flatMap(([address, { renamedTo, similarity }]) => {
    const isSure =
      renamedTo !== undefined && similarity >= sureSimilarity && sameEdition(address, renamedTo);
    return isSure && present.has(renamedTo) ? [[plainAddress(address), renamedTo] as const] : [];
  });
  return new Map(sure);
}

/** The places of a page by its path, found once; undefined where it was not read. */
function createAnchorReader(
  textOf: (page: string) => string | undefined,
): (page: string) => readonly Anchor[] | undefined {
  const known = new Map<string, readonly Anchor[]>();
  return (page) => {
    const text = known.has(page) ? undefined : textOf(page);
    if (text !== undefined) known.set(page, pageAnchors(text));
    return known.get(page);
  };
}
