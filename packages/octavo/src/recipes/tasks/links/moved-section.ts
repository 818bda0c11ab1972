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

/** A heading of some page, with the text below it. */
export interface FoundSection {
  readonly page: string;
  readonly id: string;
  readonly text: string;
}

/** A link whose heading is not on the page that it names. */
export interface LostSection {
  readonly link: BrokenLink;
  readonly page: string;
  /** The page at that address in the language or version that the link stands in, where that is another. */
  readonly own: string | undefined;
  /** Whether that page has the heading. */
  readonly isInOwn: boolean;
  /** The link's address but for the anchor, as it is to be written for the page. */
  readonly address: string;
  readonly anchor: string;
  readonly linkText: string;
  /** The history says that the heading was taken off the page. */
  readonly wasRemoved: boolean;
  /** The page in other languages and versions that have the heading. */
  readonly versions: readonly PageVersion[];
  /** On its page, another heading stands where one of those has it. */
  readonly isReplaced: boolean;
  /** The heading of its page that is meant if no other page has the section. */
  readonly likely?: { readonly id: string; readonly because: string };
  /** Why no heading of its page is taken for it. */
  readonly reason: string;
}

/** One word is in too many headings to say which section was meant. */
const fewestWords = 2;
/** One search looks for so many. */
const batchSize = 10;

/** Whether a section of another page may be meant: something tells that it was there, or the link says its name. */
export function isSearchable(lost: LostSection): boolean {
  const { anchor, wasRemoved, versions, likely, isInOwn } = lost;
  if (wordsOf(anchor).length === 0) return false;
  return wasRemoved || versions.length > 0 || likely !== undefined || isInOwn || isNamed(lost);
}

/** Whether a link to another page says the section's name itself. */
function isNamed({ link, anchor, linkText }: LostSection): boolean {
  const words = wordsOf(anchor);
  const isSaid = sameWords(words, wordsOf(linkText));
  return isSaid && words.length >= fewestWords && !link.target.startsWith("#");
}

/** The headings of the site that say what the anchors say. */
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

/** The address that the link means: a page that the section went to, or the heading of its own page that is likely. */
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
    // A section that moved is on one page: what is on many is on this one, too, as its parameter.
    if (likely !== undefined && isParameterId(likely.id)) {
      return { found: `${address}#${likely.id}`, because: likely.because };
    }
    return { reason: `${others.length + 1} pages have such a heading` };
  }
  // Another page may have had a section of that name all along.
  const offer = code(`/${section.page}#${section.id}`);
  return { reason: `not sure enough: perhaps ${offer}, the only page with it` };
}

interface SectionFacts {
  readonly lost: LostSection;
  /** Sections of that name in the language and version that is meant. */
  readonly found: readonly FoundSection[];
  /** And in all of them. */
  readonly named: readonly FoundSection[];
  readonly index: SiteIndex;
}

/** What proves that a section of that name went to its page, the strongest first. */
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

/** Whether the section is on the found page in a page's language and version, too: then it may have been on both all along. */
function hasBeside(page: string, section: FoundSection, named: readonly FoundSection[]): boolean {
  const place = withoutEdition(section.page);
  return named.some(
    (other) => sameEdition(other.page, page) && withoutEdition(other.page) === place,
  );
}

/** What the forms of a word begin with: stems write `y` and `ies` as `i`. */
function beginningOf(stem: string): string {
  return stem.replace(/i$/, "");
}
