import { foldLettersAndDigits } from "@octavo/site/core";
import { isSnippet, toPagePath } from "../../pages.ts";
import { splitIntoBatches } from "../../plan.ts";
import type { Plan } from "../../plan.ts";
import { findFiles, readFiles } from "../../site-tools.ts";
import { listHeadings } from "../../text/anchors.ts";
import { isParameterId } from "./anchor-evidence.ts";
import type { BrokenLink } from "./broken-links.ts";
import type { LinkMatch } from "./link-evidence.ts";
import { formatLinkPath } from "../page-path.ts";
import { findPageKind, findLanguage, isSameEdition, stripEdition } from "./page-kinds.ts";
import { hasSameText, findSection } from "./section-versions.ts";
import type { PageVersion } from "./section-versions.ts";
import type { SiteIndex } from "./site-index.ts";
import { formatCode } from "../report-text.ts";
import { hasSameOrder, hasSameWords, extractStems } from "../words.ts";

/** A heading on any page, with the text below it. */
export interface FoundSection {
  readonly page: string;
  readonly id: string;
  readonly text: string;
}

/** A link whose heading is not on the page that the link names. */
export interface UnresolvedSection {
  readonly link: BrokenLink;
  readonly page: string;
  /** The page at that address in the link's own language or version, if it is a different page. */
  readonly own: string | undefined;
  /** Whether that page contains the heading. */
  readonly isInOwn: boolean;
  /** The link's address without the anchor, in its original form for the page. */
  readonly address: string;
  readonly anchor: string;
  readonly linkText: string;
  /** Whether the history shows that the heading was removed from the page. */
  readonly wasRemoved: boolean;
  /** The other languages and versions of the page that contain the heading. */
  readonly versions: readonly PageVersion[];
  /**
   * Whether, on the link's page, a different heading is in the position that the heading has in one of those versions.
   */
  readonly isReplaced: boolean;
  /** The heading of the link's page to use if no other page contains the section. */
  readonly likely?: { readonly id: string; readonly because: string };
  /** The reason why no heading of the link's page matches. */
  readonly reason: string;
}

/** The minimum number of words that identify a section. A single word occurs in too many headings. */
const minWords = 2;
/** The number of anchors in one search. */
const batchSize = 10;

/**
 * Reports whether a section may be on another page, because there is evidence that it existed or because the link names
 * it.
 */
export function isSearchable(lost: UnresolvedSection): boolean {
  const { anchor, wasRemoved, versions, likely, isInOwn } = lost;
  if (extractStems(anchor).length === 0) return false;
  return wasRemoved || versions.length > 0 || likely !== undefined || isInOwn || isNamed(lost);
}

/** Reports whether a link to another page names the section in its text. */
function isNamed({ link, anchor, linkText }: UnresolvedSection): boolean {
  const words = extractStems(anchor);
  const isSaid = hasSameWords(words, extractStems(linkText));
  return isSaid && words.length >= minWords && !link.target.startsWith("#");
}

/** Finds the site's headings that contain the words of the anchors. */
export function* findSections(
  lost: readonly UnresolvedSection[],
  files: readonly string[],
): Plan<readonly FoundSection[]> {
  const anchors = [...new Set(lost.map(({ anchor }) => anchor))];
  if (anchors.length === 0) return [];
  const patterns = anchors.map((anchor) => extractStems(anchor).map(stripFinalVowel).join(".*"));
  const queries = splitIntoBatches(patterns, batchSize).map((some) => ({
    // The beginning of a heading: of most other lines, nothing else is compared.
    query: `^[ \\t>]*#.*(?:${some.join("|")})`,
    isRegex: true,
    ignoreCase: true,
  }));
  const pages = files.filter((file) => !isSnippet(file));
  const texts = yield* readFiles(yield* findFiles(queries, pages));
  const wanted = anchors.map(extractStems);
  return [...texts].flatMap(([file, text]) =>
    listHeadings(text)
      .filter(({ id }) => {
        const stems = extractStems(id);
        return wanted.some((words) => hasSameOrder(words, stems));
      })
      .map((heading) => ({ page: toPagePath(file), ...heading })),
  );
}

/** Matches a link with the page to which its section moved, or with the most likely heading of the page it leads to. */
export function matchMovedSection(
  lost: UnresolvedSection,
  sections: readonly FoundSection[],
  index: SiteIndex,
): LinkMatch {
  const { link, page, own, isInOwn, address, anchor, likely, reason } = lost;
  const edition = own === undefined || isInOwn ? page : own;
  const named = sections.filter(({ id }) => hasSameOrder(extractStems(id), extractStems(anchor)));
  const found = named.filter(
    (section) =>
      section.page !== page &&
      isSameEdition(section.page, edition) &&
      findPageKind(section.page, false) === findPageKind(page, false),
  );
  for (const { because, isMeant } of proofs) {
    const [section, ...others] = found.filter((one) => isMeant(one, { lost, found, named, index }));
    if (section === undefined || others.length > 0) continue;
    return { found: `${formatLinkPath(section.page, address, link.file)}#${section.id}`, because };
  }
  if (isInOwn && own !== undefined) {
    if (likely !== undefined) {
      const offers = [`/${own}#${anchor}`, `/${page}#${likely.id}`].map(formatCode).join(" or ");
      return { reason: `not sure enough: perhaps ${offers}` };
    }
    const because = "the page of its own language or version has that heading";
    return { found: `${formatLinkPath(own, address, link.file)}#${anchor}`, because };
  }
  const [section, ...others] = found;
  if (section === undefined) {
    if (likely === undefined) return { reason };
    return { found: `${address}#${likely.id}`, because: likely.because };
  }
  if (others.length > 0) {
    // A section that moved is on one page. A section that is on many pages is also on this page, as its parameter.
    if (likely !== undefined && isParameterId(likely.id)) {
      return { found: `${address}#${likely.id}`, because: likely.because };
    }
    return { reason: `${others.length + 1} pages have that heading` };
  }
  // The other page may have had a section with that name all along.
  const offer = formatCode(`/${section.page}#${section.id}`);
  return { reason: `not sure enough: perhaps ${offer}, the only page with it` };
}

interface SectionFacts {
  readonly lost: UnresolvedSection;
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
    isMeant: ({ id }, { lost }) =>
      lost.wasRemoved && foldLettersAndDigits(id) === foldLettersAndDigits(lost.anchor),
  },
  {
    because: "it has the text that another version has there",
    isMeant: ({ text }, { lost: { versions, anchor } }) =>
      versions.some(({ sections }) => hasSameText(findSection(sections, anchor)?.text ?? "", text)),
  },
  {
    because:
      "a redirect leads from that page to the page that the link names, and only that page has the section",
    isMeant: (section, { lost, found, index }) =>
      found.length === 1 &&
      isNamed(lost) &&
      index.redirectsFrom(stripEdition(section.page)).includes(lost.page),
  },
  {
    because: "the only page that has the section, which another version has at the link's address",
    isMeant: (section, { lost, found, named }) =>
      found.length === 1 &&
      isNamed(lost) &&
      !lost.isReplaced &&
      // Headings of translations are not found by their words.
      lost.versions.some(
        ({ page }) =>
          findLanguage(page) === findLanguage(section.page) && !hasBeside(page, section, named),
      ),
  },
];

/**
 * Reports whether the section is also on the found page in the language and version of a different page. If so, it may
 * always have been on both pages.
 */
function hasBeside(page: string, section: FoundSection, named: readonly FoundSection[]): boolean {
  const place = stripEdition(section.page);
  return named.some(
    (other) => isSameEdition(other.page, page) && stripEdition(other.page) === place,
  );
}

/** Returns the common beginning of the forms of a word, because stems contain `i` for both `y` and `ies`. */
function stripFinalVowel(stem: string): string {
  return stem.replace(/i$/, "");
}
