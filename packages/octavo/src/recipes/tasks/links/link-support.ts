import { folderOf, lastPart } from "../../pages.ts";
import { editionOf, sameEdition, withoutEdition } from "./edition.ts";
import type { LinkFacts, LostLink, Sign } from "./link-facts.ts";
import { addressForms, pathLetters, plainAddress } from "../page-path.ts";
import type { SiteIndex } from "./site-index.ts";
import { kindOf } from "./page-kinds.ts";
import type { PageKind } from "./page-kinds.ts";
import { sameWords, titlesMatch, wordsOf } from "../words.ts";

/** Collects evidence beyond the link's path: from its text, the kind of page and the rest of the address. */
export function supportOf(page: string, link: LostLink, facts: LinkFacts): Sign[] {
  const { wanted, from } = link;
  const { index, lost } = facts;
  const signs = [...titleSigns(page, link, index), ...placeSigns(page, link, facts)];
  const add = (weight: number, reason: string) => signs.push({ page, weight, reason });
  const kinds = [kindOf(wanted, false), kindOf(page, index.isOperation(page))] as const;
  // An address without folders does not indicate a kind of page.
  const difference = wanted.includes("/") ? kindDifference(...kinds) : 0;
  if (difference > 0) add(-difference, "it is another kind of page");
  // A redirect may lead to another version; its address then means that target.
  const isItsAddress = index.addresses.get(wanted) === page;
  if (!isItsAddress && !sameEdition(page, wanted) && !isEditionOf(page, { wanted, from }, facts)) {
    add(-20, "it is in another language or version");
  }
  const isDeleted = addressForms(wanted).some(
    (form) => lost.has(form) && lost.get(form)?.renamedTo === undefined,
  );
  if (isDeleted) add(-3, "the history says that the page was deleted");
  return signs;
}

/** Compares titles with the links' texts and the last part of their address. */
function titleSigns(page: string, { wanted, words }: LostLink, index: SiteIndex): Sign[] {
  const signs: Sign[] = [];
  const add = (weight: number, reason: string) => signs.push({ page, weight, reason });
  const [name, titles] = [lastPart(page), index.titlesOf(page)];
  const match = titlesMatch(words, [...titles, name]);
  const others = words.flatMap((text) => index.titled(text));
  const isElsewhere = others.some((other) => other !== page && sameEdition(other, page));
  if (match === "same") add(3, "the link's words are its title");
  else if (match === "part") add(1.5, "the link's words are in its title");
  if (match !== "same" && isElsewhere) add(-4, "the link's words are the title of another page");
  else if (match === "other") add(-1.5, "its title says something else");
  const own = wordsOf(lastPart(wanted));
  const isNamesake = titles.some((title) => sameWords(wordsOf(title), own));
  // A page with the name itself is already a candidate. Pages in other folders may belong to another product.
  const isRenamed =
    folderOf(page) === folderOf(wanted) && pathLetters(name) !== pathLetters(lastPart(wanted));
  if (isNamesake && isRenamed && match !== "same") add(3, "its title is the name in the link");
  return signs;
}

/** Checks for the anchors that this link, and others to the same address, name. */
function placeSigns(page: string, { wanted, anchor }: LostLink, facts: LinkFacts): Sign[] {
  const places = facts.anchorsTo(wanted);
  const there = places.filter((place) => facts.hasAnchor(page, place) === true);
  // A template's headings are on many pages, but two named anchors are not a coincidence.
  if (there.length > 1 && there.length * 2 > places.length) {
    return [{ page, weight: 7, reason: "it has the anchors that links to that address name" }];
  }
  const hasAnchor = anchor === "" ? undefined : facts.hasAnchor(page, anchor);
  if (hasAnchor === undefined) return [];
  return hasAnchor
    ? [{ page, weight: 4, reason: "it has the anchor that the link names" }]
    : [{ page, weight: -1, reason: "it does not have the anchor that the link names" }];
}

/**
 * Reports whether folders in the link still exist in the site and the page is in none of them: another part of the site
 * may have its own page with that name.
 */
export function isOfOtherPart(page: string, { wanted }: LostLink, { index }: LinkFacts): boolean {
  // Every page of a version is in that version's folder.
  const own = new Set(withoutEdition(page).split("/").slice(0, -1));
  const there = withoutEdition(wanted)
    .split("/")
    .slice(0, -1)
    .filter((folder) => index.hasFolderNamed(folder));
  return there.length > 0 && !there.some((folder) => own.has(folder));
}

export function otherPart(page: string): Sign {
  return { page, weight: -5, reason: "it is in another part of the site" };
}

/**
 * Inbound links count against a page: until links are repaired, none leads to a page that has moved, and a page with
 * links probably existed before. The absence of links says nothing if other broken links may have led to the page. It
 * says little for one of several pages with a name if only one link has the address, which may be a typo.
 */
export function inboundSigns(page: string, link: LostLink, facts: LinkFacts): Sign[] {
  const { wanted, words } = link;
  const isLinked = facts.hasInbound(page);
  if (isLinked === undefined) return [];
  if (isLinked) return [{ page, weight: -4, reason: "other links lead to it" }];
  const name = lastPart(plainAddress(page));
  const isOfEdition = (path: string) => sameEdition(path, page);
  if (pathLetters(name) !== pathLetters(lastPart(wanted))) return [];
  if (facts.lostNamed(name).filter(isOfEdition).length > 1) {
    return [{ page, weight: -1, reason: "other broken links have that name, too" }];
  }
  const isOnly = facts.index.named(name).filter(isOfEdition).length === 1;
  const isTelling = isOnly || words.length > 1;
  return isTelling ? [{ page, weight: 3, reason: "no other link leads to it" }] : [];
}

/**
 * A page that other languages or versions also have at its address was there before, unless their links miss the other
 * address as well: then it moved in all of them.
 */
export function settledSigns(page: string, { wanted }: LostLink, facts: LinkFacts): Sign[] {
  const place = withoutEdition(wanted);
  const counterparts = facts.index.counterparts(plainAddress(page));
  if (withoutEdition(plainAddress(page)) === place) return [];
  const missing = facts
    .lostNamed(lastPart(wanted))
    .filter((address) => withoutEdition(address) === place)
    .map(editionOf);
  if (counterparts.every((other) => missing.includes(editionOf(other)))) return [];
  return [{ page, weight: -8, reason: "other versions have that page, too" }];
}

/** A page rarely links to itself by its path. */
export function linksItself(page: string): Sign {
  return { page, weight: -20, reason: "it has such a link itself" };
}

/** Reports whether a page is in the edition of the link, and the link cannot mean another edition. */
function isEditionOf(
  page: string,
  { wanted, from }: Pick<LostLink, "wanted" | "from">,
  facts: LinkFacts,
): boolean {
  const [first = ""] = wanted.split("/");
  const isPlain =
    sameEdition(wanted, "") && !facts.index.hasFolder(first) && !facts.leavesEdition(from);
  return isPlain && from !== undefined && sameEdition(page, from);
}

/** Scores how much a difference in kind counts against a page. */
function kindDifference(wanted: PageKind | undefined, found: PageKind | undefined): number {
  if (wanted === found) return 0;
  if (wanted !== undefined && found !== undefined) return 20;
  // Most pages without an indication are explanations.
  return [wanted, found].includes("guide") ? 0 : 2;
}
