import { getBaseName, getParentFolder } from "@octavo/site/core";
import { hasAnchorId, type Section } from "../../text/links.ts";
import {
  computeKindPenalty,
  findPageKind,
  foldPathLetters,
  getEdition,
  hasPageName,
  isSameEdition,
  isServingFolder,
  listAddressForms,
  normalizeAddress,
  stripEdition,
} from "../page-path.ts";
import { formatCode } from "../report-text.ts";
import {
  compareTitles,
  extractStems,
  hasInOrder,
  hasSameWords,
  isLikelyTypo,
  maxTypoLetters,
} from "../words.ts";
import { minCertainSimilarity, type LinkFacts, type UnresolvedLink } from "./broken-links.ts";
import { isParallelPage, type SiteIndex } from "./site-index.ts";

/** A piece of evidence for or against a page. */
interface Evidence {
  readonly page: string;
  readonly score: number;
  readonly reason: string;
  /** The address that the author probably meant, if it is not `targetPath`. */
  readonly meant?: string;
  /** Whether the page's name is the only evidence. */
  readonly isGuess?: boolean;
}

/** A page to which the link may refer, with the evidence for and against it. */
interface Candidate {
  readonly page: string;
  readonly score: number;
  /** The reasons, strongest first. */
  readonly reasons: readonly string[];
  /** Whether a single piece of evidence is decisive. */
  readonly isCertain: boolean;
}

/** The minimum score that is decisive by itself. */
const certainScore = 20;
/** The minimum score of evidence that does not rely on names alone. */
const knownScore = 7;
/** The score of a path that clearly leads to one page, even without further evidence. */
const strongScore = 12;

/** The matched page or anchor with its evidence, or the reason why there is no match. */
export type LinkMatch =
  | { readonly target: string; readonly because: string }
  | { readonly reason: string };

/** The minimum score of a match. */
const minScore = 6;
/** The minimum lead of a match over any other candidate. */
const minLead = 2;
/** Candidates with this score or a lower one are too unlikely to be suggested. */
const minOffer = -5;
/** The score against a page that contains the link, because a page rarely links to itself by its path. */
const ownLinkScore = -20;

/** Returns every page to which the link's path may refer, best first. */
export function rankCandidates(link: UnresolvedLink, facts: LinkFacts): readonly Candidate[] {
  const evidence = finders.flatMap((find) => find(link, facts));
  const pages = Map.groupBy(evidence, ({ page }) => page);
  const candidates = [...pages].map(([page, own]): Candidate => {
    // Pieces of evidence from the path overlap, so only the best one counts. Evidence from words is added to it.
    const [best] = own.toSorted((a, b) => b.score - a.score);
    const score = best?.score ?? 0;
    const corrected = { ...link, targetPath: best?.meant ?? link.targetPath };
    const others = score >= certainScore ? [] : collectEvidence(page, corrected, facts);
    if (score < knownScore && isInOtherPart(page, link, facts))
      others.push({ page, score: -5, reason: "it is in another part of the site" });
    if (best?.isGuess) {
      others.push(
        ...collectInboundEvidence(page, link, facts),
        ...collectCounterpartEvidence(page, link, facts),
      );
    }
    if (score < certainScore && facts.isLinkedFrom(link.targetPath, page)) {
      others.push({ page, score: ownLinkScore, reason: "it contains the broken link itself" });
    }
    const all = [...(best ? [best] : []), ...others];
    return {
      page,
      score: all.reduce((sum, { score }) => sum + score, 0),
      isCertain: score >= certainScore,
      reasons: [...new Set(all.map(({ reason }) => reason))],
    };
  });
  return candidates.toSorted((a, b) => b.score - a.score || (a.page < b.page ? -1 : 1));
}

type Finder = (link: UnresolvedLink, facts: LinkFacts) => readonly Evidence[];

const finders: readonly Finder[] = [
  matchForm,
  matchHistory,
  matchMergedPage,
  matchVersions,
  matchSection,
  matchRedirect,
  matchMovedFolders,
  matchWithoutPrefix,
  matchOtherFolders,
  matchName,
  matchTypo,
  matchRenamedSibling,
  matchRegrouped,
  matchCounterpart,
  matchLandingPage,
];

/** Matches the page at a different form of the address, and the page that formerly had the address. */
function matchForm({ targetPath }: UnresolvedLink, { index, formerPages }: LinkFacts): Evidence[] {
  const isRenamed = formerPages.get(targetPath)?.renamedTo !== undefined;
  const historyReason = isRenamed
    ? "the history says that it was renamed"
    : "another link to it was fixed";
  const isForm = (page: string) => foldPathLetters(page) === foldPathLetters(targetPath);
  return index.findAlike(targetPath).map((page) => ({
    page,
    score: certainScore,
    reason: isForm(page) ? "the same path in another form" : historyReason,
  }));
}

/**
 * Matches the page to which the missing page was renamed according to the history. This is decisive if the page kept
 * its name or most of its text.
 */
function matchHistory(
  { targetPath, linkTexts }: UnresolvedLink,
  { index, formerPages }: LinkFacts,
): Evidence[] {
  const former = formerPages.get(targetPath);
  const page = former?.renamedTo === undefined ? undefined : index.pageAt(former.renamedTo);
  if (former === undefined || page === undefined) return [];
  // The page's counterpart in another version must not be mistaken for the page itself.
  if (!isSameEdition(page, targetPath)) return [];
  const isSure =
    former.similarity >= minCertainSimilarity ||
    getBaseName(page) === getBaseName(targetPath) ||
    compareTitles(linkTexts, index.getTitles(page)) === "same";
  return [
    { page, score: isSure ? certainScore : 4, reason: "the history says that it was renamed" },
  ];
}

/** Matches the page that now contains the text of a deleted page. */
function matchMergedPage(
  { targetPath }: UnresolvedLink,
  { index, formerPages }: LinkFacts,
): Evidence[] {
  const into = formerPages.get(targetPath)?.mergedInto;
  const page = into === undefined ? undefined : index.pageAt(into);
  if (page === undefined || !isSameEdition(page, targetPath)) return [];
  return [{ page, score: certainScore, reason: "the history says that its text moved there" }];
}

function matchVersions({ targetPath }: UnresolvedLink, facts: LinkFacts): Evidence[] {
  const page = facts.findPageByVersions(targetPath);
  const reason = "only this page has the content that other versions have at that address";
  return page === undefined ? [] : [{ page, score: certainScore, reason }];
}

/**
 * Matches a page in the same folder that contains most of the anchors in links to the missing page. This is decisive if
 * the anchors are below a heading with the missing page's name; otherwise, the page must contain at least two of them.
 */
function matchSection(link: UnresolvedLink, facts: LinkFacts): Evidence[] {
  const section = "it has a section of that name with the anchors in these links";
  const found = facts.index
    .listPagesIn(getParentFolder(link.targetPath))
    .flatMap((page): Evidence[] => {
      const there = findSharedAnchors(page, link, facts);
      const within = there.filter((place) => isBelowNamedHeading(place, page, link, facts));
      // A heading of one word may occur in any section.
      const isTelling = within.length > 1 || within.some((place) => extractStems(place).length > 1);
      if (isTelling) return [{ page, score: certainScore, reason: section }];
      // Pages in one folder often share headings. If the page's title also differs from the link's text, the shared
      // headings are not evidence.
      const isMeant =
        there.length >= 2 && compareTitles(link.linkTexts, facts.index.getTitles(page)) !== "other";
      return isMeant ? [{ page, score: 2, reason: "a page in that folder", isGuess: true }] : [];
    });
  return found.filter(({ score }) => score < certainScore || found.length === 1);
}

/** Returns the anchors of the missing page that another page contains, if it contains most of them. */
function findSharedAnchors(
  page: string,
  { targetPath }: UnresolvedLink,
  facts: LinkFacts,
): readonly string[] {
  const [anchors, places] = [facts.getAnchors(page) ?? [], facts.listLinkedAnchors(targetPath)];
  const there = places.filter((place) => hasAnchorId(anchors, place));
  return there.length * 2 > places.length ? there : [];
}

/** Returns the texts of the headings above an anchor, nearest first. */
function listHeadingsAbove(place: string, sections: readonly Section[]): readonly string[] {
  const heading = sections.findIndex((section) => hasAnchorId([section], place));
  const at =
    heading === -1 ? sections.findIndex(({ text }) => text.includes(`id="${place}"`)) : heading;
  let level = heading === -1 ? Infinity : (sections[at]?.level ?? 0);
  const above: string[] = [];
  for (const section of sections.slice(0, at + 1).toReversed()) {
    if (section.level >= level) continue;
    level = section.level;
    above.push(section.label);
  }
  return above;
}

/** Reports whether a heading is below a heading with the name or title of the missing page. */
function isBelowNamedHeading(
  place: string,
  page: string,
  { targetPath, linkTexts }: UnresolvedLink,
  facts: LinkFacts,
): boolean {
  const name = extractStems(getBaseName(targetPath));
  return listHeadingsAbove(place, facts.getSections(page)).some((label) => {
    const own = extractStems(label);
    return name.every((word) => own.includes(word)) || compareTitles(linkTexts, [label]) === "same";
  });
}

function matchRedirect({ targetPath }: UnresolvedLink, { index }: LinkFacts): Evidence[] {
  return index
    .followRedirects(targetPath)
    .map((page) => ({ page, score: certainScore, reason: "a redirect leads there" }));
}

/** Matches the page that moved together with the other pages in the link's folder. */
function matchMovedFolders(
  { targetPath }: UnresolvedLink,
  { index, moves }: LinkFacts,
): Evidence[] {
  return moves(targetPath).flatMap(({ to, ...move }) => {
    const page = index.pageAt(to);
    // A guess must not lead to an address from which the page has since moved away.
    const isThere = page !== undefined && (!move.isGuess || normalizeAddress(page) === to);
    return isThere ? [{ page, ...move }] : [];
  });
}

/**
 * Matches the path without its prefix. `/docs/en/start` means `start` if the site has no folder `docs`, because many
 * sites are served under a prefix such as `docs`.
 */
function matchWithoutPrefix({ targetPath }: UnresolvedLink, { index }: LinkFacts): Evidence[] {
  const parts = targetPath.split("/");
  const evidence: Evidence[] = [];
  for (let depth = 1; depth < Math.min(parts.length, 4); depth++) {
    const dropped = parts.slice(0, depth);
    const meant = parts.slice(depth).join("/");
    const page = index.pageAt(meant);
    if (page === undefined || isOwnFolder(parts, depth, index)) continue;
    // The site's main language may not have a folder next to those of the other languages.
    const isServed = dropped.every(
      (part) => isServingFolder(part) || (part === "en" && !index.hasFolder(part)),
    );
    if (!isServed) continue;
    const reason = "the same path without its prefix";
    evidence.push({ page, score: strongScore, reason, meant });
  }
  return evidence;
}

/** Reports whether the prefix of an address is a folder of the site that may have contained the missing page. */
function isOwnFolder(parts: readonly string[], depth: number, index: SiteIndex): boolean {
  if (!index.hasFolder(parts[0] ?? "")) return false;
  const rest = parts.slice(depth);
  return rest.length === 1 || index.hasFolder(parts.slice(0, depth + 1).join("/"));
}

/** Matches the same path with more or fewer folders than in the link. */
function matchOtherFolders({ targetPath }: UnresolvedLink, { index }: LinkFacts): Evidence[] {
  const parts = targetPath.split("/");
  return index
    .listAddressesNamed(getBaseName(targetPath))
    .flatMap(([address, page]): Evidence[] => {
      const own = address.split("/");
      const [few, many] = own.length < parts.length ? [own, parts] : [parts, own];
      if (few.length === many.length || !hasInOrder(many, few)) return [];
      // A name alone does not identify one of several pages, whatever their titles.
      if (few.length === 1 && index.findNamed(getBaseName(targetPath)).length > 1) return [];
      if (isParallelPage(address, targetPath, index)) return [];
      const isEnd = few.every((part, at) => part === many[many.length - few.length + at]);
      const name = getBaseName(targetPath);
      const score =
        (few.length > 1 ? 5 : 3) -
        (index.isCommonName(name) ? 3 : 0) +
        (index.findNamed(name).length === 1 && index.findNamed(name).includes(page) ? 1 : 0) +
        (isEnd ? 1 : 0) +
        (few.length === 1 && extractStems(name).length > 1 ? 1 : 0);
      // If the page's path ends with the link's path, the link is probably that path without its first folders.
      const isGuess = !isEnd || own.length < parts.length;
      return [{ page, score, reason: "the same path except for a folder", isGuess }];
    });
}

/** Matches pages with the same name in any folder, unless the name is common. */
function matchName({ targetPath }: UnresolvedLink, { index }: LinkFacts): Evidence[] {
  const name = getBaseName(targetPath);
  if (index.isCommonName(name) || name.length < 3) return [];
  const isDistinct = extractStems(name).length > 1;
  const editions = Map.groupBy(index.findNamed(name), getEdition);
  const pages = index.findNamed(name).filter((page) => !isParallelPage(page, targetPath, index));
  return pages.map((page) => {
    const isOnly = editions.get(getEdition(page))?.length === 1;
    // If several pages share the name, it does not identify one of them, however distinctive it is.
    const some = isDistinct || isOnly ? 2 : 1;
    const score = isDistinct && isOnly ? 5 : some;
    const reason = isOnly ? "the only page with that name" : "a page with that name";
    return { page, score, reason, isGuess: true };
  });
}

/** Matches a typo in one segment if neither the site nor the link's text contains the misspelled word. */
function matchTypo(
  { targetPath, linkTexts }: UnresolvedLink,
  { index, formerPages }: LinkFacts,
): Evidence[] {
  // An address that existed was not a typo.
  if (formerPages.has(targetPath)) return [];
  // A text that repeats the address is not evidence.
  const texts = linkTexts.filter((text) => foldPathLetters(text) !== foldPathLetters(targetPath));
  const said = new Set(texts.flatMap(extractStems));
  const mine = targetPath.split("/");
  return [...index.addresses].flatMap(([address, page]): Evidence[] => {
    if (Math.abs(address.length - targetPath.length) > maxTypoLetters) return [];
    const theirs = address.split("/");
    if (mine.length !== theirs.length) return [];
    const different = mine.flatMap((part, at) => (part === theirs[at] ? [] : [at]));
    const [at] = different;
    if (at === undefined || different.length > 1 || !isSameEdition(address, targetPath)) return [];
    const [written = "", meant = ""] = [mine[at], theirs[at]];
    if (!isLikelyTypo(written, meant)) return [];
    const isWord = extractStems(written).every((word) => index.hasWord(word) || said.has(word));
    // The same typo rarely occurs twice. Several links more likely lead to a removed page, unless one of their texts
    // contains the correct word.
    const isSlip = linkTexts.length === 1 || extractStems(meant).every((word) => said.has(word));
    const typoScore = isSlip ? 9 : 4;
    const score = isWord ? 1 : typoScore;
    return [{ page, score, reason: "nearly the same path", meant: address }];
  });
}

/** Matches a page in the same folder whose name contains most of the link's words. */
function matchRenamedSibling({ targetPath }: UnresolvedLink, { index }: LinkFacts): Evidence[] {
  const folder = getParentFolder(targetPath);
  const name = getBaseName(targetPath);
  const mine = extractStems(name);
  // If a page elsewhere has the same name, the link's folder is just as likely to be wrong.
  const isElsewhere = mine.length === 1 && index.findNamed(name).length > 0;
  return index.listPagesIn(folder).flatMap((page): Evidence[] => {
    const theirs = extractStems(getBaseName(page));
    const shared = mine.filter((word) => theirs.includes(word)).length;
    const part = shared / Math.max(mine.length, theirs.length, 1);
    if (part < 0.5) return [];
    // A folder may contain both `namespace` and `namespacing`, but three words are not a coincidence.
    const isWhole = shared === Math.min(mine.length, theirs.length);
    const some = isElsewhere ? 1 : 3;
    const score = isWhole && shared >= 3 ? 6 : some;
    const reason = "a page in that folder with these words in its name";
    return [{ page, score, reason, isGuess: true }];
  });
}

/**
 * Matches the same sequence of words in different folders, because a folder may have been flattened or become a prefix.
 */
function matchRegrouped({ targetPath }: UnresolvedLink, { index }: LinkFacts): Evidence[] {
  const [page, ...others] = index.findByWords(targetPath);
  if (page === undefined || others.length > 0 || !targetPath.includes("/")) return [];
  return [{ page, score: 9, reason: "the same words in other folders" }];
}

/** Matches the only page with the title that another version has at the address. */
function matchCounterpart(link: UnresolvedLink, facts: LinkFacts): Evidence[] {
  const { targetPath } = link;
  const { index } = facts;
  const pages = new Set<string>();
  for (const other of index.listVersions(targetPath)) {
    const found = index
      .getTitles(other)
      .slice(0, 1)
      .flatMap((title) => index.findTitled(title));
    // A title that several pages share identifies none of them.
    if (found.filter((page) => isSameEdition(page, other)).length > 1) continue;
    for (const page of found) if (isSameEdition(page, targetPath)) pages.add(page);
  }
  const [page, ...others] = pages;
  if (page === undefined || others.length > 0) return [];
  if (findPageKind(page, index.isOperation(page)) !== findPageKind(targetPath, false)) return [];
  // Another part of the site may have a different page with that title.
  if (isInOtherPart(page, link, facts)) return [];
  const reason = "another version has a page with this title at that address";
  return [{ page, score: 7, reason, isGuess: true }];
}

const landingNames: readonly string[] = ["overview", "introduction", "intro"];

/** Matches the first page of a folder for a link to the folder. */
function matchLandingPage({ targetPath }: UnresolvedLink, { index }: LinkFacts): Evidence[] {
  return landingNames.flatMap((name) => {
    const page = index.pageAt(`${targetPath}/${name}`);
    const reason = "the first page of that folder";
    return page === undefined ? [] : [{ page, score: 5, reason, isGuess: true }];
  });
}

/**
 * Returns the page to which a broken link refers if the evidence for it is clearly the strongest. Otherwise, returns a
 * reason that names the best candidates, with the evidence for and against them.
 */
export function matchLink(link: UnresolvedLink, facts: LinkFacts): LinkMatch {
  if (link.targetPath === "") return { reason: "it names no page" };
  const candidates = rankCandidates(link, facts);
  const [best, second] = candidates.filter(({ score }) => score > minOffer);
  if (best === undefined) return { reason: explainNoCandidate(link, candidates, facts) };
  // The target of the redirect is missing, so a page that only has a similar name cannot replace it.
  if (!best.isCertain && facts.index.hasDeadRedirect(link.targetPath)) {
    return { reason: "a redirect leads from it to a missing page" };
  }
  const lead = best.score - Math.max(second?.score ?? 0, 0);
  if (best.score >= minScore && lead >= minLead) {
    return { target: best.page, because: best.reasons.join("; ") };
  }
  const others = second === undefined ? "" : `, or ${formatOffer(second)}`;
  const doubt = best.score >= minScore ? "ambiguous" : "not sure enough";
  return { reason: `${doubt}: perhaps ${formatOffer(best)}${others}` };
}

function explainNoCandidate(
  { targetPath }: UnresolvedLink,
  unlikely: readonly Candidate[],
  facts: LinkFacts,
): string {
  const former = facts.formerPages.get(targetPath);
  if (former !== undefined && former.renamedTo === undefined) {
    return "the page was deleted, and no other is similar";
  }
  const own = unlikely.find(
    ({ page, score }) => facts.isLinkedFrom(targetPath, page) && score - ownLinkScore > minOffer,
  );
  if (own === undefined) return "no similar page was found";
  return `only ${formatCode(`/${own.page}`)} is similar, and that page contains the link itself`;
}

function formatOffer({ page, reasons }: Candidate): string {
  return `${formatCode(`/${page}`)} (${reasons.join("; ")})`;
}

/** Collects evidence from the link's text, its anchor, the kind of page, the edition and the history. */
function collectEvidence(page: string, link: UnresolvedLink, facts: LinkFacts): Evidence[] {
  const { targetPath } = link;
  const { index, formerPages } = facts;
  const evidence = [
    ...collectTitleEvidence(page, link, index),
    ...collectAnchorEvidence(page, link, facts),
  ];
  const add = (score: number, reason: string) => evidence.push({ page, score, reason });
  const kinds = [
    findPageKind(targetPath, false),
    findPageKind(page, index.isOperation(page)),
  ] as const;
  // An address without folders does not indicate a kind of page.
  const difference = targetPath.includes("/") ? computeKindPenalty(...kinds) : 0;
  if (difference > 0) add(-difference, "it is a different kind of page");
  // If a redirect leads to a page in another version, the difference does not count against the page.
  const isItsAddress = index.addresses.get(targetPath) === page;
  if (!isItsAddress && !isSameEdition(page, targetPath) && !isRequestedEdition(page, link, facts))
    add(-20, "it is in another language or version");
  const isDeleted = listAddressForms(targetPath).some(
    (form) => formerPages.has(form) && formerPages.get(form)?.renamedTo === undefined,
  );
  if (isDeleted) add(-3, "the history says that the page was deleted");
  return evidence;
}

/** Compares a page's titles with the links' texts and the last part of their address. */
function collectTitleEvidence(
  page: string,
  { targetPath, linkTexts }: UnresolvedLink,
  index: SiteIndex,
): Evidence[] {
  const evidence: Evidence[] = [];
  const add = (score: number, reason: string) => evidence.push({ page, score, reason });
  const [name, titles] = [getBaseName(page), index.getTitles(page)];
  const match = compareTitles(linkTexts, [...titles, name]);
  const others = linkTexts.flatMap((text) => index.findTitled(text));
  const rivals = others.filter((other) => other !== page && isSameEdition(other, page));
  const isElsewhere = rivals.length > 0;
  // A title that other pages share is weak evidence, and no evidence if one of these pages also has the name in the
  // link.
  const isNamedElsewhere = rivals.some((rival) => hasPageName(rival, getBaseName(targetPath)));
  const sharedScore = isNamedElsewhere ? 0 : 1;
  if (match === "same") add(isElsewhere ? sharedScore : 3, "the link's text is its title");
  else if (match === "part") add(1.5, "the link's text partly matches its title");
  if (match !== "same" && isElsewhere) add(-4, "the link's text is the title of another page");
  else if (match === "other") add(-1.5, "its title does not match the link's text");
  const own = extractStems(getBaseName(targetPath));
  const isNamesake = titles.some((title) => hasSameWords(extractStems(title), own));
  // A page with the same name is already a candidate. Pages in other folders may belong to a different product.
  const isRenamed =
    getParentFolder(page) === getParentFolder(targetPath) &&
    foldPathLetters(name) !== foldPathLetters(getBaseName(targetPath));
  if (isNamesake && isRenamed && match !== "same") add(3, "its title matches the name in the link");
  return evidence;
}

/** Checks for the anchors in this link and in other links to the same address. */
function collectAnchorEvidence(
  page: string,
  { targetPath, anchor }: UnresolvedLink,
  facts: LinkFacts,
): Evidence[] {
  const places = facts.listLinkedAnchors(targetPath);
  const there = places.filter((place) => facts.hasAnchor(page, place) === true);
  // A template's headings occur on many pages, but two anchors in links are not a coincidence.
  if (there.length > 1 && there.length * 2 > places.length) {
    return [{ page, score: 7, reason: "it has the anchors in other links to that address" }];
  }
  const hasAnchor = anchor === "" ? undefined : facts.hasAnchor(page, anchor);
  if (hasAnchor === undefined) return [];
  return hasAnchor
    ? [{ page, score: 4, reason: "it has the link's anchor" }]
    : [{ page, score: -1, reason: "it does not have the link's anchor" }];
}

/**
 * Reports whether folders in the link still exist in the site while the page is in none of them. Different parts of the
 * site may have their own pages with the same name.
 */
function isInOtherPart(
  page: string,
  { targetPath }: UnresolvedLink,
  { index }: LinkFacts,
): boolean {
  // The version's folder is ignored, because it contains all pages of the version.
  const own = new Set(stripEdition(page).split("/").slice(0, -1));
  const there = stripEdition(targetPath)
    .split("/")
    .slice(0, -1)
    .filter((folder) => index.hasFolderNamed(folder));
  return there.length > 0 && !there.some((folder) => own.has(folder));
}

/**
 * Collects evidence from inbound links, which count against a page: until links are repaired, no link leads to a page
 * that has moved, so a page with inbound links probably existed before. The absence of links counts against the page if
 * other broken links may have led to it. It is not evidence if several pages share the name and only one link contains
 * the address, because that address may be a typo.
 */
function collectInboundEvidence(page: string, link: UnresolvedLink, facts: LinkFacts): Evidence[] {
  const { targetPath, linkTexts } = link;
  const isLinked = facts.hasInboundLink(page);
  if (isLinked === undefined) return [];
  if (isLinked) return [{ page, score: -4, reason: "other links lead to it" }];
  const name = getBaseName(normalizeAddress(page));
  const isOfEdition = (path: string) => isSameEdition(path, page);
  if (!hasPageName(page, getBaseName(targetPath))) return [];
  if (facts.listMissingByName(name).filter(isOfEdition).length > 1) {
    return [{ page, score: -1, reason: "other broken links end with that name, too" }];
  }
  const isOnly = facts.index.findNamed(name).filter(isOfEdition).length === 1;
  const isTelling = isOnly || linkTexts.length > 1;
  return isTelling ? [{ page, score: 3, reason: "no other link leads to it" }] : [];
}

/**
 * Collects evidence from counterparts. If other languages or versions have a page at the same address, the page
 * probably already existed, which counts against it. The exception is a link whose address is missing in all of them,
 * because the page then moved in all of them.
 */
function collectCounterpartEvidence(
  page: string,
  { targetPath }: UnresolvedLink,
  facts: LinkFacts,
): Evidence[] {
  const place = stripEdition(targetPath);
  const counterparts = facts.index.listVersions(normalizeAddress(page));
  if (stripEdition(normalizeAddress(page)) === place) return [];
  const missing = facts
    .listMissingByName(getBaseName(targetPath))
    .filter((address) => stripEdition(address) === place)
    .map(getEdition);
  if (counterparts.every((other) => missing.includes(getEdition(other)))) return [];
  return [{ page, score: -8, reason: "other versions have that page, too" }];
}

/** Reports whether a page is in the edition of the link, and the link cannot refer to a different edition. */
function isRequestedEdition(
  page: string,
  { targetPath, sourcePage }: UnresolvedLink,
  facts: LinkFacts,
): boolean {
  const [first = ""] = targetPath.split("/");
  const isPlain =
    isSameEdition(targetPath, "") &&
    !facts.index.hasFolder(first) &&
    !facts.leavesEdition(sourcePage);
  return isPlain && sourcePage !== undefined && isSameEdition(page, sourcePage);
}
