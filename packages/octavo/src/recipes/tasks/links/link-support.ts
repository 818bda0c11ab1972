import { getBaseName, getParentFolder } from "@octavo/site/core";
import {
  findPageKind,
  foldPathLetters,
  getEdition,
  isSameEdition,
  listAddressForms,
  normalizeAddress,
  stripEdition,
} from "../page-path.ts";
import type { PageKind } from "../page-path.ts";
import { compareTitles, extractStems, hasSameWords } from "../words.ts";
import type { Evidence, LinkFacts, UnresolvedLink } from "./link-facts.ts";
import type { SiteIndex } from "./site-index.ts";

/** Collects evidence other than the link's path: from its text, the kind of page and the rest of the address. */
export function collectEvidence(page: string, link: UnresolvedLink, facts: LinkFacts): Evidence[] {
  const { wanted, from } = link;
  const { index, lost } = facts;
  const evidence = [
    ...collectTitleEvidence(page, link, index),
    ...collectAnchorEvidence(page, link, facts),
  ];
  const add = (score: number, reason: string) => evidence.push({ page, score, reason });
  const kinds = [findPageKind(wanted, false), findPageKind(page, index.isOperation(page))] as const;
  // An address without folders does not indicate a kind of page.
  const difference = wanted.includes("/") ? kindDifference(...kinds) : 0;
  if (difference > 0) add(-difference, "it is a different kind of page");
  // A redirect may lead to another version. Its address then means that target.
  const isItsAddress = index.addresses.get(wanted) === page;
  if (
    !isItsAddress &&
    !isSameEdition(page, wanted) &&
    !isRequestedEdition(page, { wanted, from }, facts)
  ) {
    add(-20, "it is in another language or version");
  }
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
  const isNamedElsewhere = rivals.some((rival) => hasName(rival, getBaseName(wanted)));
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

function hasName(page: string, name: string): boolean {
  return foldPathLetters(getBaseName(normalizeAddress(page))) === foldPathLetters(name);
}

/**
 * Reports whether folders in the link still exist in the site while the page is in none of them. Different parts of the
 * site may have their own pages with the same name.
 */
export function isInOtherPart(
  page: string,
  { wanted }: UnresolvedLink,
  { index }: LinkFacts,
): boolean {
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
export function collectInboundEvidence(
  page: string,
  link: UnresolvedLink,
  facts: LinkFacts,
): Evidence[] {
  const { wanted, words } = link;
  const isLinked = facts.hasInbound(page);
  if (isLinked === undefined) return [];
  if (isLinked) return [{ page, score: -4, reason: "other links lead to it" }];
  const name = getBaseName(normalizeAddress(page));
  const isOfEdition = (path: string) => isSameEdition(path, page);
  if (!hasName(page, getBaseName(wanted))) return [];
  if (facts.lostNamed(name).filter(isOfEdition).length > 1) {
    return [{ page, score: -1, reason: "other broken links have that name, too" }];
  }
  const isOnly = facts.index.named(name).filter(isOfEdition).length === 1;
  const isTelling = isOnly || words.length > 1;
  return isTelling ? [{ page, score: 3, reason: "no other link leads to it" }] : [];
}

/**
 * Collects evidence from counterparts. A page that other languages or versions also have at its address was there
 * before. The exception is that the address is also missing in all of them, because then the page moved in all of them.
 */
export function collectCounterpartEvidence(
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
  { wanted, from }: Pick<UnresolvedLink, "wanted" | "from">,
  facts: LinkFacts,
): boolean {
  const [first = ""] = wanted.split("/");
  const isPlain =
    isSameEdition(wanted, "") && !facts.index.hasFolder(first) && !facts.leavesEdition(from);
  return isPlain && from !== undefined && isSameEdition(page, from);
}

/** Returns the score by which a difference in kind counts against a page. */
function kindDifference(wanted: PageKind | undefined, found: PageKind | undefined): number {
  if (wanted === found) return 0;
  if (wanted !== undefined && found !== undefined) return 20;
  // Most pages without an indication are explanations.
  return [wanted, found].includes("guide") ? 0 : 2;
}
