import { folderOf, lastPart } from "../pages.ts";
import { sameEdition } from "./edition.ts";
import { sureSimilarity } from "./lost-pages.ts";
import type { LinkFacts, LostLink, Sign } from "./link-facts.ts";
import { inboundSigns, isOfOtherPart, linksItself, otherPart, supportOf } from "./link-support.ts";
import { inOwnEdition } from "./own-edition.ts";
import type { SiteIndex } from "./site-index.ts";
import { isServingFolder } from "./page-path.ts";
import { isTwin } from "./twins.ts";
import { isMisspelling, titlesMatch, wordsOf } from "./words.ts";

/** A page that may be meant, with what speaks for it and against it. */
export interface Candidate {
  readonly page: string;
  readonly score: number;
  /** The strongest first. */
  readonly reasons: readonly string[];
  /** One sign decides by itself. */
  readonly isCertain: boolean;
}

/** Decides by itself. */
const certain = 20;
/** Something besides names speaks for it. */
const known = 7;
/** The path speaks for one page, and nothing else is needed. */
const strong = 12;

/** Every page for which the link's path speaks, the best first. */
export function candidatesOf(link: LostLink, facts: LinkFacts): readonly Candidate[] {
  const signs = finders.flatMap((find) => find(link, facts));
  const pages = Map.groupBy(signs, ({ page }) => page);
  const candidates = [...pages].map(([page, own]): Candidate => {
    // Signs of the path say the same in other words: the best counts, and what the words say beside it.
    const [best] = own.toSorted((a, b) => b.weight - a.weight);
    const weight = best?.weight ?? 0;
    const meant = { ...link, wanted: best?.meant ?? link.wanted };
    const others = weight >= certain ? [] : supportOf(page, meant, facts);
    if (weight < known && isOfOtherPart(page, link, facts)) others.push(otherPart(page));
    if (best?.isGuess) others.push(...inboundSigns(page, link, facts));
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
  redirected,
  movedFolders,
  ownEdition,
  withoutPrefix,
  otherFolders,
  sameName,
  misspelt,
  renamedBeside,
  titled,
  landing,
];

function sameForm({ wanted }: LostLink, { index }: LinkFacts): Sign[] {
  return index
    .alike(wanted)
    .map((page) => ({ page, weight: certain, reason: "the same path but for its form" }));
}

/** A rename is taken from the history where the page still has its name or most of its text. */
function historyOf({ wanted, words }: LostLink, { index, lost }: LinkFacts): Sign[] {
  const went = lost.get(wanted);
  const page = went?.renamedTo === undefined ? undefined : index.pageAt(went.renamedTo);
  if (went === undefined || page === undefined) return [];
  // The copy of a page in another version is taken for the page itself.
  if (!sameEdition(page, wanted)) return [];
  const isSure =
    went.similarity >= sureSimilarity ||
    lastPart(page) === lastPart(wanted) ||
    titlesMatch(words, index.titlesOf(page)) === "same";
  const reason = "the history says that it was renamed";
  return [{ page, weight: isSure ? certain : 4, reason }];
}

/** A page that was deleted and whose text another page has. */
function merged({ wanted }: LostLink, { index, lost }: LinkFacts): Sign[] {
  const into = lost.get(wanted)?.mergedInto;
  const page = into === undefined ? undefined : index.pageAt(into);
  if (page === undefined || !sameEdition(page, wanted)) return [];
  return [{ page, weight: certain, reason: "the history says that its text went there" }];
}

function redirected({ wanted }: LostLink, { index }: LinkFacts): Sign[] {
  return index
    .redirectsFrom(wanted)
    .map((page) => ({ page, weight: certain, reason: "a redirect leads there" }));
}

/** Where pages of the link's folder went, its page is too. */
function movedFolders({ wanted }: LostLink, { index, moves }: LinkFacts): Sign[] {
  return moves.from(wanted).flatMap(({ to, ...move }) => {
    const page = index.pageAt(to);
    return page === undefined ? [] : [{ page, ...move }];
  });
}

/**
 * `/guides/start` on a page of `es/` or `v2/` means `es/guides/start` where the pages beside them have no such folder:
 * else it may as well mean a page of theirs that is gone.
 */
function ownEdition({ wanted, from }: LostLink, facts: LinkFacts): Sign[] {
  const { index } = facts;
  const page = inOwnEdition(wanted, from, index);
  if (page === undefined || index.hasFolder(folderOf(wanted))) return [];
  if (facts.leavesEdition(from)) return [];
  const weight = wanted.includes("/") ? 7 : 3;
  return [{ page, weight, reason: "the same page of this language or version" }];
}

/** `/docs/en/start` means `start` where the site has no folder `docs`. */
function withoutPrefix({ wanted }: LostLink, { index }: LinkFacts): Sign[] {
  const parts = wanted.split("/");
  const signs: Sign[] = [];
  for (let depth = 1; depth < Math.min(parts.length, 4); depth++) {
    const dropped = parts.slice(0, depth);
    const meant = parts.slice(depth).join("/");
    const page = index.pageAt(meant);
    if (page === undefined || isOwnFolder(parts, depth, index)) continue;
    // The site's own language may have no folder beside those of the others.
    const isServed = dropped.every(
      (part) => isServingFolder(part) || (part === "en" && !index.hasFolder(part)),
    );
    const isOther = dropped.some((part) => !sameEdition(`${part}/x`, "x"));
    if (isOther && !isServed) continue;
    const rest = parts.length - depth;
    const guess = rest > 1 ? 5 : 2;
    const weight = isServed ? strong : guess;
    const reason = "the same path without what stands before it";
    signs.push({ page, weight, reason, ...(isServed && { meant }) });
  }
  return signs;
}

/** Whether what stands before the rest of an address is a folder of the site that may have had the page itself. */
function isOwnFolder(parts: readonly string[], depth: number, index: SiteIndex): boolean {
  if (!index.hasFolder(parts[0] ?? "")) return false;
  const rest = parts.slice(depth);
  return rest.length === 1 || index.hasFolder(parts.slice(0, depth + 1).join("/"));
}

/** The same path with folders more, or fewer, than the link has. */
function otherFolders({ wanted }: LostLink, { index }: LinkFacts): Sign[] {
  const parts = wanted.split("/");
  return index.addressesNamed(lastPart(wanted)).flatMap(([address, page]): Sign[] => {
    const own = address.split("/");
    const [few, many] = own.length < parts.length ? [own, parts] : [parts, own];
    if (few.length === many.length || !isWithin(few, many)) return [];
    // A name alone does not say which of several is meant, whatever their titles say.
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
    // What ends as the page does is likely to be its path, cut short.
    const isGuess = !isEnd || own.length < parts.length;
    return [{ page, weight, reason: "the same path but for a folder", isGuess }];
  });
}

/** Whether all parts stand among the others in their order. */
function isWithin(few: readonly string[], many: readonly string[]): boolean {
  let at = 0;
  for (const part of many) if (part === few[at]) at++;
  return at === few.length;
}

/** A page of that name elsewhere; one whose name many have is not taken for another. */
function sameName(link: LostLink, facts: LinkFacts): Sign[] {
  const { wanted } = link;
  const { index } = facts;
  const name = lastPart(wanted);
  if (index.isCommonName(name) || name.length < 3) return [];
  const pages = index.named(name).filter((page) => !isTwin(page, wanted, index));
  return pages.map((page) => {
    const isDistinct = wordsOf(name).length > 1;
    const isOnly = index.named(name).filter((other) => sameEdition(other, page)).length === 1;
    // Which of several is meant, their name does not say, however much it says.
    const some = isDistinct || isOnly ? 2 : 1;
    const weight = isDistinct && isOnly ? 5 : some;
    const reason = isOnly ? "the only page of that name" : "a page of that name";
    return { page, weight, reason, isGuess: true };
  });
}

/** A slip of the hand in one part of the path, which makes a word that the site does not have. */
function misspelt({ wanted }: LostLink, { index, lost }: LinkFacts): Sign[] {
  // What was there once was written as it should be.
  if (lost.has(wanted)) return [];
  const mine = wanted.split("/");
  return [...index.addresses].flatMap(([address, page]): Sign[] => {
    const theirs = address.split("/");
    if (mine.length !== theirs.length) return [];
    const different = mine.flatMap((part, at) => (part === theirs[at] ? [] : [at]));
    const [at] = different;
    if (at === undefined || different.length > 1 || !sameEdition(address, wanted)) return [];
    const [written = "", meant = ""] = [mine[at], theirs[at]];
    if (!isMisspelling(written, meant)) return [];
    const isWord = wordsOf(written).every((word) => index.hasWord(word));
    return [{ page, weight: isWord ? 1 : 9, reason: "nearly the same path" }];
  });
}

/** A page of the same folder whose name has most of the link's words. */
function renamedBeside({ wanted }: LostLink, { index }: LinkFacts): Sign[] {
  const folder = folderOf(wanted);
  const mine = wordsOf(lastPart(wanted));
  return index.pagesIn(folder).flatMap((page): Sign[] => {
    const theirs = wordsOf(lastPart(page));
    const shared = mine.filter((word) => theirs.includes(word)).length;
    const part = shared / Math.max(mine.length, theirs.length, 1);
    if (part < 0.5) return [];
    // A folder may well have `namespace` and `namespacing`.
    const reason = "a page of that folder with these words in its name";
    return [{ page, weight: 3, reason, isGuess: true }];
  });
}

/** A page whose title is what the links say, below the same folder of the root. */
function titled({ wanted, words }: LostLink, { index }: LinkFacts): Sign[] {
  const [first = ""] = wanted.split("/");
  const telling = words.filter((text) => wordsOf(text).length > 1);
  const pages = new Set(telling.flatMap((text) => index.titled(text)));
  return [...pages]
    .filter((page) => sameEdition(page, wanted))
    .filter((page) => titlesMatch(words, index.titlesOf(page)) === "same")
    .map((page) => {
      const isNear = page.startsWith(`${first}/`);
      return {
        page,
        weight: isNear ? 2.5 : 1.5,
        reason: "the link's words are its title",
        isGuess: true,
      };
    });
}

const landingNames: readonly string[] = ["overview", "introduction", "intro"];

/** The page that begins a folder, for a link to the folder. */
function landing({ wanted }: LostLink, { index }: LinkFacts): Sign[] {
  return landingNames.flatMap((name) => {
    const page = index.pageAt(`${wanted}/${name}`);
    return page === undefined ? [] : [{ page, weight: 5, reason: "the first page of that folder" }];
  });
}
