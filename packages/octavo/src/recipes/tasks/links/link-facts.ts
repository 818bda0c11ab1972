import type { ConfigurationFile, Redirect } from "../../configuration.ts";
import type { Anchor, Section } from "../../text/anchors.ts";
import type { FolderMoves } from "./folder-moves.ts";
import type { LostPage, RewordedHeadings } from "./lost-pages.ts";
import type { PageVersion } from "./section-versions.ts";
import type { SiteIndex } from "./site-index.ts";

/** A link that leads nowhere, as far as it tells what it means. */
export interface LostLink {
  /** Its path from the site's root, without slashes at the ends, extension and `/index`. */
  readonly wanted: string;
  /** Path of the page that holds it; undefined for a snippet, which several pages show, and for the configuration. */
  readonly from: string | undefined;
  /** The place on the page that it names; empty where it names none. */
  readonly anchor: string;
  /** Its words, and those of the other links to the same address. */
  readonly words: readonly string[];
}

/** What is known of the site where a link leads nowhere. */
export interface LinkFacts {
  readonly index: SiteIndex;
  readonly moves: FolderMoves;
  readonly lost: ReadonlyMap<string, LostPage>;
  /** The places of a page by its path, in their order; undefined where it was not read. */
  anchorsOf(page: string): readonly Anchor[] | undefined;
  /** The headings of a page with their texts; none where it was not read. */
  sectionsOf(page: string): readonly Section[];
  /** Whether a page has a place of that name; undefined where it was not read. */
  hasAnchor(page: string, anchor: string): boolean | undefined;
  /** Whether pages of that page's language or version lead to pages outside its folder that it has within, too. */
  leavesEdition(page: string | undefined): boolean;
  /** Whether a link of another file leads to a page by now; undefined where that is not known. */
  hasInbound(page: string): boolean | undefined;
  /** The places that links name on the page of an address that leads nowhere. */
  anchorsTo(wanted: string): readonly string[];
  /** Addresses with that last part that links name and no page has. */
  lostNamed(name: string): readonly string[];
  /** The page that has what other languages or versions have at an address; undefined where none surely has. */
  readonly pageByVersions: (wanted: string) => string | undefined;
  /** Whether a page has a link to an address that leads nowhere. */
  isLinkedFrom(wanted: string, page: string): boolean;
}

export interface RepairFacts extends LinkFacts {
  /** The words of all links to an address that leads nowhere. */
  readonly wordsOf: (wanted: string) => readonly string[];
  readonly configuration: readonly ConfigurationFile[];
  readonly redirects: readonly Redirect[];
  readonly hasHistory: boolean;
  /** How headings of a page were reworded, newest first; none where the history does not tell. */
  readonly rewordingsOf: (path: string) => readonly RewordedHeadings[];
  /** A page in other languages and versions, as far as they were read. */
  versionsOf(page: string): readonly PageVersion[];
}

/** One thing that speaks for a page, or against it. */
export interface Sign {
  readonly page: string;
  readonly weight: number;
  readonly reason: string;
  /** The address as it is taken to have been meant, where that is another. */
  readonly meant?: string;
  /** It takes the page to have gone there, by what it is called alone. */
  readonly isGuess?: boolean;
}
