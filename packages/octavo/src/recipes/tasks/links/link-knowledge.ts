import { listRedirects } from "../../configuration.ts";
import type { ConfigurationFile } from "../../configuration.ts";
import { getFolder, isConfiguration, isSnippet, getLastPart, toPagePath } from "../../pages.ts";
import { callTools, findAnswerError, splitIntoBatches } from "../../plan.ts";
import type { Plan, ToolAnswer, ToolCall } from "../../plan.ts";
import { readMatches } from "../../site-tools.ts";
import type { Listing, SearchMatch } from "../../site-tools.ts";
import { hasAnchorId } from "../../text/anchors.ts";
import { createLinkedText, getLinkText } from "../../text/link-locations.ts";
import type { LinkedText } from "../../text/link-locations.ts";
import type { BrokenLink } from "./broken-links.ts";
import { isSameEdition } from "./edition.ts";
import { findFolderMoves } from "./folder-moves.ts";
import { listAnchorPages } from "./anchor-repair.ts";
import { findDoubtfulPages, parseUnresolvedLink } from "./link-repair.ts";
import type { RepairFacts } from "./link-facts.ts";
import {
  hasHistory,
  readFormerPages,
  readRewordings,
  minCertainSimilarity,
} from "./former-pages.ts";
import type { FormerPage, RewordedHeadings } from "./former-pages.ts";
import { listAddressForms, joinPath, foldPathLetters, normalizeAddress } from "../page-path.ts";
import { createEditionLinkChecker, createSiteIndex, readTitles } from "./site-index.ts";
import type { PageTitle } from "./site-index.ts";
import { createPageReader } from "./page-reader.ts";
import { createVersionReader } from "./page-versions.ts";

/** Facts about the site that do not change while links are repaired. */
export interface KnownSite {
  readonly listing: Listing;
  /** Paths of pages, without extension. */
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

/** The maximum number of pages to read for anchors, in one folder and overall. */
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
  /** Reads what helps to choose between the pages that links may mean. */
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

  function facts(): RepairFacts {
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
    addFormer: (address, page) => former.set(address, page),
    facts,
    *learn(links) {
      const known = facts();
      yield* versions.read(wanted.filter((address) => isUnknown(address, known)));
      yield* pages.read(listPagesWithAnchors(wanted, known));
      const candidates = links.map((link) => ({ link, ...findDoubtfulPages(link, known) }));
      const doubtful = candidates.flatMap(({ pages, isCertain }) => (isCertain ? [] : pages));
      const unknown = doubtful.filter((page) => !inbound.has(page));
      for (const [page, isLinked] of yield* findInboundLinks(unknown)) inbound.set(page, isLinked);
      const anchored = candidates.filter(({ hasAnchors }) => hasAnchors);
      const named = links.flatMap(({ anchorPage }) => anchorPage ?? []);
      const headed = [...new Set([...named, ...anchored.flatMap(({ pages }) => pages)])];
      yield* learnHeadings(headed);
      yield* pages.read(headed.flatMap((page) => known.index.counterparts(page)).slice(0, maxRead));
    },
  };
}

/** Reports whether neither the form of an address nor a redirect or the history explains it. */
function isUnknown(address: string, { index, lost }: RepairFacts): boolean {
  const isKnown = index.alike(address).length > 0 || index.redirectsFrom(address).length > 0;
  return !isKnown && lost.get(address)?.renamedTo === undefined;
}

/** Returns pages of which a missing page may now be a section. With a history, the history says so. */
function listPagesWithAnchors(wanted: readonly string[], facts: RepairFacts): readonly string[] {
  if (facts.hasHistory) return [];
  const folders = wanted
    .filter((address) => facts.anchorsTo(address).length > 0)
    .map((address) => facts.index.pagesIn(getFolder(address)))
    .filter((pages) => pages.length <= maxFolder);
  return [...new Set(folders.flat())].slice(0, maxRead);
}

/** Facts from links whose address leads nowhere. */
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
  const byName = Map.groupBy(wanted, (address) => foldPathLetters(getLastPart(address)));
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
 * Reports for each page whether another file links to it. A page is missing from the result if that is unknown.
 * Incomplete searches are repeated in smaller batches.
 */
function* findInboundLinks(pages: readonly string[]): Plan<ReadonlyMap<string, boolean>> {
  const inbound = new Map<string, boolean>();
  let open = [...new Set(pages)].filter((page) => getPageName(page) !== "").slice(0, maxPages);
  for (const size of batchSizes) {
    // Keep pages with the same name together, so that one search covers all of them.
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
  const names = [...new Set(pages.map(getPageName))].map(escaped);
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
  return getLastPart(normalizeAddress(page));
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** Returns the files that link to each address. */
function addressesIn(matches: readonly SearchMatch[]): ReadonlyMap<string, readonly string[]> {
  const named = new Map<string, string[]>();
  const links = new RegExp(`${opening}([^)\\s"'#?]+)`, "g");
  for (const { file, text } of matches) {
    for (const [, target = ""] of text.matchAll(links)) {
      const folder = target.startsWith(".") ? getFolder(file) : "";
      const address = normalizeAddress(joinPath(folder, target));
      named.set(address, [...(named.get(address) ?? []), file]);
    }
  }
  return named;
}
