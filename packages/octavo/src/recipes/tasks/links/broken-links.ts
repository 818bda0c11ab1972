import { getParentFolder } from "@octavo/site/core";
import { splitAddress } from "@octavo/site/text";
import type { ConfigurationFile, Redirect } from "../../configuration.ts";
import { isConfiguration, isSnippet, toPagePath } from "../../pages.ts";
import type { Problem } from "../../site-tools.ts";
import type { Anchor, Section } from "../../text/links.ts";
import { decodeAddress, joinPath, normalizeAddress } from "../page-path.ts";
import type { findFolderMoves, FormerPage, SiteIndex } from "./site-index.ts";

/** A link that the check reported as broken, parsed from the message. */
export interface BrokenLink {
  /** A key that stays the same in the next check, even if the link moves within its line. */
  readonly key: string;
  readonly kind: "link" | "anchor" | "redirect";
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  /** The original address in the file. */
  readonly target: string;
  /** For an anchor, the existing page that does not contain it. */
  readonly anchorPage?: string;
  /** The ID that the check itself suggests: the same except for case and punctuation, or the nearest one. */
  readonly suggested?: string;
  /** For a redirect, the address from which it redirects. */
  readonly source?: string;
}

const text = String.raw`("(?:[^"\\]|\\.){0,400}")`;
const linkMessage = new RegExp(`^The link ${text} (?:does not lead|points|in the configuration)`);
const redirectMessage = new RegExp(`^The redirect from ${text} to ${text} does not lead to`);
const pageInMessage = /that the page \/(.*?) does not have\./;
const suggestion = /does not have\. Did you mean "#([^"]*)"\?$/;

/** Parses the messages of problems. Skips messages in other forms and messages that shorten the link. */
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
  const redirect = redirectMessage.exec(message);
  if (redirect !== null) {
    const [source, target] = [parse(redirect[1]), parse(redirect[2])];
    return { kind: "redirect", ...place, source, target };
  }
  const link = linkMessage.exec(message);
  if (link === null) return undefined;
  const target = parse(link[1]);
  if (code !== "anchor_broken") return { kind: "link", ...place, target };
  const anchorPage = pageInMessage.exec(message)?.[1] ?? toPagePath(file);
  // The page at the address may have been removed, and the first page of its folder may have replaced it.
  if (isBelowAddress(anchorPage, target)) return { kind: "link", ...place, target };
  const suggested = suggestion.exec(message)?.[1];
  return { kind: "anchor", ...place, target, anchorPage, ...(suggested && { suggested }) };
}

/** Parses a link that does not lead to a page. If its address cannot be matched, returns the reason. */
export function parseUnresolvedLink({
  target,
  file,
}: BrokenLink): UnresolvedLink | { readonly reason: string } {
  const { path, suffix } = splitAddress(target);
  const isRelative = path.startsWith(".");
  if (isRelative && isSnippet(file)) return { reason: "it is a relative link in a snippet" };
  if (/\.(?!mdx?$|html?$|markdown$|php$|aspx$|rst$)[a-z][a-z\d]{1,9}$/i.test(path))
    return { reason: "it names a missing file" };
  const wanted = normalizeAddress(
    joinPath(isRelative ? getParentFolder(file) : "", decodeAddress(path)),
  );
  const from = isSnippet(file) || isConfiguration(file) ? undefined : toPagePath(file);
  const anchor = decodeAddress(/#(.*)$/s.exec(suffix)?.[1] ?? "");
  return { wanted, from, anchor, words: [] };
}

/** Reports whether a page is in the folder that a link from the root names. */
function isBelowAddress(page: string, target: string): boolean {
  const { path } = splitAddress(target);
  return path.startsWith("/") && normalizeAddress(page).startsWith(`${normalizeAddress(path)}/`);
}

/** Parses an address, which messages quote as JSON. */
function parse(quoted: string | undefined): string {
  return JSON.parse(quoted ?? '""') as string;
}

/** A broken link and the clues to its target. */
export interface UnresolvedLink {
  /** The link's path from the site's root, without leading and trailing slashes, extension and `/index`. */
  readonly wanted: string;
  /**
   * The path of the page that contains the link; undefined for a snippet, which several pages show, and for the
   * configuration.
   */
  readonly from: string | undefined;
  /** The anchor in the link; empty if there is none. */
  readonly anchor: string;
  /** The link's text, and the texts of the other links to the same address. */
  readonly words: readonly string[];
}

/** Facts about the site for matching a broken link. */
export interface LinkFacts {
  readonly index: SiteIndex;
  readonly moves: ReturnType<typeof findFolderMoves>;
  readonly lost: ReadonlyMap<string, FormerPage>;
  /** Returns the anchors of a page in document order; undefined if the page was not read. */
  anchorsOf(page: string): readonly Anchor[] | undefined;
  /** Returns the headings of a page with their texts; empty if the page was not read. */
  sectionsOf(page: string): readonly Section[];
  /** Reports whether a page contains the anchor; undefined if the page was not read. */
  hasAnchor(page: string, anchor: string): boolean | undefined;
  /**
   * Reports whether pages in that page's language or version link to pages outside its folder for which the folder
   * contains counterparts.
   */
  leavesEdition(page: string | undefined): boolean;
  /** Reports whether another file currently links to a page; undefined if unknown. */
  hasInbound(page: string): boolean | undefined;
  /** Returns the anchors in links to a missing page's address. */
  anchorsTo(wanted: string): readonly string[];
  /** Returns the addresses in links that do not lead to a page and whose last part is `name`. */
  lostNamed(name: string): readonly string[];
  /**
   * Returns the page with the content that other languages or versions have at an address; undefined unless it is
   * certain.
   */
  readonly pageByVersions: (wanted: string) => string | undefined;
  /** Reports whether a page links to an address that does not lead to a page. */
  isLinkedFrom(wanted: string, page: string): boolean;
  /** Returns the texts of all links to an address that does not lead to a page. */
  readonly wordsOf: (wanted: string) => readonly string[];
  readonly configuration: readonly ConfigurationFile[];
  readonly redirects: readonly Redirect[];
  readonly hasHistory: boolean;
  /** Returns how the headings of a page were reworded, newest first; empty if the history does not contain this. */
  readonly rewordingsOf: (path: string) => readonly RewordedHeadings[];
  /** Returns the other languages and versions of a page that were read. */
  versionsOf(page: string): readonly PageVersion[];
}

/** The minimum similarity at which a renamed page is considered the same page, whatever its name. */
export const minCertainSimilarity = 0.7;

/** The lines of headings that a commit replaced. `added` is empty if they were only removed. */
export interface RewordedHeadings {
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** Another language or version of a page, with the sections below its headings. */
export interface PageVersion {
  readonly page: string;
  readonly sections: readonly Section[];
}
