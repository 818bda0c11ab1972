import { getParentFolder } from "@octavo/site/core";
import {
  findJsonMemberText,
  isJsonString,
  setString,
  splitAddress,
  walkJson,
} from "@octavo/site/text";
import type { TextEdit } from "@octavo/site/text";
import type { ConfigurationFile } from "../../configuration.ts";
import { isConfiguration, isSnippet, toPagePath } from "../../pages.ts";
import { getLinkText, type FoundLink, type LinkedText } from "../../text/links.ts";
import { decodeAddress, formatLinkPath, joinPath, normalizeAddress } from "../page-path.ts";
import { formatCode } from "../report-text.ts";
import { findAmbiguityReason, matchAnchorAddress, matchAnchorOnPage } from "./anchor-repair.ts";
import type { SkippedMatch } from "./anchor-repair.ts";
import type { BrokenLink } from "./broken-links.ts";
import { matchLink, rankCandidates } from "./link-evidence.ts";
import type { LinkFacts, UnresolvedLink } from "./link-facts.ts";
import { matchMovedSection, type FoundSection, type UnresolvedSection } from "./moved-section.ts";

/** An edit in one file. */
interface FileEdit {
  readonly file: string;
  readonly edit: TextEdit;
}

export interface LinkDecision {
  readonly link: BrokenLink;
  readonly edits: readonly FileEdit[];
  readonly to: string;
  readonly because: string;
  /** A former address, and the page to which it belonged. */
  readonly moved?: readonly [address: string, page: string];
}

/**
 * Decides what replaces the link, or why it is not changed. `page` is the text that contains the link; undefined for a
 * link in the configuration.
 */
export function decideLink(
  link: BrokenLink,
  page: LinkedText | undefined,
  facts: LinkFacts,
): LinkDecision | SkippedMatch {
  const found = page?.find(link);
  const words = page === undefined ? "" : getLinkText(page.text, found);
  if (link.kind === "anchor") {
    const verdict = matchAnchorAddress(link, facts, words);
    if ("reason" in verdict) return verdict;
    return decision(link, found, verdict, facts.configuration);
  }
  return decidePath(link, found, { text: words, facts });
}

function decidePath(
  link: BrokenLink,
  place: FoundLink | undefined,
  { text, facts }: { readonly text: string; readonly facts: LinkFacts },
): LinkDecision | SkippedMatch {
  const { path, suffix } = splitAddress(link.target);
  const read = parseUnresolvedLink(link);
  if ("reason" in read) return read;
  const lost = { ...read, wanted: resolveFromFolder(link, read.wanted, facts) ?? read.wanted };
  const words = facts.wordsOf(read.wanted);
  const verdict = matchLink({ ...lost, words }, facts);
  if ("reason" in verdict) return verdict;
  const { found: page, because } = verdict;
  const [query = ""] = suffix.split("#");
  const found = formatLinkPath(page, path, link.file) + query;
  const moved = [lost.wanted, page] as const;
  const { configuration } = facts;
  if (lost.anchor === "") {
    const whole = { found: found + suffix.slice(query.length), because };
    const decided = decision(link, place, whole, configuration);
    return "edits" in decided ? { ...decided, moved } : decided;
  }
  const elsewhere =
    facts.hasAnchor(page, lost.anchor) === true
      ? undefined
      : findAmbiguityReason({ link, page, address: path, anchor: lost.anchor }, facts);
  if (elsewhere !== undefined) return { reason: elsewhere };
  const named = { link, page, own: undefined, address: found, anchor: lost.anchor, linkText: text };
  const anchor = matchAnchorOnPage(named, facts);
  if ("reason" in anchor) {
    const offer = `perhaps ${formatCode(found)} (${because}), except for its anchor: ${anchor.reason}`;
    return { ...anchor, reason: offer };
  }
  const reasons = anchor.because === "" ? because : `${because}; ${anchor.because}`;
  const whole = { found: `${found}#${anchor.found}`, because: reasons };
  const decided = decision(link, place, whole, configuration);
  return "edits" in decided ? { ...decided, moved } : decided;
}

/**
 * Resolves `guides/start`, without a leading slash or dot, against the file's folder if the folder contains such a
 * page.
 */
function resolveFromFolder(
  { target, file }: BrokenLink,
  wanted: string,
  { index }: LinkFacts,
): string | undefined {
  if (/^[/.#?]/.test(target) || isConfiguration(file) || isSnippet(file)) return undefined;
  const beside = joinPath(getParentFolder(file), wanted);
  const [first = "", ...rest] = wanted.split("/");
  const isBeside = rest.length > 0 && index.hasFolder(joinPath(getParentFolder(file), first));
  return isBeside || index.alike(beside).length > 0 ? beside : undefined;
}

/** Decides about a link whose section may have moved to another page. */
export function decideSection(
  lost: UnresolvedSection,
  page: LinkedText | undefined,
  sections: readonly FoundSection[],
  { index }: LinkFacts,
): LinkDecision | SkippedMatch {
  const verdict = matchMovedSection(lost, sections, index);
  if ("reason" in verdict) return verdict;
  return decision(lost.link, page?.find(lost.link), verdict);
}

function decision(
  link: BrokenLink,
  place: FoundLink | undefined,
  { found: to, because }: { readonly found: string; readonly because: string },
  configuration: readonly ConfigurationFile[] = [],
): LinkDecision | SkippedMatch {
  if (to === link.target) return { reason: "it is already correct" };
  const edits = isConfiguration(link.file)
    ? configurationEdits(link, to, configuration)
    : place && [
        {
          file: link.file,
          edit: { start: place.address, end: place.address + link.target.length, text: to },
        },
      ];
  if (edits === undefined || edits.length === 0)
    return { reason: "its position in the file was not found" };
  return { link, edits, to, because };
}

const maxCandidates = 3;

/** The pages to which a link may refer. */
interface DoubtfulPages {
  readonly pages: readonly string[];
  /** Whether the first page is certain, and therefore the only one. */
  readonly isCertain: boolean;
  /** Whether links to the address name anchors. */
  readonly hasAnchors: boolean;
}

export function findDoubtfulPages(link: BrokenLink, facts: LinkFacts): DoubtfulPages {
  const lost = link.kind === "anchor" ? undefined : parseUnresolvedLink(link);
  const none = { pages: [], isCertain: false, hasAnchors: false };
  if (lost === undefined || "reason" in lost) return none;
  const words = facts.wordsOf(lost.wanted);
  const [best, ...others] = rankCandidates({ ...lost, words }, facts).slice(0, maxCandidates);
  if (best === undefined) return none;
  const pages = [best, ...(best.isCertain ? [] : others)].map(({ page }) => page);
  const { isCertain } = best;
  return { pages, isCertain, hasAnchors: facts.anchorsTo(lost.wanted).length > 0 };
}

/** Parses a link that does not lead to a page. If its address cannot be matched, returns the reason. */
export function parseUnresolvedLink({ target, file }: BrokenLink): UnresolvedLink | SkippedMatch {
  const { path, suffix } = splitAddress(target);
  const isRelative = path.startsWith(".");
  if (isRelative && isSnippet(file)) return { reason: "it is relative in a snippet" };
  if (/\.(?!mdx?$|html?$|markdown$|php$|aspx$|rst$)[a-z][a-z\d]{1,9}$/i.test(path))
    return { reason: "it names a missing file" };
  const wanted = normalizeAddress(
    joinPath(isRelative ? getParentFolder(file) : "", decodeAddress(path)),
  );
  const from = isSnippet(file) || isConfiguration(file) ? undefined : toPagePath(file);
  const anchor = decodeAddress(/#(.*)$/s.exec(suffix)?.[1] ?? "");
  return { wanted, from, anchor, words: [] };
}

/**
 * Edits every link to the address, and the redirect from the source, because a problem in the configuration has no
 * position.
 */
function configurationEdits(
  { kind, target, source }: BrokenLink,
  found: string,
  files: readonly ConfigurationFile[],
): FileEdit[] {
  return files.flatMap(({ path, root }) =>
    [...walkJson(root)].flatMap(({ key, node, within }): FileEdit[] => {
      if (!isJsonString(node) || node.value !== target) return [];
      const isMeant =
        kind === "redirect"
          ? key === "destination" && findJsonMemberText(within.at(-1), "source") === source
          : key === "href";
      return isMeant ? [{ file: path, edit: setString(node, found) }] : [];
    }),
  );
}
