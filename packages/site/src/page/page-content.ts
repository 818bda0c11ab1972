import type { ComponentScript } from "./script/component-scripts.ts";
import type { SearchSection } from "../markup/index.ts";
import type { Problem } from "../core/index.ts";
import type { Html } from "../markup/index.ts";
import type { FilePosition } from "./tree.ts";

/** The rendered content of a page. The layout wraps it, and the outputs are built from it. */
export interface PageContent {
  /** The article's HTML, without title and layout. Its links are relative to the page. */
  readonly html: Html;
  /**
   * The inner HTML, with ids, of the heading that is the page's title. Set only if the title comes from the body. In
   * that case, `html` omits the heading.
   */
  readonly titleHtml?: Html;
  /**
   * The anchor of the page's title, which the layout renders. It is not in `anchors`. Set only if the title does not
   * come from the body and its slug is free.
   */
  readonly titleAnchor?: string;
  /** The page as Markdown for agents (the `.md` file): its title, followed by its content with snippets inlined. */
  readonly markdown: string;
  /** The headings that the table of contents shows, in order. */
  readonly outline: readonly OutlineEntry[];
  /** Every id that a link may point to, including aliases. */
  readonly anchors: readonly string[];
  /** Every link and file reference that an author wrote, with its position. */
  readonly references: readonly Reference[];
  /** The keys of the icons that the page uses, e.g. `lucide:rocket`. The bundle contains only icons that pages use. */
  readonly icons: readonly string[];
  /** The class names that an author wrote, without the class names of Octavo's components. */
  readonly authoredClasses?: readonly string[];
  /**
   * The HTML of the parts of API schemas that load when readers open them, by number. Few pages have such parts.
   * `sections` and `markdown` contain their text.
   */
  readonly schemaParts?: readonly Html[];
  /** The text that search finds, split at headings. */
  readonly sections: readonly SearchSection[];
  /** The entries of the page's changelog, in order; undefined if there is no changelog. */
  readonly changes?: readonly ChangelogEntry[];
  /** The scripts of components that run in the reader's browser. Most pages have no such components. */
  readonly scripts: readonly ComponentScript[];
  readonly problems: readonly Problem[];
  /** Problems that affect readers who cannot see the page. They are reported on request. */
  readonly barriers: readonly Problem[];
  /** The hashes of other files that the page depends on, by path relative to the site's root. */
  readonly dependencies: Readonly<Record<string, string>>;
}

export interface OutlineEntry {
  /** The level of the heading, 2 to 4. */
  readonly depth: number;
  readonly id: string;
  /** The heading's plain text. */
  readonly text: string;
  /** Set if scripts initially hide the heading because it is in a collapsed accordion or not in the first tab. */
  readonly isHidden?: true;
}

/** One `Update` component, as data for the page's filters and its feed. */
export interface ChangelogEntry {
  readonly label: string;
  readonly tags: readonly string[];
  /** The strings that may contain the date, in order of preference: `date`, label, description. */
  readonly when: readonly string[];
  /** The entry's items in the feed. There is at least one. */
  readonly news: readonly News[];
}

export interface News {
  readonly title: string;
  /** The anchor within the page, or an empty string if the address has no anchor. */
  readonly id: string;
  /** Markdown without pictures, tables and code blocks. Components are reduced to their title and text. */
  readonly text: string;
}

export interface Reference {
  /** The kind of reference. A `frame` is media that loads on the reader's request. */
  readonly kind: "link" | "media" | "frame";
  /** The target as authored, e.g. `../guides/start.md#install`. */
  readonly target: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Finds the position of a reference that is in an API description instead of the page. */
  readonly findPosition?: () => FilePosition | undefined;
}
