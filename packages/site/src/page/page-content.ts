import type { ComponentScript } from "./script/component-scripts.ts";
import type { SearchSection } from "../markup/index.ts";
import type { Problem } from "../core/index.ts";
import type { Html } from "../markup/index.ts";
import type { FilePosition } from "./tree.ts";

/** A page's own content, rendered: the layout wraps it, and the outputs are made of it. */
export interface PageContent {
  /** The article's HTML, without title and layout. Its links are relative to the page. */
  readonly html: Html;
  /**
   * Inner HTML of the heading that is the page's title, with its ids. Set only if the title comes from
   * the body; `html` then omits that heading.
   */
  readonly titleHtml?: Html;
  /** The page as Markdown for agents: the `.md` twin, under its title, snippets inlined. */
  readonly markdown: string;
  /** Headings that the table of contents shows, in order. */
  readonly outline: readonly OutlineEntry[];
  /** Every id that a link may point to, aliases included. */
  readonly anchors: readonly string[];
  /** Every link and file reference that an author wrote, with its place. */
  readonly references: readonly Reference[];
  /** Keys of the icons used, e.g. `lucide:rocket`; only these are in the bundle. */
  readonly icons: readonly string[];
  /** The text that search finds, split at headings. */
  readonly sections: readonly SearchSection[];
  /** Entries of its changelog, in order; absent if it has none. */
  readonly changes?: readonly ChangelogEntry[];
  /** Scripts of components that live in the reader's browser; most pages have none. */
  readonly scripts: readonly ComponentScript[];
  readonly problems: readonly Problem[];
  /** Problems for readers who cannot see the page; reported on request. */
  readonly barriers: readonly Problem[];
  /** Other files that the page depends on: path relative to the site's root to hash. */
  readonly dependencies: Readonly<Record<string, string>>;
}

export interface OutlineEntry {
  /** 2 to 4 */
  readonly depth: number;
  readonly id: string;
  /** Plain text. */
  readonly text: string;
}

/** One `Update`, as the page's filters and its feed use it. */
export interface ChangelogEntry {
  readonly label: string;
  readonly tags: readonly string[];
  /** Texts that may contain its date, in order of preference: `date`, label, description. */
  readonly when: readonly string[];
  /** Its items in the feed, at least one. */
  readonly news: readonly News[];
}

export interface News {
  readonly title: string;
  /** Anchor within the page; empty if there is none. */
  readonly id: string;
  /** Markdown without pictures, tables and blocks of code; of components their title and text. */
  readonly text: string;
}

export interface Reference {
  /** A frame is media that its readers ask for. */
  readonly kind: "link" | "media" | "frame";
  /** As authored, e.g. `../guides/start.md#install`. */
  readonly target: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Where it is written, if that is not in the page but in a description of an API. */
  readonly findPlace?: () => FilePosition | undefined;
}
