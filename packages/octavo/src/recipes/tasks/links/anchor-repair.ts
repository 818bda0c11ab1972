import { isSnippet, pagePath } from "../../pages.ts";
import { hasPlace, idLike } from "../../text/anchors.ts";
import { closestTo, isInHistory, isTakenOff, judgeAnchor } from "./anchor-evidence.ts";
import type { AnchorVerdict } from "./anchor-evidence.ts";
import type { BrokenLink } from "./broken-links.ts";
import { languageOf, sameEdition } from "./edition.ts";
import type { RepairFacts } from "./link-facts.ts";
import type { Verdict } from "./link-evidence.ts";
import { isSearchable } from "./moved-section.ts";
import type { LostSection } from "./moved-section.ts";
import { inOwnEdition } from "./site-index.ts";
import { decoded } from "../page-path.ts";
import {
  haveBoth,
  headingInPlace,
  isReplaced,
  rewordedSince,
  sectionAt,
  translatedHeading,
} from "./section-versions.ts";
import type { PageVersion } from "./section-versions.ts";
import { code } from "../telling.ts";
import { wordsOf } from "../words.ts";

/** The reason for not changing a link, and its section if another page may have it. */
export interface Undecided {
  readonly reason: string;
  readonly lost?: LostSection;
}

type PlaceVerdict = Verdict & Pick<Undecided, "lost">;

/** Returns the pages that have to be read to match the link's anchor. */
export function anchorPages(link: BrokenLink, pages: readonly string[]): readonly string[] {
  const { anchorPage } = link;
  if (anchorPage === undefined) return [];
  return [anchorPage, ...pagesBelow(anchorPage, pages)];
}

/** A page that was split has no more parts than this. */
const maxParts = 20;

/** Returns the pages in the folder whose index a page is. */
function pagesBelow(page: string, pages: readonly string[]): readonly string[] {
  const folder = `${page.replace(/\/index$/, "")}/`;
  const below = pages.filter((other) => other !== page && other.startsWith(folder));
  return below.length > maxParts ? [] : below;
}

/** Matches a link whose page exists but does not have the anchor. */
export function judgePlace(link: BrokenLink, facts: RepairFacts, linkText: string): PlaceVerdict {
  const { target, file, anchorPage: page = "", suggested } = link;
  const hash = target.indexOf("#");
  if (hash === -1) return { reason: "it has no anchor of its own" };
  const [address, anchor] = [target.slice(0, hash), decoded(target.slice(hash + 1))];
  const same = idLike(anchor, facts.anchorsOf(page) ?? []) ?? suggested;
  if (same !== undefined) {
    return {
      found: `${address}#${same}`,
      because: "the same heading except for case and punctuation",
    };
  }
  const elsewhere = sameAddressElsewhere({ link, page, address, anchor }, facts);
  if (elsewhere !== undefined) return { reason: elsewhere };
  const isRooted = address.startsWith("/");
  const own = isRooted ? inOwnEdition(page, pagePath(file), facts.index) : undefined;
  const verdict = judgeOnPage({ link, page, own, address, anchor, linkText }, facts);
  const part = isRooted && "reason" in verdict ? partWith(address, anchor, page, facts) : undefined;
  if (part !== undefined) return part;
  if (isSnippet(file) && address === "") {
    return { reason: "it is in a snippet, which pages share" };
  }
  return "found" in verdict ? { ...verdict, found: `${address}#${verdict.found}` } : verdict;
}

/**
 * Explains why an anchor is not searched for on the page that a relative address leads to now. If the link's own page
 * has moved, the address may have led to that page in another language or version: the one of the link's own page, or
 * one that has the anchor.
 */
export function sameAddressElsewhere(
  { link, page, address, anchor }: Pick<LostSection, "link" | "page" | "address" | "anchor">,
  facts: RepairFacts,
): string | undefined {
  if (address === "" || address.startsWith("/") || isSnippet(link.file)) return undefined;
  const isOther = !sameEdition(page, pagePath(link.file));
  const versions = isOther
    ? facts.versionsOf(page).filter((version) => sameEdition(version.page, pagePath(link.file)))
    : versionsWith(anchor, page, facts);
  const [meant] = versions;
  if (meant !== undefined) return `not sure enough: perhaps ${code(`/${meant.page}`)} is meant`;
  return isOther ? `it leads to ${code(`/${page}`)}, in another language or version` : undefined;
}

/** Matches an anchor on a page. The evidence is empty if the page has exactly that anchor. */
export function judgeOnPage(
  lost: Pick<LostSection, "link" | "page" | "own" | "address" | "anchor" | "linkText">,
  facts: RepairFacts,
): PlaceVerdict {
  const { page, anchor, own } = lost;
  const anchors = facts.anchorsOf(page);
  if (anchors === undefined) return { reason: `the page /${page} cannot be read` };
  if (hasPlace(anchors, anchor)) return { found: anchor, because: "" };
  const rewordings = facts.rewordingsOf(page);
  const wasRemoved = isTakenOff(anchor, rewordings);
  const versions = versionsWith(anchor, page, facts);
  const verdict: AnchorVerdict = wasRemoved
    ? { reason: "its section was removed from the page" }
    : judgeAnchor({ ...lost, rewordings }, anchors);
  const rival = rivalOfOwn(lost, verdict, facts);
  const doubtful =
    rival === undefined ? undefined : { reason: doubt(`/${own}#${anchor}`, `/${page}#${rival}`) };
  if ("found" in verdict) return doubtful ?? verdict;
  const reworded = wasRemoved ? undefined : rewordedSince(anchor, facts.sectionsOf(page), versions);
  if (reworded !== undefined) {
    return { found: reworded, because: "another version has its text below that heading" };
  }
  const likely = likelyPlace(lost, { verdict, wasRemoved, versions }, facts);
  if (doubtful) return doubtful;
  const section: LostSection = {
    ...lost,
    wasRemoved,
    versions,
    isReplaced: isReplaced(anchor, facts.sectionsOf(page), versions),
    ...(likely && { likely }),
    isInOwn: own !== undefined && facts.hasAnchor(own, anchor) === true,
    reason: verdict.reason,
  };
  return { reason: verdict.reason, ...(isSearchable(section) && { lost: section }) };
}

/** Returns the anchor to use if no other page has the section, unless its words and the translations disagree. */
function likelyPlace(
  { page, anchor }: Pick<LostSection, "page" | "anchor">,
  {
    verdict: { likely: near },
    wasRemoved,
    versions,
  }: Pick<LostSection, "wasRemoved" | "versions"> & { readonly verdict: AnchorVerdict },
  facts: RepairFacts,
): LostSection["likely"] {
  const translations = versions.filter((version) => languageOf(version.page) !== languageOf(page));
  const id = wasRemoved
    ? undefined
    : translatedHeading(anchor, facts.sectionsOf(page), translations);
  const isNear =
    near !== undefined &&
    !isInHistory(anchor, facts.rewordingsOf(page)) &&
    !haveBoth(versions, anchor, near.id);
  if (id === undefined) return isNear ? near : undefined;
  if (isNear && near.id !== id) return undefined;
  return { id, because: "another language has the section in that position" };
}

/** Returns the other languages and versions of the page that have the anchor's section. */
function versionsWith(anchor: string, page: string, facts: RepairFacts): readonly PageVersion[] {
  return facts.versionsOf(page).filter(({ sections }) => sectionAt(sections, anchor) !== undefined);
}

/** Returns an anchor of the page that is as likely as the identical one in the link's own version. */
function rivalOfOwn(
  { page, anchor, own }: Pick<LostSection, "page" | "own" | "anchor">,
  verdict: AnchorVerdict,
  facts: RepairFacts,
): string | undefined {
  if (own === undefined || facts.hasAnchor(own, anchor) !== true) return undefined;
  if (!("found" in verdict)) {
    return headingInPlace(anchor, facts.sectionsOf(page), facts.sectionsOf(own));
  }
  return isInHistory(anchor, facts.rewordingsOf(page)) ? undefined : verdict.found;
}

function doubt(...offers: readonly string[]): string {
  return `not sure enough: perhaps ${offers.map(code).join(" or ")}`;
}

/**
 * Finds the part of a split page: the page in its folder that is named like the anchor, or the only one with that
 * heading.
 */
function partWith(
  path: string,
  anchor: string,
  anchorPage: string,
  facts: RepairFacts,
): Verdict | undefined {
  const base = anchorPage.replace(/\/index$/, "");
  const own = path.replaceAll(/^\/|\/(?:index)?$/g, "");
  const parts = pagesBelow(anchorPage, facts.index.pages);
  if (own !== base && !isForwarded(own, facts)) return undefined;
  const named = parts.find((page) => page === `${base}/${anchor}`);
  if (named !== undefined)
    return { found: `/${own}/${anchor}`, because: "the page with that name" };
  const [part, ...more] = parts.filter((page) => facts.hasAnchor(page, anchor) === true);
  // A single word may be a heading on many pages.
  if (part === undefined || more.length > 0 || wordsOf(anchor).length < 2) return undefined;
  // The page may have reworded its heading, and the part may always have had one with that name.
  if (closestTo(anchor, facts.anchorsOf(anchorPage) ?? []).length > 0) return undefined;
  const versions = versionsWith(anchor, anchorPage, facts);
  if (isReplaced(anchor, facts.sectionsOf(anchorPage), versions)) return undefined;
  const found = `/${own}${part.slice(base.length)}#${anchor}`;
  return { found, because: "the only page below it with that heading" };
}

/** Reports whether a wildcard redirect covers the path. */
function isForwarded(path: string, { redirects }: RepairFacts): boolean {
  return redirects.some(({ source }) => {
    const wildcard = source.search(/[:*]/);
    return (
      wildcard > 0 && source[wildcard - 1] === "/" && path.startsWith(source.slice(0, wildcard))
    );
  });
}
