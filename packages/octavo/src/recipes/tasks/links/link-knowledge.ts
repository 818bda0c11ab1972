import { getBaseName, getParentFolder } from "@octavo/site/core";
import { findField, getFieldText } from "@octavo/site/text";
import { listRedirects, type ConfigurationFile } from "../../configuration.ts";
import { isConfiguration, isSnippet, toPagePath } from "../../pages.ts";
import { callTool, callTools, findAnswerError, splitIntoBatches } from "../../plan.ts";
import type { Plan } from "../../plan.ts";
import { readFiles, readStarts, searchFiles, toObjects, toStrings } from "../../site-tools.ts";
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

/** The number of page names in one search. */
const namesPerSearch = 20;
const maxPages = 400;

const linkStartPattern = String.raw`(?:\]\(|\bhref=\{?["'])`;

export function* readKnownSite(listing: Listing): Plan<KnownSite> {
  const files = listing.files.filter((file) => !isSnippet(file));
  return {
    listing,
    pages: files.map(toPagePath),
    titles: yield* readTitles(files),
    hasHistory: yield* hasHistory(files),
  };
}

/**
 * Matches lines with a title. Each alternative contains its own colon, so that the search can first look for the
 * alternatives as plain text.
 */
const titleFieldPattern = "^(?:title:|sidebarTitle:|openapi:|api:|asyncapi:)";

const headLines = 40;

/** The maximum number of files to read if a search is incomplete. */
const maxReads = 1_000;

/**
 * Reads the titles of pages with few searches and returns them by page path. A title is empty if the page has no title
 * or could not be read.
 */
function* readTitles(files: readonly string[]): Plan<ReadonlyMap<string, PageTitle>> {
  const { matches, unsearched } = yield* searchFiles(
    [{ query: titleFieldPattern, isRegex: true }],
    files,
  );
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

/** The maximum number of pages in a folder whose pages are read for anchors. */
const maxFolderPages = 60;
/** The maximum number of pages that are read for anchors in total. */
const maxRead = 400;

/** Everything that has been read from a site to repair its broken links. */
export interface RepairContext {
  /** Every text that was read, by file. */
  readonly texts: ReadonlyMap<string, string>;
  /** The texts that contain the links, by file. */
  readonly linked: ReadonlyMap<string, LinkedText>;
  /** Records that an address is a former address of a page. */
  addFormer(address: string, page: string): void;
  /** Reads further pages and runs further searches that help to choose between the possible targets of links. */
  readFurtherFacts(links: readonly BrokenLink[]): Plan<void>;
  getFacts(): LinkFacts;
}

export function* loadRepairContext(
  open: readonly BrokenLink[],
  site: KnownSite,
  configuration: readonly ConfigurationFile[],
): Plan<RepairContext> {
  const pages = createPageReader(site.listing);
  const { texts, getAnchors, getSections } = pages;
  yield* pages.readFiles(open.map(({ file }) => file).filter((file) => !isConfiguration(file)));
  yield* pages.read(open.flatMap((link) => listAnchorPages(link, site.pages)));
  const linked = new Map([...texts].map(([path, text]) => [path, createLinkedText(text)]));
  const { wanted, ...addresses } = collectUnresolvedAddresses(open, linked);
  const formerPages: ReadonlyMap<string, FormerPage> = site.hasHistory
    ? yield* readFormerPages(wanted.flatMap(listAddressForms))
    : new Map();
  const former = listRenamedPages(formerPages, site.pages);
  const rewordings = new Map<string, readonly RewordedHeadings[]>();
  const inbound = new Map<string, boolean>();
  const redirects = listRedirects(configuration);
  const versions = createVersionReader(site.pages, pages);

  let known: LinkFacts | undefined;
  const getFacts = () => (known ??= readFacts());

  function readFacts(): LinkFacts {
    const index = createSiteIndex({ ...site, redirects, former });
    return {
      ...addresses,
      index,
      formerPages,
      moves: findFolderMoves({ index, redirects, lost: formerPages, wanted }),
      configuration,
      getAnchors,
      getSections,
      getVersions: (page) =>
        index.listVersions(page).map((other) => ({ page: other, sections: getSections(other) })),
      hasHistory: site.hasHistory,
      getRewordings: (page) => rewordings.get(page) ?? [],
      findPageByVersions: versions.pageAt,
      leavesEdition: createEditionLinkChecker(texts, index),
      hasAnchor(page, anchor) {
        const anchors = getAnchors(page);
        return anchors && hasAnchorId(anchors, anchor);
      },
      hasInboundLink: (page) => inbound.get(page),
    };
  }

  return {
    texts,
    linked,
    addFormer(address, page) {
      if (former.get(address) !== page) known = undefined;
      former.set(address, page);
    },
    getFacts,
    *readFurtherFacts(links) {
      const now = getFacts();
      yield* versions.read(wanted.filter((address) => isUnknown(address, now)));
      yield* pages.read(listPagesWithAnchors(wanted, now));
      const candidates = links.flatMap((link) => findDoubtfulPages(link, now));
      const doubtful = candidates.filter(({ isCertain }) => !isCertain).map(({ page }) => page);
      const unknown = doubtful.filter((page) => !inbound.has(page));
      for (const [page, isLinked] of yield* findInboundLinks(unknown, site.listing))
        inbound.set(page, isLinked);
      const named = links.flatMap(({ anchorPage }) => anchorPage ?? []);
      const anchored = candidates.filter(({ hasAnchors }) => hasAnchors).map(({ page }) => page);
      const headed = [...new Set([...named, ...anchored])];
      yield* pages.read(headed);
      const unread = site.hasHistory ? headed.filter((page) => !rewordings.has(page)) : [];
      const found = yield* readRewordings(unread.flatMap((page) => pages.getFile(page) ?? []));
      for (const [page, own] of found) rewordings.set(page, own);
      yield* pages.read(headed.flatMap((page) => now.index.listVersions(page)).slice(0, maxRead));
    },
  };
}

/**
 * Reports whether an address is unknown: no page has a similar address, no redirect leads from it, and the history
 * contains no renaming.
 */
function isUnknown(address: string, { index, formerPages }: LinkFacts): boolean {
  const isKnown = index.findAlike(address).length > 0 || index.followRedirects(address).length > 0;
  return !isKnown && formerPages.get(address)?.renamedTo === undefined;
}

const maxCandidates = 3;

/**
 * Returns the pages to which a link may refer; only one if it is certain. `hasAnchors` is true if links to the address
 * contain anchors.
 */
function findDoubtfulPages(link: BrokenLink, facts: LinkFacts) {
  const lost = link.kind === "anchor" ? undefined : parseUnresolvedLink(link);
  if (lost === undefined || "reason" in lost) return [];
  const linkTexts = facts.getLinkTexts(lost.targetPath);
  const [best, ...others] = rankCandidates({ ...lost, linkTexts }, facts).slice(0, maxCandidates);
  if (best === undefined) return [];
  const { isCertain } = best;
  const hasAnchors = facts.listLinkedAnchors(lost.targetPath).length > 0;
  return [best, ...(isCertain ? [] : others)].map(({ page }) => ({ page, isCertain, hasAnchors }));
}

/**
 * Returns pages that may now contain a missing page as a section. Returns an empty list if the site has a history,
 * because the history shows which pages were merged.
 */
function listPagesWithAnchors(wanted: readonly string[], facts: LinkFacts): readonly string[] {
  if (facts.hasHistory) return [];
  const folders = wanted
    .filter((address) => facts.listLinkedAnchors(address).length > 0)
    .map((address) => facts.index.listPagesIn(getParentFolder(address)))
    .filter((pages) => pages.length <= maxFolderPages);
  return [...new Set(folders.flat())].slice(0, maxRead);
}

/**
 * Creates a function that reports whether pages of an edition (a language or version) link to pages outside the
 * edition's folder although the folder contains counterparts. If so, the targets of the edition's links must not be
 * looked up in the folder. `texts` contains the texts that were read, by file. Each edition is checked once.
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

/** Returns the paths of links that begin with a slash, in Markdown and in tags. */
function listRootPaths(text: string): readonly string[] {
  const found = text.matchAll(/(?:\]\(|\bhref=["'])\/([^\s)"'#?]+)/g);
  return [...found].map(([, path = ""]) => normalizeAddress(path));
}

/** Collects facts about the addresses in links that do not lead to a page. */
function collectUnresolvedAddresses(
  open: readonly BrokenLink[],
  linked: ReadonlyMap<string, LinkedText>,
) {
  const lost = open.flatMap((link) => {
    const read = link.kind === "anchor" ? undefined : parseUnresolvedLink(link);
    if (read === undefined || "reason" in read || read.targetPath === "") return [];
    const page = linked.get(link.file);
    return [{ ...read, text: page === undefined ? "" : getLinkText(page.text, page.find(link)) }];
  });
  const byAddress = Map.groupBy(lost, ({ targetPath }) => targetPath);
  const wanted = [...byAddress.keys()];
  const byName = Map.groupBy(wanted, (address) => foldPathLetters(getBaseName(address)));
  const getLinks = (address: string) => byAddress.get(address) ?? [];
  return {
    wanted,
    getLinkTexts: (address: string) => getLinks(address).map(({ text }) => text),
    listLinkedAnchors: (address: string) =>
      [...new Set(getLinks(address).map(({ anchor }) => anchor))].filter((anchor) => anchor !== ""),
    isLinkedFrom: (address: string, page: string) =>
      getLinks(address).some(({ sourcePage }) => sourcePage === page),
    listMissingByName: (name: string) => byName.get(foldPathLetters(name)) ?? [],
  };
}

/** Returns the former addresses that the history proves, with the pages that had them. */
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

/** Finds out for each page whether another file links to it. A page for which this is unknown is not in the result. */
function* findInboundLinks(
  pages: readonly string[],
  { files }: Listing,
): Plan<ReadonlyMap<string, boolean>> {
  const asked = [...new Set(pages)].filter((page) => getPageName(page) !== "").slice(0, maxPages);
  const names = [...new Set(asked.map(getPageName))].map(escapePattern);
  const queries = splitIntoBatches(names, namesPerSearch).map((some) => ({
    query: `${linkStartPattern}(?:[^)\\s"'#?]*/)?(?:${some.join("|")})(?:/?index)?/?(?:\\.mdx?)?[)\\s"'#?]`,
    isRegex: true,
  }));
  const { matches, unsearched } = yield* searchFiles(queries, asked.length === 0 ? [] : files);
  const texts = yield* readFiles(unsearched.slice(0, maxReads));
  const named = groupFilesByAddress([
    ...matches,
    ...[...texts].map(([file, text]) => ({ file, text })),
  ]);
  return new Map(
    asked.flatMap((page) => {
      const linking = named.get(normalizeAddress(page)) ?? [];
      const isLinked = linking.some((file) => toPagePath(file) !== page);
      return isLinked || texts.size === unsearched.length ? [[page, isLinked] as const] : [];
    }),
  );
}

function getPageName(page: string): string {
  return getBaseName(normalizeAddress(page));
}

/** Returns the files that link to each address. */
function groupFilesByAddress(
  matches: readonly { readonly file: string; readonly text: string }[],
): ReadonlyMap<string, readonly string[]> {
  const named = new Map<string, string[]>();
  const links = new RegExp(`${linkStartPattern}([^)\\s"'#?]+)`, "g");
  for (const { file, text } of matches) {
    for (const [, target = ""] of text.matchAll(links)) {
      const folder = target.startsWith(".") ? getParentFolder(file) : "";
      const address = normalizeAddress(joinPath(folder, target));
      named.set(address, [...(named.get(address) ?? []), file]);
    }
  }
  return named;
}

/** The maximum number of pages that are read to find missing pages by comparison with their other versions. */
const maxCompared = 1_000;

/** Creates a reader that finds missing pages by comparison with their other versions, and caches the results. */
function createVersionReader(sitePages: readonly string[], reader: PageReader) {
  const { getFile, texts } = reader;
  const matcher = createVersionMatcher(sitePages, (page) => texts.get(getFile(page) ?? ""));
  const found = new Map<string, string | undefined>();
  return {
    /**
     * Returns the page that now has the content of a missing page; undefined if this is uncertain or if `read` was not
     * called for the address.
     */
    pageAt: (address: string) => found.get(address),
    *read(addresses: readonly string[]): Plan<void> {
      const needed = new Set<string>();
      const compared = addresses.filter((address) => {
        const own = matcher.listPagesToRead(address).filter((page) => !needed.has(page));
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
/** Matches texts that can be paths of pages in the repository. */
const pathPattern = /^[^\s<>:"|?*\\{}]{1,500}$/;

/** Reports whether the site has a history, by querying the history of one existing page. */
function* hasHistory(files: readonly string[]): Plan<boolean> {
  const [file] = files;
  if (file === undefined) return false;
  const answer = yield* callTool("history", { path: file, limit: 1 });
  return findAnswerError(answer) === undefined && toObjects(answer.commits).length > 0;
}

/** Reads the history of missing pages, keyed by the path in the links. */
function* readFormerPages(paths: readonly string[]): Plan<ReadonlyMap<string, FormerPage>> {
  const lost = new Map<string, FormerPage>();
  const asked = [...new Set(paths)].filter((path) => pathPattern.test(path)).slice(0, maxPaths);
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

/**
 * Creates a reader that reads each page at most once and caches what its text contains. Pages are identified by path.
 */
function createPageReader({ files }: Listing) {
  const byPage = new Map(files.map((file) => [toPagePath(file), file]));
  const texts = new Map<string, string>();
  const getText = (page: string): string | undefined => texts.get(byPage.get(page) ?? "");
  const getSections = createCache(getText, listHeadings);

  function* readOnce(wanted: readonly string[]): Plan<void> {
    const unread = new Set(wanted.filter((file) => !texts.has(file)));
    for (const [file, text] of yield* readFiles([...unread])) texts.set(file, text);
  }

  return {
    /** Every text that was read, by file. */
    texts: texts as ReadonlyMap<string, string>,
    getFile: (page: string) => byPage.get(page),
    readFiles: readOnce,
    read: (pages: readonly string[]) => readOnce(pages.flatMap((page) => byPage.get(page) ?? [])),
    getAnchors: createCache(getText, listAnchors),
    getSections: (page: string) => getSections(page) ?? [],
  };
}

/**
 * Creates a function that derives a value from a page's text and caches it. It returns undefined if the page was not
 * read.
 */
function createCache<T>(
  getText: (page: string) => string | undefined,
  read: (text: string) => T,
): (page: string) => T | undefined {
  const known = new Map<string, T>();
  return (page) => {
    const text = known.has(page) ? undefined : getText(page);
    if (text !== undefined) known.set(page, read(text));
    return known.get(page);
  };
}
