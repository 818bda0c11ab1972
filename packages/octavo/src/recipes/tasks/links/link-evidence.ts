import { folderOf, lastPart } from "../../pages.ts";
import { hasPlace, headingsAbove } from "../../text/anchors.ts";
import { editionOf, sameEdition } from "./edition.ts";
import { sureSimilarity } from "./lost-pages.ts";
import type { LinkFacts, LostLink, Sign } from "./link-facts.ts";
import {
  inboundSigns,
  isOfOtherPart,
  linksItself,
  otherPart,
  settledSigns,
  supportOf,
} from "./link-support.ts";
import { isTwin } from "./site-index.ts";
import type { SiteIndex } from "./site-index.ts";
import { isServingFolder, pathLetters, plainAddress } from "../page-path.ts";
import { kindOf } from "./page-kinds.ts";
import { isMisspelling, maxSlip, titlesMatch, wordsOf } from "../words.ts";
import { code } from "../telling.ts";

/** A page that the link may mean, with the evidence for and against it. */
interface Candidate {
  readonly page: string;
  readonly score: number;
  /** Strongest first. */
  readonly reasons: readonly string[];
  /** A single piece of evidence decides. */
  readonly isCertain: boolean;
}

/** The score that decides by itself. */
const certain = 20;
/** The score of evidence other than names. */
const known = 7;
/** The score if the path clearly points to one page, without further evidence. */
const strong = 12;

/** The matched page or anchor with its evidence, or the reason why there is no match. */
export type Verdict =
  | { readonly found: string; readonly because: string }
  | { readonly reason: string };

/** The minimum score of a match, and its minimum lead over any other. */
const minScore = 6;
const minLead = 2;
/** Candidates with a lower score are too unlikely to be suggested. */
const minOffer = -5;

/** Returns every page that the link's path may mean, best first. */
export function candidatesOf(link: LostLink, facts: LinkFacts): readonly Candidate[] {
  const signs = finders.flatMap((find) => find(link, facts));
  const pages = Map.groupBy(signs, ({ page }) => page);
  const candidates = [...pages].map(([page, own]): Candidate => {
    // Evidence from the path repeats itself: count the best piece, and add evidence from words.
    const [best] = own.toSorted((a, b) => b.weight - a.weight);
    const weight = best?.weight ?? 0;
    const meant = { ...link, wanted: best?.meant ?? link.wanted };
    const others = weight >= certain ? [] : supportOf(page, meant, facts);
    if (weight < known && isOfOtherPart(page, link, facts)) others.push(otherPart(page));
    if (best?.isGuess) {
      others.push(...inboundSigns(page, link, facts), ...settledSigns(page, link, facts));
    }
    if (weight < certain && facts.isLinkedFrom(link.wanted, page)) others.push(linksItself(page));
    const all = [...(best ? [best] : []), ...others];
    return {
      page,
      score: all.reduce((sum, { weight }) => sum + weight, 0),
      isCertain: weight >= certain,
      reasons: [...new Set(all.map(({ reason }) => reason))],
    };
  });
  return candidates.toSorted((a, b) => b.score - a.score || (a.page < b.page ? -1 : 1));
}

type Finder = (link: LostLink, facts: LinkFacts) => readonly Sign[];

const finders: readonly Finder[] = [
  sameForm,
  historyOf,
  merged,
  likeVersions,
  becameSection,
  redirected,
  movedFolders,
  withoutPrefix,
  otherFolders,
  sameName,
  misspelt,
  renamedBeside,
  regrouped,
  counterpart,
  landing,
];

/** Matches the page at the address in another form, and the page that used to have it. */
function sameForm({ wanted }: LostLink, { index, lost }: LinkFacts): Sign[] {
  const isRenamed = lost.get(wanted)?.renamedTo !== undefined;
  const story = isRenamed ? "the history says that it was renamed" : "another link to it was fixed";
  return index.alike(wanted).map((page) => {
    const isForm = pathLetters(page) === pathLetters(wanted);
    return { page, weight: certain, reason: isForm ? "the same path in another form" : story };
  });
}

/** The history's rename counts if the page kept its name or most of its text. */
function historyOf({ wanted, words }: LostLink, { index, lost }: LinkFacts): Sign[] {
  const went = lost.get(wanted);
  const page = went?.renamedTo === undefined ? undefined : index.pageAt(went.renamedTo);
  if (went === undefined || page === undefined) return [];
  // Do not mistake the copy of a page in another version for the page itself.
  if (!sameEdition(page, wanted)) return [];
  const isSure =
    went.similarity >= sureSimilarity ||
    lastPart(page) === lastPart(wanted) ||
    titlesMatch(words, index.titlesOf(page)) === "same";
  const reason = "the history says that it was renamed";
  return [{ page, weight: isSure ? certain : 4, reason }];
}

/** Matches the page that now has the text of a deleted page. */
function merged({ wanted }: LostLink, { index, lost }: LinkFacts): Sign[] {
  const into = lost.get(wanted)?.mergedInto;
  const page = into === undefined ? undefined : index.pageAt(into);
  if (page === undefined || !sameEdition(page, wanted)) return [];
  return [{ page, weight: certain, reason: "the history says that its text moved there" }];
}

function likeVersions({ wanted }: LostLink, facts: LinkFacts): Sign[] {
  const page = facts.pageByVersions(wanted);
  const reason = "it alone has what another language or version has at that address";
  return page === undefined ? [] : [{ page, weight: certain, reason }];
}

/**
 * Matches the page in the same folder that has most of the anchors that links name on the missing page: if the page
 * became a section, below a heading of its name; otherwise at least two of them.
 */
function becameSection(link: LostLink, facts: LinkFacts): Sign[] {
  const section = "it has a section with that name and the anchors that links name";
  const found = facts.index.pagesIn(folderOf(link.wanted)).flatMap((page): Sign[] => {
    const there = placesOn(page, link, facts);
    const within = there.filter((place) => isWithinNamed(place, page, link, facts));
    // A heading of one word may be in any section.
    const isTelling = within.length > 1 || within.some((place) => wordsOf(place).length > 1);
    if (isTelling) return [{ page, weight: certain, reason: section }];
    // Pages in one folder often share headings: with another title, this is just one of them.
    const isMeant =
      there.length >= 2 && titlesMatch(link.words, facts.index.titlesOf(page)) !== "other";
    return isMeant ? [{ page, weight: 2, reason: "a page of that folder", isGuess: true }] : [];
  });
  return found.filter(({ weight }) => weight < certain || found.length === 1);
}

/** Returns the anchors of the missing page that another page has, if it has most of them. */
function placesOn(page: string, { wanted }: LostLink, facts: LinkFacts): readonly string[] {
  const [anchors, places] = [facts.anchorsOf(page) ?? [], facts.anchorsTo(wanted)];
  const there = places.filter((place) => hasPlace(anchors, place));
  return there.length * 2 > places.length ? there : [];
}

/** Reports whether a heading is below one with the name or title of the missing page. */
function isWithinNamed(
  place: string,
  page: string,
  { wanted, words }: LostLink,
  facts: LinkFacts,
): boolean {
  const name = wordsOf(lastPart(wanted));
  return headingsAbove(place, facts.sectionsOf(page)).some((label) => {
    const own = wordsOf(label);
    return name.every((word) => own.includes(word)) || titlesMatch(words, [label]) === "same";
  });
}

function redirected({ wanted }: LostLink, { index }: LinkFacts): Sign[] {
  return index
    .redirectsFrom(wanted)
    .map((page) => ({ page, weight: certain, reason: "a redirect leads there" }));
}

/** Matches the page that moved with the others in the link's folder. */
function movedFolders({ wanted }: LostLink, { index, moves }: LinkFacts): Sign[] {
  return moves.from(wanted).flatMap(({ to, ...move }) => {
    const page = index.pageAt(to);
    // A guess must not lead further, from an address that the page itself has left.
    const isThere = page !== undefined && (!move.isGuess || plainAddress(page) === to);
    return isThere ? [{ page, ...move }] : [];
  });
}

/** `/docs/en/start` means `start` if the site has no folder `docs`: many sites are served from such a folder. */
function withoutPrefix({ wanted }: LostLink, { index }: LinkFacts): Sign[] {
  const parts = wanted.split("/");
  const signs: Sign[] = [];
  for (let depth = 1; depth < Math.min(parts.length, 4); depth++) {
    const dropped = parts.slice(0, depth);
    const meant = parts.slice(depth).join("/");
    const page = index.pageAt(meant);
    if (page === undefined || isOwnFolder(parts, depth, index)) continue;
    // The site's main language may have no folder next to those of the others.
    const isServed = dropped.every(
      (part) => isServingFolder(part) || (part === "en" && !index.hasFolder(part)),
    );
    if (!isServed) continue;
    const reason = "the same path without its prefix";
    signs.push({ page, weight: strong, reason, meant });
  }
  return signs;
}

/** Reports whether the prefix of an address is a folder of the site, which may have had the page itself. */
function isOwnFolder(parts: readonly string[], depth: number, index: SiteIndex): boolean {
  if (!index.hasFolder(parts[0] ?? "")) return false;
  const rest = parts.slice(depth);
  return rest.length === 1 || index.hasFolder(parts.slice(0, depth + 1).join("/"));
}

/** Matches the same path with more or fewer folders than the link has. */
function otherFolders({ wanted }: LostLink, { index }: LinkFacts): Sign[] {
  const parts = wanted.split("/");
  return index.addressesNamed(lastPart(wanted)).flatMap(([address, page]): Sign[] => {
    const own = address.split("/");
    const [few, many] = own.length < parts.length ? [own, parts] : [parts, own];
    if (few.length === many.length || !isWithin(few, many)) return [];
    // A name alone does not identify one of several pages, regardless of their titles.
    if (few.length === 1 && index.named(lastPart(wanted)).length > 1) return [];
    if (isTwin(address, wanted, index)) return [];
    const isEnd = few.every((part, at) => part === many[many.length - few.length + at]);
    const name = lastPart(wanted);
    const weight =
      (few.length > 1 ? 5 : 3) -
      (index.isCommonName(name) ? 3 : 0) +
      (index.named(name).length === 1 ? 1 : 0) +
      (isEnd ? 1 : 0) +
      (few.length === 1 && wordsOf(name).length > 1 ? 1 : 0);
    // A link that ends like the page's path is probably that path, shortened.
    const isGuess = !isEnd || own.length < parts.length;
    return [{ page, weight, reason: "the same path except for a folder", isGuess }];
  });
}

/** Reports whether all parts occur in the other list in the same order. */
function isWithin(few: readonly string[], many: readonly string[]): boolean {
  let at = 0;
  for (const part of many) if (part === few[at]) at++;
  return at === few.length;
}

/** Matches pages elsewhere with the same name, unless the name is common. */
function sameName(link: LostLink, facts: LinkFacts): Sign[] {
  const { wanted } = link;
  const { index } = facts;
  const name = lastPart(wanted);
  if (index.isCommonName(name) || name.length < 3) return [];
  const isDistinct = wordsOf(name).length > 1;
  const editions = Map.groupBy(index.named(name), editionOf);
  const pages = index.named(name).filter((page) => !isTwin(page, wanted, index));
  return pages.map((page) => {
    const isOnly = editions.get(editionOf(page))?.length === 1;
    // Several pages share the name, so it does not identify one, however distinct it is.
    const some = isDistinct || isOnly ? 2 : 1;
    const weight = isDistinct && isOnly ? 5 : some;
    const reason = isOnly ? "the only page with that name" : "a page with that name";
    return { page, weight, reason, isGuess: true };
  });
}

/** Matches a typo in one segment, if the misspelled word is neither in the site nor in the link's text. */
function misspelt({ wanted, words }: LostLink, { index, lost }: LinkFacts): Sign[] {
  // An address that existed was not a typo.
  if (lost.has(wanted)) return [];
  // A text that repeats the address is not evidence.
  const texts = words.filter((text) => pathLetters(text) !== pathLetters(wanted));
  const said = new Set(texts.flatMap(wordsOf));
  const mine = wanted.split("/");
  return [...index.addresses].flatMap(([address, page]): Sign[] => {
    if (Math.abs(address.length - wanted.length) > maxSlip) return [];
    const theirs = address.split("/");
    if (mine.length !== theirs.length) return [];
    const different = mine.flatMap((part, at) => (part === theirs[at] ? [] : [at]));
    const [at] = different;
    if (at === undefined || different.length > 1 || !sameEdition(address, wanted)) return [];
    const [written = "", meant = ""] = [mine[at], theirs[at]];
    if (!isMisspelling(written, meant)) return [];
    const isWord = wordsOf(written).every((word) => index.hasWord(word) || said.has(word));
    // The same typo rarely occurs twice: several links more likely name a removed page, unless one of their texts has
    // the correct word.
    const isSlip = words.length === 1 || wordsOf(meant).every((word) => said.has(word));
    const slip = isSlip ? 9 : 4;
    const weight = isWord ? 1 : slip;
    return [{ page, weight, reason: "nearly the same path", meant: address }];
  });
}

/** Matches a page in the same folder whose name has most of the link's words. */
function renamedBeside({ wanted }: LostLink, { index }: LinkFacts): Sign[] {
  const folder = folderOf(wanted);
  const name = lastPart(wanted);
  const mine = wordsOf(name);
  // The folder is as likely to be wrong.
  const isElsewhere = mine.length === 1 && index.named(name).length > 0;
  return index.pagesIn(folder).flatMap((page): Sign[] => {
    const theirs = wordsOf(lastPart(page));
    const shared = mine.filter((word) => theirs.includes(word)).length;
    const part = shared / Math.max(mine.length, theirs.length, 1);
    if (part < 0.5) return [];
    // A folder may have both `namespace` and `namespacing`; three words are not a coincidence.
    const isWhole = shared === Math.min(mine.length, theirs.length);
    const some = isElsewhere ? 1 : 3;
    const weight = isWhole && shared >= 3 ? 6 : some;
    const reason = "a page of that folder with these words in its name";
    return [{ page, weight, reason, isGuess: true }];
  });
}

/** Matches the same words in a row with other folders: a folder that was flattened, or became a prefix. */
function regrouped({ wanted }: LostLink, { index }: LinkFacts): Sign[] {
  const [page, ...others] = index.sameWords(wanted);
  if (page === undefined || others.length > 0 || !wanted.includes("/")) return [];
  return [{ page, weight: 9, reason: "the same words, with other folders" }];
}

/** Matches the only page that has the title which another version has at the address. */
function counterpart(link: LostLink, facts: LinkFacts): Sign[] {
  const { wanted } = link;
  const { index } = facts;
  const pages = new Set<string>();
  for (const other of index.counterparts(wanted)) {
    const found = index
      .titlesOf(other)
      .slice(0, 1)
      .flatMap((title) => index.titled(title));
    // A title that several pages share does not identify one.
    if (found.filter((page) => sameEdition(page, other)).length > 1) continue;
    for (const page of found) if (sameEdition(page, wanted)) pages.add(page);
  }
  const [page, ...others] = pages;
  if (page === undefined || others.length > 0) return [];
  if (kindOf(page, index.isOperation(page)) !== kindOf(wanted, false)) return [];
  // Another part of the site may have its own page with that title.
  if (isOfOtherPart(page, link, facts)) return [];
  const reason = "another version has a page with this title at that address";
  return [{ page, weight: 7, reason, isGuess: true }];
}

const landingNames: readonly string[] = ["overview", "introduction", "intro"];

/** Matches the first page of a folder for a link to the folder. */
function landing({ wanted }: LostLink, { index }: LinkFacts): Sign[] {
  return landingNames.flatMap((name) => {
    const page = index.pageAt(`${wanted}/${name}`);
    const reason = "the first page of that folder";
    return page === undefined ? [] : [{ page, weight: 5, reason, isGuess: true }];
  });
}

/**
 * Returns the page that a broken link means if its evidence is clearly the strongest. If two pages are close or the
 * match is uncertain, returns the two best, with the evidence for and against them.
 */
export function judgeLink(link: LostLink, facts: LinkFacts): Verdict {
  if (link.wanted === "") return { reason: "it names nothing" };
  const [best, second] = candidatesOf(link, facts).filter(({ score }) => score > minOffer);
  if (best === undefined) {
    const went = facts.lost.get(link.wanted);
    const isDeleted = went !== undefined && went.renamedTo === undefined;
    return {
      reason: isDeleted ? "the page was deleted, and no other is similar" : "no page is similar",
    };
  }
  // The redirect names its target, so no page with the same name replaces it.
  if (!best.isCertain && facts.index.hasDeadRedirect(link.wanted)) {
    return { reason: "a redirect leads from it to a missing page" };
  }
  const lead = best.score - Math.max(second?.score ?? 0, 0);
  if (best.score >= minScore && lead >= minLead) {
    return { found: best.page, because: best.reasons.join("; ") };
  }
  const others = second === undefined ? "" : `, or ${offer(second)}`;
  const doubt = best.score >= minScore ? "either could be meant" : "not sure enough";
  return { reason: `${doubt}: perhaps ${offer(best)}${others}` };
}

function offer({ page, reasons }: Candidate): string {
  return `${code(`/${page}`)} (${reasons.join("; ")})`;
}
