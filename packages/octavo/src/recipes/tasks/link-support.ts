import { lastPart } from "../pages.ts";
import { sameEdition } from "./edition.ts";
import type { LinkFacts, LostLink, Sign } from "./link-facts.ts";
import { addressForms, pathLetters, plainAddress } from "./page-path.ts";
import { kindOf } from "./path-kind.ts";
import type { PageKind } from "./path-kind.ts";
import { titlesMatch } from "./words.ts";

/** What the links' words, the kind of page and the rest of the address add to what the path says. */
export function supportOf(page: string, link: LostLink, facts: LinkFacts): Sign[] {
  const { wanted, from, words, anchor } = link;
  const { index, lost } = facts;
  const signs: Sign[] = [];
  const add = (weight: number, reason: string) => signs.push({ page, weight, reason });
  const match = titlesMatch(words, [...index.titlesOf(page), lastPart(page)]);
  const others = words.flatMap((text) => index.titled(text));
  const isElsewhere = others.some((other) => other !== page && sameEdition(other, page));
  if (match === "same") add(3, "the link's words are its title");
  else if (match === "part") add(1.5, "the link's words are in its title");
  if (match !== "same" && isElsewhere) add(-4, "the link's words are the title of another page");
  else if (match === "other") add(-1.5, "its title says something else");
  const hasAnchor = anchor === "" ? undefined : facts.hasAnchor(page, anchor);
  if (hasAnchor === true) add(4, "it has the place that the link names");
  else if (hasAnchor === false) add(-1, "it does not have the place that the link names");
  const kinds = [kindOf(wanted, false), kindOf(page, index.isOperation(page))] as const;
  // An address without folders does not say what kind of page it means.
  const difference = wanted.includes("/") ? kindDifference(...kinds) : 0;
  if (difference > 0) add(-difference, "it is another kind of page");
  if (!sameEdition(page, wanted) && !isEditionOf(page, { wanted, from }, facts)) {
    add(-20, "it is of another language or version");
  }
  const isDeleted = addressForms(wanted).some(
    (form) => lost.has(form) && lost.get(form)?.renamedTo === undefined,
  );
  if (isDeleted) add(-3, "the history says that the page was deleted");
  return signs;
}

/**
 * Whether folders that the link names are still somewhere in the site, and the page lies in none of them: another part
 * of the site may have its own page of that name.
 */
export function isOfOtherPart(page: string, { wanted }: LostLink, { index }: LinkFacts): boolean {
  const own = new Set(page.split("/").slice(0, -1));
  const there = wanted
    .split("/")
    .slice(0, -1)
    .filter((folder) => index.hasFolderNamed(folder));
  return there.length > 0 && !there.some((folder) => own.has(folder));
}

export function otherPart(page: string): Sign {
  return { page, weight: -5, reason: "it is in another part of the site" };
}

/**
 * To a page that moved no link leads as long as none was mended; one to which links lead has most likely been there.
 * That no link leads to it says nothing where other broken links may have been those, and little for one of several
 * pages of a name while a single link, which may be a slip, has the address.
 */
export function inboundSigns(page: string, link: LostLink, facts: LinkFacts): Sign[] {
  const { wanted, words } = link;
  const isLinked = facts.hasInbound(page);
  if (isLinked === undefined) return [];
  if (isLinked) return [{ page, weight: -4, reason: "other links lead to it" }];
  const name = lastPart(plainAddress(page));
  const isOfEdition = (path: string) => sameEdition(path, page);
  const isOnly = facts.index.named(name).filter(isOfEdition).length === 1;
  const isTelling =
    pathLetters(name) === pathLetters(lastPart(wanted)) &&
    facts.lostNamed(name).filter(isOfEdition).length <= 1 &&
    (isOnly || words.length > 1);
  return isTelling ? [{ page, weight: 3, reason: "no other link leads to it" }] : [];
}

/** A page seldom links to itself by its path. */
export function linksItself(page: string): Sign {
  return { page, weight: -20, reason: "it has such a link itself" };
}

/** Whether a page is of the edition that the link stands in, and the link can mean no other. */
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

/** How much it speaks against a page that its kind is another than the address says. */
function kindDifference(wanted: PageKind | undefined, found: PageKind | undefined): number {
  if (wanted === found) return 0;
  if (wanted !== undefined && found !== undefined) return 20;
  // Most pages that do not say what they are explain something.
  return [wanted, found].includes("guide") ? 0 : 2;
}
