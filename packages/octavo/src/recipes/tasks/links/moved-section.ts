import { isSnippet, letters, pagePath } from "../../pages.ts";
import { inBatches } from "../../plan.ts";
import type { Plan } from "../../plan.ts";
import { findFiles, readFiles } from "../../site-tools.ts";
import { headingsOf } from "../../text/anchors.ts";
import { isParameterId } from "./anchor-evidence.ts";
import type { BrokenLink } from "./broken-links.ts";
import { languageOf, sameEdition, withoutEdition } from "./edition.ts";
import type { Verdict } from "./link-evidence.ts";
import { spell } from "../page-path.ts";
import { kindOf } from "./page-kinds.ts";
import { hasSameText, sectionAt } from "./section-versions.ts";
import type { PageVersion } from "./section-versions.ts";
import type { SiteIndex } from "./site-index.ts";
import { code } from "../telling.ts";
import { inSameOrder, sameWords, wordsOf } from "../words.ts";

/** A heading on any page, with the text below it. */
export interface FoundSection {
  readonly page: string;
  readonly id: string;
  readonly text: string;
}

/** A link whose heading is not on the page that it names. */
export interface LostSection {
  readonly link: BrokenLink;
  readonly page: string;
  /** The page at that address in the link's own language or version, if different. */
  readonly own: string | undefined;
  /** That page has the heading. */
  readonly isInOwn: boolean;
  /** The link's address without the anchor, as written for the page. */
  readonly address: string;
  readonly anchor: string;
  readonly linkText: string;
  /** The history says that the heading was removed from the page. */
  readonly wasRemoved: boolean;
  /** The other languages and versions of the page that have the heading. */
  readonly versions: readonly PageVersion[];
  /** On its page, another heading is in the position that the heading has in one of those versions. */
  readonly isReplaced: boolean;
  /** The heading of its page to use if no other page has the section. */
  readonly likely?: { readonly id: string; readonly because: string };
  /** Why no heading of its page matches. */
  readonly reason: string;
}

/** A single word is in too many headings to identify a section. */
const fewestWords = 2;
/** The number of anchors in one search. */
const batchSize = 10;

/** Reports whether a section may be on another page: there is evidence that it existed, or the link names it. */
export function isSearchable(lost: LostSection): boolean {
  const { anchor, wasRemoved, versions, likely, isInOwn } = lost;
  if (wordsOf(anchor).length === 0) return false;
  return wasRemoved || versions.length > 0 || likely !== undefined || isInOwn || isNamed(lost);
}

/** Reports whether a link to another page names the section in its text. */
function isNamed({ link, anchor, linkText }: LostSection): boolean {
  const words = wordsOf(anchor);
  const isSaid = sameWords(words, wordsOf(linkText));
  return isSaid && words.length >= fewestWords && !link.target.startsWith("#");
}

/** Finds the site's headings that have the words of the anchors. */
export function* findSections(
  lost: readonly LostSection[],
  files: readonly string[],
): Plan<readonly FoundSection[]> {
  const anchors = [...new Set(lost.map(({ anchor }) => anchor))];
  if (anchors.length === 0) return [];
  const patterns = anchors.map((anchor) => wordsOf(anchor).map(beginningOf).join(".*"));
  const queries = inBatches(patterns, batchSize).map((some) => ({
    query: `#.*(?:${some.join("|")})`,
    isRegex: true,
    ignoreCase: true,
  }));
  const pages = files.filter((file) => !isSnippet(file));
  const texts = yield* readFiles(yield* findFiles(queries, pages));
  const wanted = anchors.map(wordsOf);
  return [...texts].flatMap(([file, text]) =>
    headingsOf(text)
      .filter(({ id }) => wanted.some((words) => inSameOrder(words, wordsOf(id))))
      .map((heading) => ({ page: pagePath(file), ...heading })),
  );
}

/** Matches a link with the page that its section moved to, or with the likely heading of its own page. */
export function judgeSection(
  lost: LostSection,
  sections: readonly FoundSection[],
  index: SiteIndex,
): Verdict {
  const { link, page, own, isInOwn, address, anchor, likely, reason } = lost;
  const edition = own === undefined || isInOwn ? page : own;
  const named = sections.filter(({ id }) => inSameOrder(wordsOf(id), wordsOf(anchor)));
  const found = named.filter(
    (section) =>
      section.page !== page &&
      sameEdition(section.page, edition) &&
      kindOf(section.page, false) === kindOf(page, false),
  );
  for (const { because, isMeant } of proofs) {
    const [section, ...others] = found.filter((one) => isMeant(one, { lost, found, named, index }));
    if (section === undefined || others.length > 0) continue;
    return { found: `${spell(section.page, address, link.file)}#${section.id}`, because };
  }
  if (isInOwn && own !== undefined) {
    if (likely !== undefined) {
      const offers = [`/${own}#${anchor}`, `/${page}#${likely.id}`].map(code).join(" or ");
      return { reason: `not sure enough: perhaps ${offers}` };
    }
    const because = "the page of its own language or version has that heading";
    return { found: `${spell(own, address, link.file)}#${anchor}`, because };
  }
  const [section, ...others] = found;
  if (section === undefined) {
    if (likely === undefined) return { reason };
    return { found: `${address}#${likely.id}`, because: likely.because };
  }
  if (others.length > 0) {
    // A section that moved is on one page. One that is on many pages is also on this one, as its parameter.
    if (likely !== undefined && isParameterId(likely.id)) {
      return { found: `${address}#${likely.id}`, because: likely.because };
    }
    return { reason: `${others.length + 1} pages have that heading` };
  }
  // Another page may always have had a section with that name.
  const offer = code(`/${section.page}#${section.id}`);
  return { reason: `not sure enough: perhaps ${offer}, the only page with it` };
}

interface SectionFacts {
  readonly lost: LostSection;
  /** Sections with that name in the intended language and version. */
  readonly found: readonly FoundSection[];
  /** Sections with that name in all languages and versions. */
  readonly named: readonly FoundSection[];
  readonly index: SiteIndex;
}

/** Proofs that a section moved to its page, strongest first. */
const proofs: readonly {
  readonly because: string;
  readonly isMeant: (section: FoundSection, facts: SectionFacts) => boolean;
}[] = [
  {
    because: "the history says that the section left its page, and only this one has it",
    isMeant: ({ id }, { lost }) => lost.wasRemoved && letters(id) === letters(lost.anchor),
  },
  {
    because: "it has the text that another version has there",
    isMeant: ({ text }, { lost: { versions, anchor } }) =>
      versions.some(({ sections }) => hasSameText(sectionAt(sections, anchor)?.text ?? "", text)),
  },
  {
    because:
      "a redirect leads from that page to the one that the link names, and only it has the section",
    isMeant: (section, { lost, found, index }) =>
      found.length === 1 &&
      isNamed(lost) &&
      index.redirectsFrom(withoutEdition(section.page)).includes(lost.page),
  },
  {
    because: "the only page that has the section, which another version has where the link says",
    isMeant: (section, { lost, found, named }) =>
      found.length === 1 &&
      isNamed(lost) &&
      !lost.isReplaced &&
      // Headings of translations are not found by their words.
      lost.versions.some(
        ({ page }) =>
          languageOf(page) === languageOf(section.page) && !hasBeside(page, section, named),
      ),
  },
];

/**
 * Reports whether the section is also on the found page in another page's language and version: then it may always have
 * been on both.
 */
function hasBeside(page: string, section: FoundSection, named: readonly FoundSection[]): boolean {
  const place = withoutEdition(section.page);
  return named.some(
    (other) => sameEdition(other.page, page) && withoutEdition(other.page) === place,
  );
}

/** Returns the common beginning of a word's forms: stems write `y` and `ies` as `i`. */
function beginningOf(stem: string): string {
  return stem.replace(/i$/, "");
}
