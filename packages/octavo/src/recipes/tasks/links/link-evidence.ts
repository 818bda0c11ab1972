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
  /** The address that was probably intended, if it is different. */
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
const certain = 20;
/** The score of evidence that does not rely on names. */
const known = 7;
/** The score if the path clearly points to one page, even without further evidence. */
const strong = 12;

/** The matched page or anchor with its evidence, or the reason why there is no match. */
export type LinkMatch =
  | { readonly found: string; readonly because: string }
  | { readonly reason: string };

/** The minimum score of a match. `minLead` is its minimum lead over any other candidate. */
const minScore = 6;
const minLead = 2;
/** The score up to which candidates are too unlikely to be suggested. */
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
    const meant = { ...link, wanted: best?.meant ?? link.wanted };
    const others = score >= certain ? [] : collectEvidence(page, meant, facts);
    if (score < known && isInOtherPart(page, link, facts))
      others.push({ page, score: -5, reason: "it is in another part of the site" });
    if (best?.isGuess) {
      others.push(
        ...collectInboundEvidence(page, link, facts),
        ...collectCounterpartEvidence(page, link, facts),
      );
    }
    if (score < certain && facts.isLinkedFrom(link.wanted, page)) {
      others.push({ page, score: ownLinkScore, reason: "it contains such a link itself" });
    }
    const all = [...(best ? [best] : []), ...others];
    return {
      page,
      score: all.reduce((sum, { score }) => sum + score, 0),
      isCertain: score >= certain,
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

/** Matches the page at a different form of the address, and the page that used to have the address. */
function matchForm({ wanted }: UnresolvedLink, { index, lost }: LinkFacts): Evidence[] {
  const isRenamed = lost.get(wanted)?.renamedTo !== undefined;
  const historyReason = isRenamed
    ? "the history says that it was renamed"
    : "another link to it was fixed";
  const isForm = (page: string) => foldPathLetters(page) === foldPathLetters(wanted);
  return index.alike(wanted).map((page) => ({
    page,
    score: certain,
    reason: isForm(page) ? "the same path in another form" : historyReason,
  }));
}

/**
 * Matches the page to which the missing page was renamed according to the history. This is decisive if the page kept
 * its name or most of its text.
 */
function matchHistory({ wanted, words }: UnresolvedLink, { index, lost }: LinkFacts): Evidence[] {
  const went = lost.get(wanted);
  const page = went?.renamedTo === undefined ? undefined : index.pageAt(went.renamedTo);
  if (went === undefined || page === undefined) return [];
  // The copy of a page in another version must not be mistaken for the page itself.
  if (!isSameEdition(page, wanted)) return [];
  const isSure =
    went.similarity >= minCertainSimilarity ||
    getBaseName(page) === getBaseName(wanted) ||
    compareTitles(words, index.titlesOf(page)) === "same";
  return [{ page, score: isSure ? certain : 4, reason: "the history says that it was renamed" }];
}

/** Matches the page that now contains the text of a deleted page. */
function matchMergedPage({ wanted }: UnresolvedLink, { index, lost }: LinkFacts): Evidence[] {
  const into = lost.get(wanted)?.mergedInto;
  const page = into === undefined ? undefined : index.pageAt(into);
  if (page === undefined || !isSameEdition(page, wanted)) return [];
  return [{ page, score: certain, reason: "the history says that its text moved there" }];
}

function matchVersions({ wanted }: UnresolvedLink, facts: LinkFacts): Evidence[] {
  const page = facts.pageByVersions(wanted);
  const reason = "only it has the content that another language or version has at that address";
  return page === undefined ? [] : [{ page, score: certain, reason }];
}

/**
 * Matches the page in the same folder that contains most of the anchors that links name on the missing page. If the
 * missing page became a section, the anchors must be below a heading with its name; otherwise, at least two must be
 * present.
 */
function matchSection(link: UnresolvedLink, facts: LinkFacts): Evidence[] {
  const section = "it has a section with that name and the anchors that links name";
  const found = facts.index.pagesIn(getParentFolder(link.wanted)).flatMap((page): Evidence[] => {
    const there = findSharedAnchors(page, link, facts);
    const within = there.filter((place) => isWithinNamed(place, page, link, facts));
    // Any section may contain a heading of one word.
    const isTelling = within.length > 1 || within.some((place) => extractStems(place).length > 1);
    if (isTelling) return [{ page, score: certain, reason: section }];
    // Pages in one folder often share headings. If the title is different, this page is only one of them.
    const isMeant =
      there.length >= 2 && compareTitles(link.words, facts.index.titlesOf(page)) !== "other";
    return isMeant ? [{ page, score: 2, reason: "a page of that folder", isGuess: true }] : [];
  });
  return found.filter(({ score }) => score < certain || found.length === 1);
}

/** Returns the anchors of the missing page that another page contains, if it contains most of them. */
function findSharedAnchors(
  page: string,
  { wanted }: UnresolvedLink,
  facts: LinkFacts,
): readonly string[] {
  const [anchors, places] = [facts.anchorsOf(page) ?? [], facts.anchorsTo(wanted)];
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

/** Reports whether a heading is below one with the name or title of the missing page. */
function isWithinNamed(
  place: string,
  page: string,
  { wanted, words }: UnresolvedLink,
  facts: LinkFacts,
): boolean {
  const name = extractStems(getBaseName(wanted));
  return listHeadingsAbove(place, facts.sectionsOf(page)).some((label) => {
    const own = extractStems(label);
    return name.every((word) => own.includes(word)) || compareTitles(words, [label]) === "same";
  });
}

function matchRedirect({ wanted }: UnresolvedLink, { index }: LinkFacts): Evidence[] {
  return index
    .redirectsFrom(wanted)
    .map((page) => ({ page, score: certain, reason: "a redirect leads there" }));
}

/** Matches the page that moved together with the others in the link's folder. */
function matchMovedFolders({ wanted }: UnresolvedLink, { index, moves }: LinkFacts): Evidence[] {
  return moves.from(wanted).flatMap(({ to, ...move }) => {
    const page = index.pageAt(to);
    // A guess must not lead to an address that the page itself has since left.
    const isThere = page !== undefined && (!move.isGuess || normalizeAddress(page) === to);
    return isThere ? [{ page, ...move }] : [];
  });
}

/**
 * Matches the path without its prefix. `/docs/en/start` means `start` if the site has no folder `docs`, because many
 * sites are served from such a folder.
 */
function matchWithoutPrefix({ wanted }: UnresolvedLink, { index }: LinkFacts): Evidence[] {
  const parts = wanted.split("/");
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
    evidence.push({ page, score: strong, reason, meant });
  }
  return evidence;
}

/** Reports whether the prefix of an address is a folder of the site, which may have contained the page itself. */
function isOwnFolder(parts: readonly string[], depth: number, index: SiteIndex): boolean {
  if (!index.hasFolder(parts[0] ?? "")) return false;
  const rest = parts.slice(depth);
  return rest.length === 1 || index.hasFolder(parts.slice(0, depth + 1).join("/"));
}

/** Matches the same path with more or fewer folders than in the link. */
function matchOtherFolders({ wanted }: UnresolvedLink, { index }: LinkFacts): Evidence[] {
  const parts = wanted.split("/");
  return index.addressesNamed(getBaseName(wanted)).flatMap(([address, page]): Evidence[] => {
    const own = address.split("/");
    const [few, many] = own.length < parts.length ? [own, parts] : [parts, own];
    if (few.length === many.length || !hasInOrder(many, few)) return [];
    // A name alone does not identify one of several pages, whatever their titles.
    if (few.length === 1 && index.named(getBaseName(wanted)).length > 1) return [];
    if (isParallelPage(address, wanted, index)) return [];
    const isEnd = few.every((part, at) => part === many[many.length - few.length + at]);
    const name = getBaseName(wanted);
    const score =
      (few.length > 1 ? 5 : 3) -
      (index.isCommonName(name) ? 3 : 0) +
      (index.named(name).length === 1 && index.named(name).includes(page) ? 1 : 0) +
      (isEnd ? 1 : 0) +
      (few.length === 1 && extractStems(name).length > 1 ? 1 : 0);
    // A link that is the end of the page's path is probably that path, shortened.
    const isGuess = !isEnd || own.length < parts.length;
    return [{ page, score, reason: "the same path except for a folder", isGuess }];
  });
}

/** Matches pages elsewhere with the same name, unless the name is common. */
function matchName({ wanted }: UnresolvedLink, { index }: LinkFacts): Evidence[] {
  const name = getBaseName(wanted);
  if (index.isCommonName(name) || name.length < 3) return [];
  const isDistinct = extractStems(name).length > 1;
  const editions = Map.groupBy(index.named(name), getEdition);
  const pages = index.named(name).filter((page) => !isParallelPage(page, wanted, index));
  return pages.map((page) => {
    const isOnly = editions.get(getEdition(page))?.length === 1;
    // Several pages share the name, so it does not identify one of them, however distinct it is.
    const some = isDistinct || isOnly ? 2 : 1;
    const score = isDistinct && isOnly ? 5 : some;
    const reason = isOnly ? "the only page with that name" : "a page with that name";
    return { page, score, reason, isGuess: true };
  });
}

/** Matches a typo in one segment if neither the site nor the link's text contains the misspelled word. */
function matchTypo({ wanted, words }: UnresolvedLink, { index, lost }: LinkFacts): Evidence[] {
  // An address that existed was not a typo.
  if (lost.has(wanted)) return [];
  // A text that repeats the address is not evidence.
  const texts = words.filter((text) => foldPathLetters(text) !== foldPathLetters(wanted));
  const said = new Set(texts.flatMap(extractStems));
  const mine = wanted.split("/");
  return [...index.addresses].flatMap(([address, page]): Evidence[] => {
    if (Math.abs(address.length - wanted.length) > maxTypoLetters) return [];
    const theirs = address.split("/");
    if (mine.length !== theirs.length) return [];
    const different = mine.flatMap((part, at) => (part === theirs[at] ? [] : [at]));
    const [at] = different;
    if (at === undefined || different.length > 1 || !isSameEdition(address, wanted)) return [];
    const [written = "", meant = ""] = [mine[at], theirs[at]];
    if (!isLikelyTypo(written, meant)) return [];
    const isWord = extractStems(written).every((word) => index.hasWord(word) || said.has(word));
    // The same typo rarely occurs twice. Several links more likely name a removed page, unless one of their texts
    // contains the correct word.
    const isSlip = words.length === 1 || extractStems(meant).every((word) => said.has(word));
    const typoScore = isSlip ? 9 : 4;
    const score = isWord ? 1 : typoScore;
    return [{ page, score, reason: "nearly the same path", meant: address }];
  });
}

/** Matches a page in the same folder whose name contains most of the link's words. */
function matchRenamedSibling({ wanted }: UnresolvedLink, { index }: LinkFacts): Evidence[] {
  const folder = getParentFolder(wanted);
  const name = getBaseName(wanted);
  const mine = extractStems(name);
  // The folder is equally likely to be wrong.
  const isElsewhere = mine.length === 1 && index.named(name).length > 0;
  return index.pagesIn(folder).flatMap((page): Evidence[] => {
    const theirs = extractStems(getBaseName(page));
    const shared = mine.filter((word) => theirs.includes(word)).length;
    const part = shared / Math.max(mine.length, theirs.length, 1);
    if (part < 0.5) return [];
    // A folder may contain both `namespace` and `namespacing`, but three words are not a coincidence.
    const isWhole = shared === Math.min(mine.length, theirs.length);
    const some = isElsewhere ? 1 : 3;
    const score = isWhole && shared >= 3 ? 6 : some;
    const reason = "a page of that folder with these words in its name";
    return [{ page, score, reason, isGuess: true }];
  });
}

/**
 * Matches the same words in a row with different folders, because a folder may have been flattened or become a prefix.
 */
function matchRegrouped({ wanted }: UnresolvedLink, { index }: LinkFacts): Evidence[] {
  const [page, ...others] = index.sameWords(wanted);
  if (page === undefined || others.length > 0 || !wanted.includes("/")) return [];
  return [{ page, score: 9, reason: "the same words, with other folders" }];
}

/** Matches the only page with the title that another version has at the address. */
function matchCounterpart(link: UnresolvedLink, facts: LinkFacts): Evidence[] {
  const { wanted } = link;
  const { index } = facts;
  const pages = new Set<string>();
  for (const other of index.counterparts(wanted)) {
    const found = index
      .titlesOf(other)
      .slice(0, 1)
      .flatMap((title) => index.titled(title));
    // A title that several pages share does not identify one of them.
    if (found.filter((page) => isSameEdition(page, other)).length > 1) continue;
    for (const page of found) if (isSameEdition(page, wanted)) pages.add(page);
  }
  const [page, ...others] = pages;
  if (page === undefined || others.length > 0) return [];
  if (findPageKind(page, index.isOperation(page)) !== findPageKind(wanted, false)) return [];
  // Another part of the site may have a different page with that title.
  if (isInOtherPart(page, link, facts)) return [];
  const reason = "another version has a page with this title at that address";
  return [{ page, score: 7, reason, isGuess: true }];
}

const landingNames: readonly string[] = ["overview", "introduction", "intro"];

/** Matches the first page of a folder for a link to the folder. */
function matchLandingPage({ wanted }: UnresolvedLink, { index }: LinkFacts): Evidence[] {
  return landingNames.flatMap((name) => {
    const page = index.pageAt(`${wanted}/${name}`);
    const reason = "the first page of that folder";
    return page === undefined ? [] : [{ page, score: 5, reason, isGuess: true }];
  });
}

/**
 * Returns the page to which a broken link refers if its evidence is clearly the strongest. If two pages are close or
 * the match is uncertain, returns the two best candidates, with the evidence for and against them.
 */
export function matchLink(link: UnresolvedLink, facts: LinkFacts): LinkMatch {
  if (link.wanted === "") return { reason: "it names nothing" };
  const candidates = rankCandidates(link, facts);
  const [best, second] = candidates.filter(({ score }) => score > minOffer);
  if (best === undefined) return { reason: explainNoCandidate(link, candidates, facts) };
  // The redirect names its target, so a page with the same name cannot replace it.
  if (!best.isCertain && facts.index.hasDeadRedirect(link.wanted)) {
    return { reason: "a redirect leads from it to a missing page" };
  }
  const lead = best.score - Math.max(second?.score ?? 0, 0);
  if (best.score >= minScore && lead >= minLead) {
    return { found: best.page, because: best.reasons.join("; ") };
  }
  const others = second === undefined ? "" : `, or ${offer(second)}`;
  const doubt = best.score >= minScore ? "ambiguous" : "not sure enough";
  return { reason: `${doubt}: perhaps ${offer(best)}${others}` };
}

function explainNoCandidate(
  { wanted }: UnresolvedLink,
  unlikely: readonly Candidate[],
  facts: LinkFacts,
): string {
  const went = facts.lost.get(wanted);
  if (went !== undefined && went.renamedTo === undefined) {
    return "the page was deleted, and no other is similar";
  }
  const own = unlikely.find(
    ({ page, score }) => facts.isLinkedFrom(wanted, page) && score - ownLinkScore > minOffer,
  );
  if (own === undefined) return "no page is similar";
  return `only ${formatCode(`/${own.page}`)} is similar, and that page contains the link itself`;
}

function offer({ page, reasons }: Candidate): string {
  return `${formatCode(`/${page}`)} (${reasons.join("; ")})`;
}

/** Collects evidence other than the link's path: from its text, the kind of page and the rest of the address. */
function collectEvidence(page: string, link: UnresolvedLink, facts: LinkFacts): Evidence[] {
  const { wanted } = link;
  const { index, lost } = facts;
  const evidence = [
    ...collectTitleEvidence(page, link, index),
    ...collectAnchorEvidence(page, link, facts),
  ];
  const add = (score: number, reason: string) => evidence.push({ page, score, reason });
  const kinds = [findPageKind(wanted, false), findPageKind(page, index.isOperation(page))] as const;
  // An address without folders does not indicate a kind of page.
  const difference = wanted.includes("/") ? computeKindPenalty(...kinds) : 0;
  if (difference > 0) add(-difference, "it is a different kind of page");
  // A redirect may lead to another version. Its address then means that target.
  const isItsAddress = index.addresses.get(wanted) === page;
  if (!isItsAddress && !isSameEdition(page, wanted) && !isRequestedEdition(page, link, facts))
    add(-20, "it is in another language or version");
  const isDeleted = listAddressForms(wanted).some(
    (form) => lost.has(form) && lost.get(form)?.renamedTo === undefined,
  );
  if (isDeleted) add(-3, "the history says that the page was deleted");
  return evidence;
}

/** Compares titles with the links' texts and the last part of their address. */
function collectTitleEvidence(
  page: string,
  { wanted, words }: UnresolvedLink,
  index: SiteIndex,
): Evidence[] {
  const evidence: Evidence[] = [];
  const add = (score: number, reason: string) => evidence.push({ page, score, reason });
  const [name, titles] = [getBaseName(page), index.titlesOf(page)];
  const match = compareTitles(words, [...titles, name]);
  const others = words.flatMap((text) => index.titled(text));
  const rivals = others.filter((other) => other !== page && isSameEdition(other, page));
  const isElsewhere = rivals.length > 0;
  // Words that are the title of other pages as well hardly tell which one is meant, and not at all if one of those also
  // has the name in the link.
  const isNamedElsewhere = rivals.some((rival) => hasPageName(rival, getBaseName(wanted)));
  const sharedScore = isNamedElsewhere ? 0 : 1;
  if (match === "same") add(isElsewhere ? sharedScore : 3, "the link's words are its title");
  else if (match === "part") add(1.5, "the link's words are in its title");
  if (match !== "same" && isElsewhere) add(-4, "the link's words are the title of another page");
  else if (match === "other") add(-1.5, "its title says something else");
  const own = extractStems(getBaseName(wanted));
  const isNamesake = titles.some((title) => hasSameWords(extractStems(title), own));
  // A page with the name itself is already a candidate. Pages in other folders may belong to a different product.
  const isRenamed =
    getParentFolder(page) === getParentFolder(wanted) &&
    foldPathLetters(name) !== foldPathLetters(getBaseName(wanted));
  if (isNamesake && isRenamed && match !== "same") add(3, "its title is the name in the link");
  return evidence;
}

/** Checks for the anchors in this link and in other links to the same address. */
function collectAnchorEvidence(
  page: string,
  { wanted, anchor }: UnresolvedLink,
  facts: LinkFacts,
): Evidence[] {
  const places = facts.anchorsTo(wanted);
  const there = places.filter((place) => facts.hasAnchor(page, place) === true);
  // A template's headings occur on many pages, but two anchors in links are not a coincidence.
  if (there.length > 1 && there.length * 2 > places.length) {
    return [{ page, score: 7, reason: "it has the anchors that links to that address name" }];
  }
  const hasAnchor = anchor === "" ? undefined : facts.hasAnchor(page, anchor);
  if (hasAnchor === undefined) return [];
  return hasAnchor
    ? [{ page, score: 4, reason: "it has the anchor that the link names" }]
    : [{ page, score: -1, reason: "it does not have the anchor that the link names" }];
}

/**
 * Reports whether folders in the link still exist in the site while the page is in none of them. Different parts of the
 * site may have their own pages with the same name.
 */
function isInOtherPart(page: string, { wanted }: UnresolvedLink, { index }: LinkFacts): boolean {
  // Every page of a version is in that version's folder.
  const own = new Set(stripEdition(page).split("/").slice(0, -1));
  const there = stripEdition(wanted)
    .split("/")
    .slice(0, -1)
    .filter((folder) => index.hasFolderNamed(folder));
  return there.length > 0 && !there.some((folder) => own.has(folder));
}

/**
 * Collects evidence from inbound links, which count against a page. Until links are repaired, none leads to a page that
 * has moved, and a page with links probably existed before. The absence of links says nothing if other broken links may
 * have led to the page. It says little about one of several pages with the same name if only one link contains the
 * address, which may be a typo.
 */
function collectInboundEvidence(page: string, link: UnresolvedLink, facts: LinkFacts): Evidence[] {
  const { wanted, words } = link;
  const isLinked = facts.hasInbound(page);
  if (isLinked === undefined) return [];
  if (isLinked) return [{ page, score: -4, reason: "other links lead to it" }];
  const name = getBaseName(normalizeAddress(page));
  const isOfEdition = (path: string) => isSameEdition(path, page);
  if (!hasPageName(page, getBaseName(wanted))) return [];
  if (facts.lostNamed(name).filter(isOfEdition).length > 1) {
    return [{ page, score: -1, reason: "other broken links have that name, too" }];
  }
  const isOnly = facts.index.named(name).filter(isOfEdition).length === 1;
  const isTelling = isOnly || words.length > 1;
  return isTelling ? [{ page, score: 3, reason: "no other link leads to it" }] : [];
}

/**
 * Collects evidence from counterparts. A page that other languages or versions also have at its address already
 * existed. The exception is that the link's address is also missing in all of them, because then the page moved in all
 * of them.
 */
function collectCounterpartEvidence(
  page: string,
  { wanted }: UnresolvedLink,
  facts: LinkFacts,
): Evidence[] {
  const place = stripEdition(wanted);
  const counterparts = facts.index.counterparts(normalizeAddress(page));
  if (stripEdition(normalizeAddress(page)) === place) return [];
  const missing = facts
    .lostNamed(getBaseName(wanted))
    .filter((address) => stripEdition(address) === place)
    .map(getEdition);
  if (counterparts.every((other) => missing.includes(getEdition(other)))) return [];
  return [{ page, score: -8, reason: "other versions have that page, too" }];
}

/** Reports whether a page is in the edition of the link, and the link cannot refer to a different edition. */
function isRequestedEdition(
  page: string,
  { wanted, from }: UnresolvedLink,
  facts: LinkFacts,
): boolean {
  const [first = ""] = wanted.split("/");
  const isPlain =
    isSameEdition(wanted, "") && !facts.index.hasFolder(first) && !facts.leavesEdition(from);
  return isPlain && from !== undefined && isSameEdition(page, from);
}
