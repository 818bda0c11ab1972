import { foldLettersAndDigits } from "@octavo/site/core";
import { isSnippet, toPagePath } from "../../pages.ts";
import { splitIntoBatches, type Plan } from "../../plan.ts";
import { findFiles, readFiles } from "../../site-tools.ts";
import { hasAnchorId, listHeadings, type Anchor, type Section } from "../../text/links.ts";
import {
  decodeAddress,
  findLanguage,
  findPageKind,
  formatLinkPath,
  isSameEdition,
  stripEdition,
} from "../page-path.ts";
import { formatCode } from "../report-text.ts";
import { extractStems, hasSameOrder, hasSameWords } from "../words.ts";
import {
  findClosestHeadings,
  isAnchorInHistory,
  isParameterId,
  isRemovedFromPage,
  matchAnchor,
} from "./anchor-evidence.ts";
import type { AnchorMatch } from "./anchor-evidence.ts";
import type { BrokenLink, LinkFacts, PageVersion } from "./broken-links.ts";
import type { LinkMatch } from "./link-evidence.ts";
import { findInOwnEdition, type SiteIndex } from "./site-index.ts";

/** The reason for not changing a link, and the section to which it refers if another page may contain that section. */
export interface SkippedMatch {
  readonly reason: string;
  readonly section?: UnresolvedSection;
}

type MatchResult = LinkMatch & Pick<SkippedMatch, "section">;

/** Returns the pages that must be read to match the link's anchor. */
export function listAnchorPages(link: BrokenLink, pages: readonly string[]): readonly string[] {
  const { anchorPage } = link;
  if (anchorPage === undefined) return [];
  return [anchorPage, ...listPagesBelow(anchorPage, pages)];
}

/** The maximum number of pages into which a page may have been split. */
const maxParts = 20;

/** Returns the pages in the folder whose index is the given page. */
function listPagesBelow(page: string, pages: readonly string[]): readonly string[] {
  const folder = `${page.replace(/\/index$/, "")}/`;
  const below = pages.filter((other) => other !== page && other.startsWith(folder));
  return below.length > maxParts ? [] : below;
}

/**
 * Returns the ID that differs from a link's anchor only in case and punctuation. Undefined if there is none, or if the
 * anchor is that ID itself. The check also suggests IDs that differ by a few letters, which is not certain enough.
 */
function findSimilarId(
  anchor: string,
  anchors: readonly Anchor[],
  suggested = "",
): string | undefined {
  const written = anchor.toLowerCase().replaceAll(/[\s_]+/g, "-");
  if (written !== anchor && hasAnchorId(anchors, written)) return written;
  const isSame = foldLettersAndDigits(suggested) === foldLettersAndDigits(anchor);
  return isSame && suggested !== "" ? suggested : undefined;
}

/** Matches a link whose page exists but does not contain the anchor. */
export function matchAnchorAddress(
  link: BrokenLink,
  facts: LinkFacts,
  linkText: string,
): MatchResult {
  const { target, file, anchorPage: page = "", suggestedId } = link;
  const hash = target.indexOf("#");
  if (hash === -1) return { reason: "the link itself contains no anchor" };
  const [address, anchor] = [target.slice(0, hash), decodeAddress(target.slice(hash + 1))];
  const same = findSimilarId(anchor, facts.getAnchors(page) ?? [], suggestedId);
  if (same !== undefined) {
    return {
      target: `${address}#${same}`,
      because: "the same heading except for case and punctuation",
    };
  }
  const elsewhere = findAmbiguityReason({ link, page, address, anchor }, facts);
  if (elsewhere !== undefined) return { reason: elsewhere };
  const isRooted = address.startsWith("/");
  const ownEditionPage = isRooted
    ? findInOwnEdition(page, toPagePath(file), facts.index)
    : undefined;
  const verdict = matchAnchorOnPage(
    { link, page, ownEditionPage, address, anchor, linkText },
    facts,
  );
  const part =
    isRooted && "reason" in verdict ? findSplitPart(address, anchor, page, facts) : undefined;
  if (part !== undefined) return part;
  if (isSnippet(file) && address === "") {
    return { reason: "it is in a snippet, which several pages share" };
  }
  return "target" in verdict ? { ...verdict, target: `${address}#${verdict.target}` } : verdict;
}

/**
 * Explains why an anchor is not looked up on the page to which a relative address currently leads. Returns undefined if
 * it can be looked up there. If the link's own page has moved, the address may have led to the target page in another
 * edition (a language or version): in the edition of the link's page, or in an edition that contains the anchor.
 */
export function findAmbiguityReason(
  { link, page, address, anchor }: Pick<UnresolvedSection, "link" | "page" | "address" | "anchor">,
  facts: LinkFacts,
): string | undefined {
  if (address === "" || address.startsWith("/") || isSnippet(link.file)) return undefined;
  const isOther = !isSameEdition(page, toPagePath(link.file));
  const versions = isOther
    ? facts
        .getVersions(page)
        .filter((version) => isSameEdition(version.page, toPagePath(link.file)))
    : listVersionsWithAnchor(anchor, page, facts);
  const [meant] = versions;
  if (meant !== undefined)
    return `not sure enough: perhaps ${formatCode(`/${meant.page}`)} is meant`;
  return isOther
    ? `it leads to ${formatCode(`/${page}`)}, in another language or version`
    : undefined;
}

function createDoubt(offers: readonly string[]): SkippedMatch {
  return { reason: `not sure enough: perhaps ${offers.map(formatCode).join(" or ")}` };
}

/** Matches an anchor on a page. The evidence is empty if the page contains exactly that anchor. */
export function matchAnchorOnPage(
  lost: Pick<
    UnresolvedSection,
    "link" | "page" | "ownEditionPage" | "address" | "anchor" | "linkText"
  >,
  facts: LinkFacts,
): MatchResult {
  const { page, anchor, ownEditionPage } = lost;
  const anchors = facts.getAnchors(page);
  if (anchors === undefined) return { reason: `the page /${page} cannot be read` };
  if (hasAnchorId(anchors, anchor)) return { target: anchor, because: "" };
  const rewordings = facts.getRewordings(page);
  const wasRemoved = isRemovedFromPage(anchor, rewordings);
  const versions = listVersionsWithAnchor(anchor, page, facts);
  const verdict: AnchorMatch = wasRemoved
    ? { reason: "its section was removed from the page" }
    : matchAnchor({ ...lost, rewordings }, anchors);
  const rival = findRivalAnchor(lost, verdict, facts);
  const offers = [`/${ownEditionPage}#${anchor}`, `/${page}#${rival}`];
  const doubtful = rival === undefined ? undefined : createDoubt(offers);
  if ("target" in verdict) return doubtful ?? verdict;
  const reworded = wasRemoved
    ? undefined
    : findRewordedHeading(anchor, facts.getSections(page), versions);
  if (reworded !== undefined) {
    return {
      target: reworded,
      because: "another version has the section's text below that heading",
    };
  }
  const likely = findLikelyAnchor(lost, { verdict, wasRemoved, versions }, facts);
  if (doubtful) return doubtful;
  const section: UnresolvedSection = {
    ...lost,
    wasRemoved,
    versions,
    isReplaced: isHeadingReplaced(anchor, facts.getSections(page), versions),
    ...(likely && { likely }),
    isInOwn: ownEditionPage !== undefined && facts.hasAnchor(ownEditionPage, anchor) === true,
    reason: verdict.reason,
  };
  return { reason: verdict.reason, ...(isSearchable(section) && { section }) };
}

/**
 * Returns the anchor to use if no other page contains the section, unless the anchor's words and the translations
 * disagree.
 */
function findLikelyAnchor(
  { page, anchor }: Pick<UnresolvedSection, "page" | "anchor">,
  {
    verdict: { likely: near },
    wasRemoved,
    versions,
  }: Pick<UnresolvedSection, "wasRemoved" | "versions"> & { readonly verdict: AnchorMatch },
  facts: LinkFacts,
): UnresolvedSection["likely"] {
  const translations = versions.filter(
    (version) => findLanguage(version.page) !== findLanguage(page),
  );
  const id = wasRemoved
    ? undefined
    : findTranslatedHeading(anchor, facts.getSections(page), translations);
  const isNear =
    near !== undefined &&
    !isAnchorInHistory(anchor, facts.getRewordings(page)) &&
    !hasBothAnchors(versions, anchor, near.id);
  if (id === undefined) return isNear ? near : undefined;
  if (isNear && near.id !== id) return undefined;
  return { id, because: "another language has the section in that position" };
}

/** Returns the other languages and versions of the page that contain the anchor's section. */
function listVersionsWithAnchor(
  anchor: string,
  page: string,
  facts: LinkFacts,
): readonly PageVersion[] {
  return facts
    .getVersions(page)
    .filter(({ sections }) => findSection(sections, anchor) !== undefined);
}

/** Returns an anchor of the page that is as likely as the identical anchor in the link's own version. */
function findRivalAnchor(
  { page, anchor, ownEditionPage }: Pick<UnresolvedSection, "page" | "ownEditionPage" | "anchor">,
  verdict: AnchorMatch,
  facts: LinkFacts,
): string | undefined {
  if (ownEditionPage === undefined || facts.hasAnchor(ownEditionPage, anchor) !== true)
    return undefined;
  if (!("target" in verdict)) {
    return findReplacementHeading(
      anchor,
      facts.getSections(page),
      facts.getSections(ownEditionPage),
    );
  }
  return isAnchorInHistory(anchor, facts.getRewordings(page)) ? undefined : verdict.target;
}

/**
 * Finds the part of a split page to which an anchor now belongs: the page in the split page's folder that has the
 * anchor's name, or the only page in the folder that contains the anchor.
 */
function findSplitPart(
  path: string,
  anchor: string,
  anchorPage: string,
  facts: LinkFacts,
): LinkMatch | undefined {
  const base = anchorPage.replace(/\/index$/, "");
  const own = path.replaceAll(/^\/|\/(?:index)?$/g, "");
  const parts = listPagesBelow(anchorPage, facts.index.pages);
  if (own !== base) return undefined;
  const named = parts.find((page) => page === `${base}/${anchor}`);
  if (named !== undefined)
    return { target: `/${own}/${anchor}`, because: "the page with that name" };
  const [part, ...more] = parts.filter((page) => facts.hasAnchor(page, anchor) === true);
  // A single word may be a heading on many pages.
  if (part === undefined || more.length > 0 || extractStems(anchor).length < 2) return undefined;
  // The heading may have been reworded on the page, and the part may always have had a heading with that name.
  if (findClosestHeadings(anchor, facts.getAnchors(anchorPage) ?? []).length > 0) return undefined;
  const versions = listVersionsWithAnchor(anchor, anchorPage, facts);
  if (isHeadingReplaced(anchor, facts.getSections(anchorPage), versions)) return undefined;
  const target = `/${own}${part.slice(base.length)}#${anchor}`;
  return { target, because: "the only page below it with that heading" };
}

/** A heading on any page, with the text below it. */
export interface FoundSection {
  readonly page: string;
  readonly id: string;
  readonly text: string;
}

/** A link whose page does not contain the heading to which the link refers. */
export interface UnresolvedSection {
  readonly link: BrokenLink;
  readonly page: string;
  /** The page at that address in the link's own language or version, if it is a different page. */
  readonly ownEditionPage: string | undefined;
  /** Whether `ownEditionPage` contains the heading. */
  readonly isInOwn: boolean;
  /** The link's address without the anchor, as written in the link. */
  readonly address: string;
  readonly anchor: string;
  readonly linkText: string;
  /** Whether the history shows that the heading was removed from the page. */
  readonly wasRemoved: boolean;
  /** The other languages and versions of the page that contain the heading. */
  readonly versions: readonly PageVersion[];
  /**
   * Whether, on the link's page, a different heading is in the position of the missing heading in one of `versions`.
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
 * Reports whether other pages should be searched for a section, because there is evidence that it existed or because
 * the link's text names it.
 */
function isSearchable(lost: UnresolvedSection): boolean {
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
  // The stem of a word in `y` or `ies` ends in `i`, which the word may not contain, so the `i` is removed.
  const patterns = anchors.map((anchor) =>
    extractStems(anchor)
      .map((stem) => stem.replace(/i$/, ""))
      .join(".*"),
  );
  const queries = splitIntoBatches(patterns, batchSize).map((some) => ({
    // The pattern starts with a heading's prefix, so that most other lines are rejected immediately.
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

/**
 * Matches a link with the page to which its section moved, or with the most likely heading of the link's current target
 * page.
 */
export function matchMovedSection(
  lost: UnresolvedSection,
  sections: readonly FoundSection[],
  index: SiteIndex,
): LinkMatch {
  const { link, page, ownEditionPage, isInOwn, address, anchor, likely, reason } = lost;
  const edition = ownEditionPage === undefined || isInOwn ? page : ownEditionPage;
  const named = sections.filter(({ id }) => hasSameOrder(extractStems(id), extractStems(anchor)));
  const found = named.filter(
    (section) =>
      section.page !== page &&
      isSameEdition(section.page, edition) &&
      findPageKind(section.page, false) === findPageKind(page, false),
  );
  for (const { because, isProven } of moveProofs) {
    const [section, ...others] = found.filter((one) =>
      isProven(one, { lost, found, named, index }),
    );
    if (section === undefined || others.length > 0) continue;
    return { target: `${formatLinkPath(section.page, address, link.file)}#${section.id}`, because };
  }
  if (isInOwn && ownEditionPage !== undefined) {
    if (likely !== undefined)
      return createDoubt([`/${ownEditionPage}#${anchor}`, `/${page}#${likely.id}`]);
    const because = "the page in the link's own language or version has that heading";
    return { target: `${formatLinkPath(ownEditionPage, address, link.file)}#${anchor}`, because };
  }
  const [section, ...others] = found;
  if (section === undefined) {
    if (likely === undefined) return { reason };
    return { target: `${address}#${likely.id}`, because: likely.because };
  }
  if (others.length > 0) {
    // A section that moved is on only one page. This section is on several pages, so it is probably also on the target
    // page, as a parameter.
    if (likely !== undefined && isParameterId(likely.id)) {
      return { target: `${address}#${likely.id}`, because: likely.because };
    }
    return { reason: `${others.length + 1} pages have that heading` };
  }
  // The other page may always have had a section with that name.
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

/** The tests that prove that a section moved to the page where it was found, strongest first. */
const moveProofs: readonly {
  readonly because: string;
  readonly isProven: (section: FoundSection, facts: SectionFacts) => boolean;
}[] = [
  {
    because:
      "the history says that the section was removed from its page, and only this page has it",
    isProven: ({ id }, { lost }) =>
      lost.wasRemoved && foldLettersAndDigits(id) === foldLettersAndDigits(lost.anchor),
  },
  {
    because: "it has the text that this section has in another version",
    isProven: ({ text }, { lost: { versions, anchor } }) =>
      versions.some(({ sections }) => hasSameText(findSection(sections, anchor)?.text ?? "", text)),
  },
  {
    because:
      "a redirect leads from that page to the page that the link names, and only that page has the section",
    isProven: (section, { lost, found, index }) =>
      found.length === 1 &&
      isNamed(lost) &&
      index.followRedirects(stripEdition(section.page)).includes(lost.page),
  },
  {
    because: "the only page that has the section, which another version has at the link's address",
    isProven: (section, { lost, found, named }) =>
      found.length === 1 &&
      isNamed(lost) &&
      !lost.isReplaced &&
      lost.versions.some(({ page }) => {
        // If the version has the section on the found page, too, it may always have been on both pages.
        const isOnBoth = named.some(
          (other) =>
            isSameEdition(other.page, page) &&
            stripEdition(other.page) === stripEdition(section.page),
        );
        // Searches by the anchor's words do not find translated headings.
        return findLanguage(page) === findLanguage(section.page) && !isOnBoth;
      }),
  },
];

function findSection(sections: readonly Section[], anchor: string): Section | undefined {
  return sections.find((section) => hasAnchorId([section], anchor));
}

/**
 * Returns the heading whose section has the same text as the anchor's section in another version of the page, if exactly
 * one heading does. Does not consider headings that the other version also contains.
 */
function findRewordedHeading(
  anchor: string,
  sections: readonly Section[],
  versions: readonly PageVersion[],
): string | undefined {
  const found = versions.flatMap((version) => {
    const former = findSection(version.sections, anchor);
    if (former === undefined) return [];
    return sections.filter(
      ({ id, text }) => hasSameText(text, former.text) && !hasAnchorId(version.sections, id),
    );
  });
  const [id, ...others] = new Set(found.map((section) => section.id));
  return others.length > 0 ? undefined : id;
}

/**
 * Returns the ID of a heading that may be the new wording of the anchor's heading. It is next to a heading that both
 * versions contain, in the position of the anchor's heading in the other version, and is missing from the other
 * version. Returns undefined if there is no such heading.
 */
function findReplacementHeading(
  anchor: string,
  sections: readonly Section[],
  version: readonly Section[],
): string | undefined {
  const own = version.findIndex((section) => hasAnchorId([section], anchor));
  if (own === -1) return undefined;
  const beside = [-1, 1].flatMap((step) => {
    const next = version[own + step];
    const at = sections.findIndex((section) => next && isSameSection(section, next));
    return at === -1 ? [] : (sections[at - step] ?? []);
  });
  return beside.find((section) => !version.some((other) => isSameSection(section, other)))?.id;
}

/**
 * Returns the ID of the heading in the position of the anchor's heading in a translation. It must be the only heading
 * between the same two headings, have the same level, and be missing from the translation. Returns undefined if
 * translations disagree, or if there is no such heading.
 */
function findTranslatedHeading(
  anchor: string,
  sections: readonly Section[],
  translations: readonly PageVersion[],
): string | undefined {
  const found = translations.flatMap((translation) => {
    const all = translation.sections;
    const at = all.findIndex((section) => hasAnchorId([section], anchor));
    const placeIn = (other: Section | undefined) =>
      other && sections.findIndex((section) => isSameSection(section, other));
    const before = at === 0 ? -1 : (placeIn(all[at - 1]) ?? -1);
    const after = at === all.length - 1 ? sections.length : (placeIn(all[at + 1]) ?? -1);
    const section = sections[before + 1];
    const isAlone = (at === 0 || before >= 0) && after === before + 2;
    const isDeep = section?.level === all[at]?.level;
    const isElsewhere = all.some((other) => section && isSameSection(section, other));
    return at >= 0 && section && isAlone && isDeep && !isElsewhere ? [section.id] : [];
  });
  const [id, ...others] = new Set(found);
  return others.length > 0 ? undefined : id;
}

function isSameSection(one: Section, other: Section): boolean {
  return [other.id, ...other.aliases].some((id) => hasAnchorId([one], id));
}

/**
 * Reports whether the page has a different heading in the position of the anchor's heading in another version. That
 * heading may be the new wording.
 */
function isHeadingReplaced(
  anchor: string,
  sections: readonly Section[],
  versions: readonly PageVersion[],
): boolean {
  const own = addBoundaries(sections);
  return versions.some(
    (version) => findReplacementHeading(anchor, own, addBoundaries(version.sections)) !== undefined,
  );
}

/** Adds the page's beginning and end, so that the first and last headings have neighbors. */
function addBoundaries(sections: readonly Section[]): readonly Section[] {
  const end = { aliases: [], label: "", level: 0, text: "" };
  return [{ id: "(beginning)", ...end }, ...sections, { id: "(end)", ...end }];
}

/** Reports whether another version contains both anchors, in which case one was not renamed to the other. */
function hasBothAnchors(versions: readonly PageVersion[], one: string, other: string): boolean {
  return versions.some(
    ({ sections }) => hasAnchorId(sections, one) && hasAnchorId(sections, other),
  );
}

/** The minimum length of a text. Shorter texts may be similar by coincidence. */
const minLetters = 60;

/** Reports whether two sections share most of their lines. */
function hasSameText(one: string, other: string): boolean {
  const [mine, theirs] = [collectLines(one), collectLines(other)];
  const shared = countLetters([...mine].filter((line) => theirs.has(line)));
  return shared >= minLetters && shared * 2 > Math.max(countLetters(mine), countLetters(theirs));
}

function collectLines(text: string): Set<string> {
  return new Set(text.split("\n").map((line) => line.trim()));
}

function countLetters(lines: Iterable<string>): number {
  return [...lines].reduce((sum, line) => sum + line.length, 0);
}
