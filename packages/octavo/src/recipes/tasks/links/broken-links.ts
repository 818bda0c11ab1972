import { getParentFolder } from "@octavo/site/core";
import { splitAddress } from "@octavo/site/text";
import type { ConfigurationFile } from "../../configuration.ts";
import { isConfiguration, isSnippet, toPagePath } from "../../pages.ts";
import type { Problem } from "../../site-tools.ts";
import type { Anchor, Section } from "../../text/links.ts";
import { decodeAddress, joinPath, normalizeAddress } from "../page-path.ts";
import type { findFolderMoves, FormerPage, SiteIndex } from "./site-index.ts";

/** A link that the check reported as broken, parsed from the message. */
export interface BrokenLink {
  /** The identifier of the link in the results of successive checks, even if the link moves within its line. */
  readonly key: string;
  readonly kind: "link" | "anchor" | "redirect";
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  /** The original address in the file. */
  readonly target: string;
  /** For a broken anchor, the page that should contain it. */
  readonly anchorPage?: string;
  /** The ID that the check suggests, which may differ by more than case and punctuation. */
  readonly suggestedId?: string;
  /** For a redirect, the address from which it redirects. */
  readonly source?: string;
}

const quotedText = String.raw`("(?:[^"\\]|\\.){0,400}")`;
const linkMessagePattern = new RegExp(
  `^The link ${quotedText} (?:does not lead|points|in the configuration)`,
);
const redirectMessagePattern = new RegExp(
  `^The redirect from ${quotedText} to ${quotedText} does not lead to`,
);
const messagePagePattern = /that the page \/(.*?) does not have\./;
const suggestionPattern = /does not have\. Did you mean "#([^"]*)"\?$/;

/** Parses the messages of problems. Skips messages that have a different form or that shorten the link. */
export function parseBrokenLinks(problems: readonly Problem[]): BrokenLink[] {
  const seen = new Map<string, number>();
  return problems.flatMap((problem) => {
    const link = readMessage(problem);
    if (link === undefined || link.target.endsWith("…")) return [];
    // The same link may occur twice in a line.
    const same = JSON.stringify([link.file, link.line, link.source, link.target]);
    const index = seen.get(same) ?? 0;
    seen.set(same, index + 1);
    return [{ ...link, key: `${same} ${index}` }];
  });
}

function readMessage(problem: Problem): Omit<BrokenLink, "key"> | undefined {
  const { file, line, column, message, code } = problem;
  const place = { file, ...(line && { line }), ...(column && { column }) };
  const redirect = redirectMessagePattern.exec(message);
  if (redirect !== null) {
    const [source, target] = [parseQuoted(redirect[1]), parseQuoted(redirect[2])];
    return { kind: "redirect", ...place, source, target };
  }
  const link = linkMessagePattern.exec(message);
  if (link === null) return undefined;
  const target = parseQuoted(link[1]);
  if (code !== "anchor_broken") return { kind: "link", ...place, target };
  const anchorPage = messagePagePattern.exec(message)?.[1] ?? toPagePath(file);
  // The address leads to a page below it, perhaps because the page itself was removed. The link is therefore repaired,
  // not the anchor.
  const { path } = splitAddress(target);
  const isBelow = normalizeAddress(anchorPage).startsWith(`${normalizeAddress(path)}/`);
  if (path.startsWith("/") && isBelow) return { kind: "link", ...place, target };
  const suggestedId = suggestionPattern.exec(message)?.[1];
  return {
    kind: "anchor",
    ...place,
    target,
    anchorPage,
    ...(suggestedId && { suggestedId }),
  };
}

/** Parses a link that does not lead to a page. Returns a reason if the link cannot be repaired. */
export function parseUnresolvedLink({
  target,
  file,
}: BrokenLink): UnresolvedLink | { readonly reason: string } {
  const { path, suffix } = splitAddress(target);
  const isRelative = path.startsWith(".");
  if (isRelative && isSnippet(file)) return { reason: "it is a relative link in a snippet" };
  if (/\.(?!mdx?$|html?$|markdown$|php$|aspx$|rst$)[a-z][a-z\d]{1,9}$/i.test(path))
    return { reason: "it names a missing file" };
  const targetPath = normalizeAddress(
    joinPath(isRelative ? getParentFolder(file) : "", decodeAddress(path)),
  );
  const sourcePage = isSnippet(file) || isConfiguration(file) ? undefined : toPagePath(file);
  const anchor = decodeAddress(/#(.*)$/s.exec(suffix)?.[1] ?? "");
  return { targetPath, sourcePage, anchor, linkTexts: [] };
}

/** Parses an address that a message quotes as JSON. */
function parseQuoted(quoted: string | undefined): string {
  return JSON.parse(quoted ?? '""') as string;
}

/** A broken link and the clues to its target. */
export interface UnresolvedLink {
  /** The link's path from the site's root, without leading and trailing slashes, extension and `/index`. */
  readonly targetPath: string;
  /**
   * The path of the page that contains the link; undefined for the configuration, and for a snippet, which can be
   * included in several pages.
   */
  readonly sourcePage: string | undefined;
  /** The anchor in the link; empty if there is none. */
  readonly anchor: string;
  /** The link's text, and the texts of the other links to the same address. */
  readonly linkTexts: readonly string[];
}

/** Facts about the site that are used to match broken links. */
export interface LinkFacts {
  readonly index: SiteIndex;
  readonly moves: ReturnType<typeof findFolderMoves>;
  readonly formerPages: ReadonlyMap<string, FormerPage>;
  /** Returns the anchors of a page in document order; undefined if the page was not read. */
  getAnchors(page: string): readonly Anchor[] | undefined;
  /** Returns the headings of a page with their texts; empty if the page was not read. */
  getSections(page: string): readonly Section[];
  /** Reports whether a page contains the anchor; undefined if the page was not read. */
  hasAnchor(page: string, anchor: string): boolean | undefined;
  /**
   * Reports whether pages in the language or version of `page` link to pages outside the edition's folder, although the
   * folder contains counterparts of the targets.
   */
  leavesEdition(page: string | undefined): boolean;
  /** Reports whether another file currently links to a page; undefined if unknown. */
  hasInboundLink(page: string): boolean | undefined;
  /** Returns the anchors in links to a missing page's address. */
  listLinkedAnchors(wanted: string): readonly string[];
  /** Returns the addresses in broken links that end with `name`. */
  listMissingByName(name: string): readonly string[];
  /**
   * Returns the page with the content that other languages or versions have at a missing address; undefined if this is
   * uncertain.
   */
  readonly findPageByVersions: (wanted: string) => string | undefined;
  /** Reports whether the page contains a broken link to the address. */
  isLinkedFrom(wanted: string, page: string): boolean;
  /** Returns the texts of all broken links to an address. */
  readonly getLinkTexts: (wanted: string) => readonly string[];
  readonly configuration: readonly ConfigurationFile[];
  readonly hasHistory: boolean;
  /** Returns how the headings of a page were reworded, newest first; empty if the history contains no rewordings. */
  readonly getRewordings: (path: string) => readonly RewordedHeadings[];
  /** Returns the other languages and versions of a page that were read. */
  getVersions(page: string): readonly PageVersion[];
}

/** The minimum similarity of a renamed page to its former text at which it counts as the same page. */
export const minCertainSimilarity = 0.7;

/**
 * The heading lines that a commit removed and added next to each other. `added` is empty if there is no replacement.
 */
export interface RewordedHeadings {
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** Another language or version of a page, with the sections below its headings. */
export interface PageVersion {
  readonly page: string;
  readonly sections: readonly Section[];
}
