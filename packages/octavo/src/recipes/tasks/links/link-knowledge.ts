import { getBaseName, getParentFolder } from "@octavo/site/core";
import { findField, getFieldText } from "@octavo/site/text";
import { listRedirects, type ConfigurationFile } from "../../configuration.ts";
import { isConfiguration, isSnippet, toPagePath } from "../../pages.ts";
import { callTool, callTools, findAnswerError, splitIntoBatches } from "../../plan.ts";
import type { Plan, ToolAnswer, ToolCall } from "../../plan.ts";
import {
  readFiles,
  readMatches,
  readStarts,
  searchFiles,
  toObjects,
  toStrings,
} from "../../site-tools.ts";
import type { Listing } from "../../site-tools.ts";
import {
  createLinkedText,
  getLinkText,
  hasAnchorId,
  listAnchors,
  listHeadings,
} from "../../text/links.ts";
import type { LinkedText } from "../../text/links.ts";
import {
  foldPathLetters,
  getEdition,
  isSameEdition,
  joinPath,
  listAddressForms,
  normalizeAddress,
} from "../page-path.ts";
import { escapePattern } from "../words.ts";
import { listAnchorPages } from "./anchor-repair.ts";
import { minCertainSimilarity, parseUnresolvedLink } from "./broken-links.ts";
import type { BrokenLink, LinkFacts, RewordedHeadings } from "./broken-links.ts";
import { rankCandidates } from "./link-evidence.ts";
import { createVersionMatcher } from "./page-versions.ts";
import { createSiteIndex, findFolderMoves, findInOwnEdition } from "./site-index.ts";
import type { FormerPage, PageTitle, SiteIndex } from "./site-index.ts";

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

/** Each field has its own colon, because the search looks for all text that a match must contain. */
const fields = "^(?:title:|sidebarTitle:|openapi:|api:|asyncapi:)";

const headLines = 40;

/** The maximum number of files to read if a search is incomplete. */
const maxReads = 1_000;

/** Reads titles by page path with few searches. A title is empty if the page has none or could not be read. */
function* readTitles(files: readonly string[]): Plan<ReadonlyMap<string, PageTitle>> {
  const { matches, unsearched } = yield* searchFiles([{ query: fields, isRegex: true }], files);
  const lines = matches.filter(({ line }) => line <= headLines);
  const found = [...Map.groupBy(lines, ({ file }) => file)].map(
    ([file, own]) => [file, `---\n${own.map(({ text }) => text).join("\n")}\n---\n`] as const,
  );
  const starts = yield* readStarts(unsearched.slice(0, maxReads), headLines);
  const heads = new Map([...found, ...starts]);
  return new Map(files.map((file) => [toPagePath(file), parsePageTitle(heads.get(file) ?? "")]));
}

function parsePageTitle(head: string): PageTitle {
  const field = (key: string) => getFieldText(head, findField(head, key));
  const isOperation = ["openapi", "api", "asyncapi"].some((key) => field(key) !== "");
  return { title: field("title"), sidebarTitle: field("sidebarTitle"), isOperation };
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
  facts(): LinkFacts;
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
  const former = listRenamedPages(lost, site.pages);
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

  let known: LinkFacts | undefined;
  const facts = () => (known ??= readFacts());

  function readFacts(): LinkFacts {
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

/** Reports whether an address is explained neither by a different form of it nor by a redirect or the history. */
function isUnknown(address: string, { index, lost }: LinkFacts): boolean {
  const isKnown = index.alike(address).length > 0 || index.redirectsFrom(address).length > 0;
  return !isKnown && lost.get(address)?.renamedTo === undefined;
}

const maxCandidates = 3;

/** The pages to which a link may refer. */
interface DoubtfulPages {
  readonly pages: readonly string[];
  /** Whether the first page is certain, and therefore the only one. */
  readonly isCertain: boolean;
  /** Whether links to the address name anchors. */
  readonly hasAnchors: boolean;
}

function findDoubtfulPages(link: BrokenLink, facts: LinkFacts): DoubtfulPages {
  const lost = link.kind === "anchor" ? undefined : parseUnresolvedLink(link);
  const none = { pages: [], isCertain: false, hasAnchors: false };
  if (lost === undefined || "reason" in lost) return none;
  const words = facts.wordsOf(lost.wanted);
  const [best, ...others] = rankCandidates({ ...lost, words }, facts).slice(0, maxCandidates);
  if (best === undefined) return none;
  const pages = [best, ...(best.isCertain ? [] : others)].map(({ page }) => page);
  const { isCertain } = best;
  return { pages, isCertain, hasAnchors: facts.anchorsTo(lost.wanted).length > 0 };
}

/**
 * Returns pages that may now contain a missing page as a section. With a history this is unnecessary, because the
 * history shows it.
 */
function listPagesWithAnchors(wanted: readonly string[], facts: LinkFacts): readonly string[] {
  if (facts.hasHistory) return [];
  const folders = wanted
    .filter((address) => facts.anchorsTo(address).length > 0)
    .map((address) => facts.index.pagesIn(getParentFolder(address)))
    .filter((pages) => pages.length <= maxFolder);
  return [...new Set(folders.flat())].slice(0, maxRead);
}

/**
 * Creates a function that reports whether pages of a language or version link to pages outside its folder for which the
 * folder contains counterparts. If so, the targets of their links must not be searched for in the folder. `texts`
 * contains the texts that were read, by file. Each edition is checked once.
 */
function createEditionLinkChecker(
  texts: ReadonlyMap<string, string>,
  index: SiteIndex,
): (from: string | undefined) => boolean {
  const known = new Map<string, boolean>();
  const isLeft = (path: string, page: string): boolean => {
    const found = index.pageAt(path);
    const isThere = found !== undefined && normalizeAddress(found) === path;
    return isThere && findInOwnEdition(path, page, index) !== undefined;
  };
  return (from) => {
    if (from === undefined) return false;
    const edition = getEdition(from);
    const isLeaving =
      known.get(edition) ??
      [...texts].some(
        ([file, text]) =>
          getEdition(file) === edition && listRootPaths(text).some((path) => isLeft(path, file)),
      );
    known.set(edition, isLeaving);
    return isLeaving;
  };
}

/** Returns the paths in links from the root, in Markdown and in tags. */
function listRootPaths(text: string): readonly string[] {
  const found = text.matchAll(/(?:\]\(|\bhref=["'])\/([^\s)"'#?]+)/g);
  return [...found].map(([, path = ""]) => normalizeAddress(path));
}

/** Collects the facts from links whose addresses do not lead to a page. */
function collectUnresolvedAddresses(
  open: readonly BrokenLink[],
  linked: ReadonlyMap<string, LinkedText>,
) {
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
    wordsOf: (address: string) => words.get(address) ?? [],
    anchorsTo: (address: string) => [...(anchors.get(address) ?? [])],
    isLinkedFrom: (address: string, page: string) => sources.get(address)?.has(page) ?? false,
    lostNamed: (name: string) => byName.get(foldPathLetters(name)) ?? [],
  };
}

/** Returns former addresses that the history proves, with the pages that had them. */
function listRenamedPages(
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
  const named = groupFilesByAddress(matches);
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
function groupFilesByAddress(
  matches: ReturnType<typeof readMatches>,
): ReadonlyMap<string, readonly string[]> {
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

/** The maximum number of pages to read in order to find missing pages. */
const maxCompared = 1_000;

/** Reads the pages that are needed to find missing pages, and caches the results. */
function createVersionReader(sitePages: readonly string[], reader: PageReader) {
  const { fileOf, texts } = reader;
  const matcher = createVersionMatcher(sitePages, (page) => texts.get(fileOf(page) ?? ""));
  const found = new Map<string, string | undefined>();
  return {
    /**
     * Returns the page that now has the content of an address; undefined unless it is certain, or if nothing was read
     * for the address.
     */
    pageAt: (address: string) => found.get(address),
    *read(addresses: readonly string[]): Plan<void> {
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

const maxPaths = 1_000;
/** The texts that can be paths of pages in the repository. */
const plainPath = /^[^\s<>:"|?*\\{}]{1,500}$/;

/** Reports whether the site has a history, by querying the history of one existing page. */
function* hasHistory(files: readonly string[]): Plan<boolean> {
  const [file] = files;
  if (file === undefined) return false;
  const answer = yield* callTool("history", { path: file, limit: 1 });
  return findAnswerError(answer) === undefined && toObjects(answer.commits).length > 0;
}

/** Reads the new locations of missing pages, by the path in the links. */
function* readFormerPages(paths: readonly string[]): Plan<ReadonlyMap<string, FormerPage>> {
  const lost = new Map<string, FormerPage>();
  const asked = [...new Set(paths)].filter((path) => plainPath.test(path)).slice(0, maxPaths);
  const answers = yield* callTools(
    asked.map((path) => ({ tool: "history", input: { path, limit: 1 } })),
  );
  for (const [index, path] of asked.entries()) {
    const { gone, renamedTo, similarity, mergedInto } = answers[index] ?? {};
    if (typeof gone !== "object") continue;
    lost.set(path, {
      renamedTo: typeof renamedTo === "string" ? toPagePath(renamedTo) : undefined,
      similarity: typeof similarity === "number" ? similarity : 0,
      mergedInto: typeof mergedInto === "string" ? toPagePath(mergedInto) : undefined,
    });
  }
  return lost;
}

/** Reads how the headings of pages were reworded, by page path. */
function* readRewordings(
  files: readonly string[],
): Plan<ReadonlyMap<string, readonly RewordedHeadings[]>> {
  const asked = files.slice(0, maxPaths);
  const answers = yield* callTools(
    asked.map((path) => ({ tool: "history", input: { path, limit: 50, lines: "# " } })),
  );
  const rewordings = asked.map((file, index) => {
    const places = toObjects(answers[index]?.commits).flatMap(({ changes }) => toObjects(changes));
    const own = places.map(({ removed, added }) => ({
      removed: toStrings(removed),
      added: toStrings(added),
    }));
    return [toPagePath(file), own] as const;
  });
  return new Map(rewordings);
}

type PageReader = ReturnType<typeof createPageReader>;

/** Creates a reader that reads each page at most once and caches what its text contains. Pages are identified by path. */
function createPageReader({ files }: Listing) {
  const byPage = new Map(files.map((file) => [toPagePath(file), file]));
  const texts = new Map<string, string>();
  const textOf = (page: string): string | undefined => texts.get(byPage.get(page) ?? "");
  const sectionsOf = createCache(textOf, listHeadings);

  function* readOnce(wanted: readonly string[]): Plan<void> {
    const unread = new Set(wanted.filter((file) => !texts.has(file)));
    for (const [file, text] of yield* readFiles([...unread])) texts.set(file, text);
  }

  return {
    /** Every text that was read, by file. */
    texts: texts as ReadonlyMap<string, string>,
    fileOf: (page: string) => byPage.get(page),
    readFiles: readOnce,
    read: (pages: readonly string[]) => readOnce(pages.flatMap((page) => byPage.get(page) ?? [])),
    anchorsOf: createCache(textOf, listAnchors),
    sectionsOf: (page: string) => sectionsOf(page) ?? [],
  };
}

/** Caches values derived from a page's text; undefined if the page was not read. */
function createCache<T>(
  textOf: (page: string) => string | undefined,
  read: (text: string) => T,
): (page: string) => T | undefined {
  const known = new Map<string, T>();
  return (page) => {
    const text = known.has(page) ? undefined : textOf(page);
    if (text !== undefined) known.set(page, read(text));
    return known.get(page);
  };
}
