import type { ConfigurationFile, Redirect } from "../../configuration.ts";
import type { Anchor, Section } from "../../text/anchors.ts";
import type { FolderMoves } from "./folder-moves.ts";
import type { FormerPage, RewordedHeadings } from "./former-pages.ts";
import type { PageVersion } from "./section-versions.ts";
import type { SiteIndex } from "./site-index.ts";

/** A broken link and the clues to its meaning. */
export interface UnresolvedLink {
  /** Its path from the site's root, without slashes at the ends, extension and `/index`. */
  readonly wanted: string;
  /**
   * Path of the page that contains it; undefined for a snippet, which several pages show, and for the configuration.
   */
  readonly from: string | undefined;
  /** The anchor that it names; empty if there is none. */
  readonly anchor: string;
  /** Its text, and the texts of the other links to the same address. */
  readonly words: readonly string[];
}

/** Facts about the site for matching a broken link. */
export interface LinkFacts {
  readonly index: SiteIndex;
  readonly moves: FolderMoves;
  readonly lost: ReadonlyMap<string, FormerPage>;
  /** The anchors of a page in document order; undefined if the page was not read. */
  anchorsOf(page: string): readonly Anchor[] | undefined;
  /** The headings of a page with their texts; empty if the page was not read. */
  sectionsOf(page: string): readonly Section[];
  /** Reports whether a page has the anchor; undefined if the page was not read. */
  hasAnchor(page: string, anchor: string): boolean | undefined;
  /**
   * Reports whether pages in that page's language or version link to pages outside its folder that also exist inside
   * it.
   */
  leavesEdition(page: string | undefined): boolean;
  /** Reports whether another file links to a page now; undefined if unknown. */
  hasInbound(page: string): boolean | undefined;
  /** The anchors in links to a missing page's address. */
  anchorsTo(wanted: string): readonly string[];
  /** Addresses in links whose last part is `name` and that no page has. */
  lostNamed(name: string): readonly string[];
  /**
   * The page that has the content which other languages or versions have at an address; undefined unless it is certain.
   */
  readonly pageByVersions: (wanted: string) => string | undefined;
  /** Reports whether a page links to an address that leads nowhere. */
  isLinkedFrom(wanted: string, page: string): boolean;
}

export interface RepairFacts extends LinkFacts {
  /** The texts of all links to an address that leads nowhere. */
  readonly wordsOf: (wanted: string) => readonly string[];
  readonly configuration: readonly ConfigurationFile[];
  readonly redirects: readonly Redirect[];
  readonly hasHistory: boolean;
  /** How headings of a page were reworded, newest first; empty if the history does not say. */
  readonly rewordingsOf: (path: string) => readonly RewordedHeadings[];
  /** The other languages and versions of a page that were read. */
  versionsOf(page: string): readonly PageVersion[];
}

/** One piece of evidence for or against a page. */
export interface Evidence {
  readonly page: string;
  readonly score: number;
  readonly reason: string;
  /** The address that was probably meant, if different. */
  readonly meant?: string;
  /** The evidence is only the page's name. */
  readonly isGuess?: boolean;
}
