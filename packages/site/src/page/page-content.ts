import type { Problem } from "../core/index.ts";

/** A page's own content, rendered: what the layout is put around and what the outputs are made of. */
export interface PageContent {
  /** The article's HTML, without title and layout. Every link in it is already relative to the page. */
  readonly html: string;
  /**
   * The page's title as its body writes it, with the ids of that heading. Only where the title comes
   * from the body: `html` is without it then.
   */
  readonly titleHtml?: string;
  /** The page as Markdown for agents: the `.md` twin, under its title, snippets inlined. */
  readonly markdown: string;
  /** Headings that the table of contents shows, in order. */
  readonly outline: readonly OutlineEntry[];
  /** Every id that a link may lead to, aliases included. */
  readonly anchors: readonly string[];
  /** Every link and file reference that an author wrote, with its place. */
  readonly references: readonly Reference[];
  /** Keys of the icons used, e.g. `lucide:rocket`; only these travel in the bundle. */
  readonly icons: readonly string[];
  /** The text that search finds, cut at headings. */
  readonly sections: readonly SearchSection[];
  /** Entries of its changelog, in order; absent where it has none. */
  readonly changes?: readonly ChangelogEntry[];
  readonly problems: readonly Problem[];
  /** Files besides the page that it depends on, relative to the site's root, with the hash of each. */
  readonly dependencies: Readonly<Record<string, string>>;
}

export interface OutlineEntry {
  /** 2 to 4 */
  readonly depth: number;
  readonly id: string;
  /** Plain text. */
  readonly text: string;
}

/** One `Update`: what the page's filters and its feed know of it. */
export interface ChangelogEntry {
  readonly label: string;
  readonly tags: readonly string[];
  /** Texts of the author's that may say when it was: a date, the label, the description, in this order. */
  readonly when: readonly string[];
  /** What the feed tells of it, at least one thing. */
  readonly news: readonly News[];
}

export interface News {
  readonly title: string;
  /** Anchor within the page; empty where there is none. */
  readonly id: string;
  /** Markdown without components, elements and blocks of code. */
  readonly text: string;
}

export interface Reference {
  readonly kind: "link" | "media";
  /** As authored, e.g. `../guides/start.md#install`. */
  readonly target: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface SearchSection {
  /** Anchor within the page; empty for the part before the first heading. */
  readonly id: string;
  readonly heading: string;
  /** Plain text without markup, blank runs folded. */
  readonly text: string;
}
