import { foldLettersAndDigits } from "@octavo/site/core";
import { isSnippet, toPagePath } from "../../pages.ts";
import { hasAnchorId, type Anchor } from "../../text/links.ts";
import { decodeAddress, findLanguage, isSameEdition } from "../page-path.ts";
import { formatCode } from "../report-text.ts";
import { extractStems } from "../words.ts";
import {
  findClosestHeadings,
  isAnchorInHistory,
  isRemovedFromPage,
  matchAnchor,
} from "./anchor-evidence.ts";
import type { AnchorMatch } from "./anchor-evidence.ts";
import type { BrokenLink } from "./broken-links.ts";
import type { LinkMatch } from "./link-evidence.ts";
import type { LinkFacts, PageVersion } from "./link-facts.ts";
import {
  findReplacementHeading,
  findRewordedHeading,
  findSection,
  findTranslatedHeading,
  hasBothAnchors,
  isHeadingReplaced,
  isSearchable,
} from "./moved-section.ts";
import type { UnresolvedSection } from "./moved-section.ts";
import { findInOwnEdition } from "./site-index.ts";

/** The reason for not changing a link, and the link's section if another page may contain it. */
export interface SkippedMatch {
  readonly reason: string;
  readonly lost?: UnresolvedSection;
}

type MatchResult = LinkMatch & Pick<SkippedMatch, "lost">;

/** Returns the pages that must be read to match the link's anchor. */
export function listAnchorPages(link: BrokenLink, pages: readonly string[]): readonly string[] {
  const { anchorPage } = link;
  if (anchorPage === undefined) return [];
  return [anchorPage, ...pagesBelow(anchorPage, pages)];
}

/** The maximum number of parts of a page that was split. */
const maxParts = 20;

/** Returns the pages in the folder of which a page is the index. */
function pagesBelow(page: string, pages: readonly string[]): readonly string[] {
  const folder = `${page.replace(/\/index$/, "")}/`;
  const below = pages.filter((other) => other !== page && other.startsWith(folder));
  return below.length > maxParts ? [] : below;
}

/**
 * Returns the ID that differs from a link's anchor only in case, spaces and underscores. Undefined if there is none, or
 * if the anchor is that ID itself.
 */
function findSimilarId(anchor: string, anchors: readonly Anchor[]): string | undefined {
  const written = anchor.toLowerCase().replaceAll(/[\s_]+/g, "-");
  return written !== anchor && hasAnchorId(anchors, written) ? written : undefined;
}

/**
 * Returns the ID that the check suggests if it differs only in case and punctuation. The check also suggests IDs that
 * differ by a few letters, which is not certain enough for a repair.
 */
function takeSameLetters(suggested: string | undefined, anchor: string): string | undefined {
  const isSame =
    suggested !== undefined && foldLettersAndDigits(suggested) === foldLettersAndDigits(anchor);
  return isSame ? suggested : undefined;
}

/** Matches a link whose page exists but does not contain the anchor. */
export function matchAnchorAddress(
  link: BrokenLink,
  facts: LinkFacts,
  linkText: string,
): MatchResult {
  const { target, file, anchorPage: page = "", suggested } = link;
  const hash = target.indexOf("#");
  if (hash === -1) return { reason: "it has no anchor of its own" };
  const [address, anchor] = [target.slice(0, hash), decodeAddress(target.slice(hash + 1))];
  const similar = findSimilarId(anchor, facts.anchorsOf(page) ?? []);
  const same = similar ?? takeSameLetters(suggested, anchor);
  if (same !== undefined) {
    return {
      found: `${address}#${same}`,
      because: "the same heading except for case and punctuation",
    };
  }
  const elsewhere = findAmbiguityReason({ link, page, address, anchor }, facts);
  if (elsewhere !== undefined) return { reason: elsewhere };
  const isRooted = address.startsWith("/");
  const own = isRooted ? findInOwnEdition(page, toPagePath(file), facts.index) : undefined;
  const verdict = matchAnchorOnPage({ link, page, own, address, anchor, linkText }, facts);
  const part = isRooted && "reason" in verdict ? partWith(address, anchor, page, facts) : undefined;
  if (part !== undefined) return part;
  if (isSnippet(file) && address === "") {
    return { reason: "it is in a snippet, which pages share" };
  }
  return "found" in verdict ? { ...verdict, found: `${address}#${verdict.found}` } : verdict;
}

/**
 * Explains why an anchor is not searched for on the page to which a relative address leads now. If the link's own page
 * has moved, the address may have led to the target page in another language or version: that of the link's own page,
 * or one that contains the anchor.
 */
export function findAmbiguityReason(
  { link, page, address, anchor }: Pick<UnresolvedSection, "link" | "page" | "address" | "anchor">,
  facts: LinkFacts,
): string | undefined {
  if (address === "" || address.startsWith("/") || isSnippet(link.file)) return undefined;
  const isOther = !isSameEdition(page, toPagePath(link.file));
  const versions = isOther
    ? facts.versionsOf(page).filter((version) => isSameEdition(version.page, toPagePath(link.file)))
    : versionsWith(anchor, page, facts);
  const [meant] = versions;
  if (meant !== undefined)
    return `not sure enough: perhaps ${formatCode(`/${meant.page}`)} is meant`;
  return isOther
    ? `it leads to ${formatCode(`/${page}`)}, in another language or version`
    : undefined;
}

/** Matches an anchor on a page. The evidence is empty if the page contains exactly that anchor. */
export function matchAnchorOnPage(
  lost: Pick<UnresolvedSection, "link" | "page" | "own" | "address" | "anchor" | "linkText">,
  facts: LinkFacts,
): MatchResult {
  const { page, anchor, own } = lost;
  const anchors = facts.anchorsOf(page);
  if (anchors === undefined) return { reason: `the page /${page} cannot be read` };
  if (hasAnchorId(anchors, anchor)) return { found: anchor, because: "" };
  const rewordings = facts.rewordingsOf(page);
  const wasRemoved = isRemovedFromPage(anchor, rewordings);
  const versions = versionsWith(anchor, page, facts);
  const verdict: AnchorMatch = wasRemoved
    ? { reason: "its section was removed from the page" }
    : matchAnchor({ ...lost, rewordings }, anchors);
  const rival = rivalOfOwn(lost, verdict, facts);
  const doubtful =
    rival === undefined ? undefined : { reason: doubt(`/${own}#${anchor}`, `/${page}#${rival}`) };
  if ("found" in verdict) return doubtful ?? verdict;
  const reworded = wasRemoved
    ? undefined
    : findRewordedHeading(anchor, facts.sectionsOf(page), versions);
  if (reworded !== undefined) {
    return {
      found: reworded,
      because: "another version has the section's text below that heading",
    };
  }
  const likely = findLikelyAnchor(lost, { verdict, wasRemoved, versions }, facts);
  if (doubtful) return doubtful;
  const section: UnresolvedSection = {
    ...lost,
    wasRemoved,
    versions,
    isReplaced: isHeadingReplaced(anchor, facts.sectionsOf(page), versions),
    ...(likely && { likely }),
    isInOwn: own !== undefined && facts.hasAnchor(own, anchor) === true,
    reason: verdict.reason,
  };
  return { reason: verdict.reason, ...(isSearchable(section) && { lost: section }) };
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
    : findTranslatedHeading(anchor, facts.sectionsOf(page), translations);
  const isNear =
    near !== undefined &&
    !isAnchorInHistory(anchor, facts.rewordingsOf(page)) &&
    !hasBothAnchors(versions, anchor, near.id);
  if (id === undefined) return isNear ? near : undefined;
  if (isNear && near.id !== id) return undefined;
  return { id, because: "another language has the section in that position" };
}

/** Returns the other languages and versions of the page that contain the anchor's section. */
function versionsWith(anchor: string, page: string, facts: LinkFacts): readonly PageVersion[] {
  return facts
    .versionsOf(page)
    .filter(({ sections }) => findSection(sections, anchor) !== undefined);
}

/** Returns an anchor of the page that is as likely as the identical anchor in the link's own version. */
function rivalOfOwn(
  { page, anchor, own }: Pick<UnresolvedSection, "page" | "own" | "anchor">,
  verdict: AnchorMatch,
  facts: LinkFacts,
): string | undefined {
  if (own === undefined || facts.hasAnchor(own, anchor) !== true) return undefined;
  if (!("found" in verdict)) {
    return findReplacementHeading(anchor, facts.sectionsOf(page), facts.sectionsOf(own));
  }
  return isAnchorInHistory(anchor, facts.rewordingsOf(page)) ? undefined : verdict.found;
}

function doubt(...offers: readonly string[]): string {
  return `not sure enough: perhaps ${offers.map(formatCode).join(" or ")}`;
}

/**
 * Finds the part of a split page: the page in its folder that is named like the anchor, or the only such page that
 * contains that heading.
 */
function partWith(
  path: string,
  anchor: string,
  anchorPage: string,
  facts: LinkFacts,
): LinkMatch | undefined {
  const base = anchorPage.replace(/\/index$/, "");
  const own = path.replaceAll(/^\/|\/(?:index)?$/g, "");
  const parts = pagesBelow(anchorPage, facts.index.pages);
  if (own !== base && !isForwarded(own, facts)) return undefined;
  const named = parts.find((page) => page === `${base}/${anchor}`);
  if (named !== undefined)
    return { found: `/${own}/${anchor}`, because: "the page with that name" };
  const [part, ...more] = parts.filter((page) => facts.hasAnchor(page, anchor) === true);
  // A single word may be a heading on many pages.
  if (part === undefined || more.length > 0 || extractStems(anchor).length < 2) return undefined;
  // The page may have reworded its heading, and the part may always have had a heading with that name.
  if (findClosestHeadings(anchor, facts.anchorsOf(anchorPage) ?? []).length > 0) return undefined;
  const versions = versionsWith(anchor, anchorPage, facts);
  if (isHeadingReplaced(anchor, facts.sectionsOf(anchorPage), versions)) return undefined;
  const found = `/${own}${part.slice(base.length)}#${anchor}`;
  return { found, because: "the only page below it with that heading" };
}

/** Reports whether a wildcard redirect covers the path. */
function isForwarded(path: string, { redirects }: LinkFacts): boolean {
  return redirects.some(({ source }) => {
    const wildcard = source.search(/[:*]/);
    return (
      wildcard > 0 && source[wildcard - 1] === "/" && path.startsWith(source.slice(0, wildcard))
    );
  });
}
