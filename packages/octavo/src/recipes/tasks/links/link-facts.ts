import type { ConfigurationFile, Redirect } from "../../configuration.ts";
import type { Anchor, Section } from "../../text/links.ts";
import type { SiteIndex } from "./site-index.ts";

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
  readonly moves: FolderMoves;
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

/** A piece of evidence for or against a page. */
export interface Evidence {
  readonly page: string;
  readonly score: number;
  readonly reason: string;
  /** The address that was probably intended, if it is different. */
  readonly meant?: string;
  /** Whether the page's name is the only evidence. */
  readonly isGuess?: boolean;
}

/** The minimum similarity at which a renamed page is considered the same page, whatever its name. */
export const minCertainSimilarity = 0.7;

/** The history of an address that no longer leads to a page. */
export interface FormerPage {
  /** The path of the page to which it was renamed; undefined if it was deleted. */
  readonly renamedTo: string | undefined;
  /** The share of its text that stayed the same, from 0 to 1. */
  readonly similarity: number;
  /** The path of the page that now contains its text; undefined if the page was renamed or its text was removed. */
  readonly mergedInto: string | undefined;
}

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

/** The moves of folders that links still name. */
export interface FolderMoves {
  /** Returns the paths that a page would have if it moved together with the other pages in its folder. */
  from(address: string): readonly FolderMove[];
}

export interface FolderMove {
  /** The page's path if it moved together with the folder. */
  readonly to: string;
  readonly score: number;
  readonly reason: string;
  /** Whether the only evidence is names or a single page. */
  readonly isGuess: boolean;
}
