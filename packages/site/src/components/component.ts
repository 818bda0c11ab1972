import type {
  ChangelogEntry,
  ElementNode,
  MarkdownNode,
  FilePosition,
  PropValue,
  TreeNode,
} from "../page/index.ts";
import type { ContentWords, Html, IconOptions } from "../markup/index.ts";

/**
 * One component of the format. Components are pure: the same element and page give the same HTML.
 * They must not throw for any props or children that an author can write; invalid ones are rendered as far as possible
 * and reported to `context.problems`.
 */
export interface Component {
  /** Its names, e.g. `["Card", "Tile"]`; compound ones as written, `Tree.Folder`. */
  readonly names: readonly string[];
  /** HTML of the element, usable without JavaScript: scripts only add convenience. */
  render(element: ElementNode, context: ComponentContext): Html;
}

/** The services that the page renderer provides to components. */
export interface ComponentContext {
  /** Texts of the components themselves, in the page's language. */
  readonly words: ContentWords;
  readonly links: ComponentLinks;
  readonly ids: ComponentIds;
  readonly code: ComponentCode;
  readonly outline: ComponentOutline;
  readonly changelog: ComponentChangelog;
  readonly problems: ProblemSink;
  /** HTML of nodes, paragraphs and all. */
  renderNodes(nodes: readonly TreeNode[]): Html;
  /**
   * HTML of an attribute that may hold inline Markdown (a caption, a title) or JSX. Numbers and
   * booleans are shown as text; null gives an empty string.
   */
  renderValue(value: PropValue | undefined, place: FilePosition): Html;
  /** Plain text of nodes or of a value. */
  textOf(content: readonly TreeNode[] | PropValue | undefined): string;
  /** HTML of a decorative icon by name, path, URL or JSX; empty if there is none. */
  icon(icon: PropValue | undefined, options: IconOptions, place: FilePosition): Html;
  /** HTML of a formula in TeX: on a line of its own (`isDisplay`), or within one. */
  formula(source: string, options: { readonly isDisplay: boolean }, place: FilePosition): Html;
}

export interface ComponentLinks {
  /** Returns the relative, escaped value for `href`, and records the reference for the link check. */
  href(target: string, place: FilePosition): Html;
  /** Does the same for `src` of pictures, videos and frames; empty if it is on another host and not shown. */
  mediaUrl(target: string, place: FilePosition): Html;
  /** Whether the current content is inside a link; HTML does not allow another link there. */
  readonly isWithinLink: boolean;
  /** Takes a link out of what `withoutLinks` renders, which shows only the link's content. False outside of it. */
  take(link: Html): boolean;
  /** Renders content that may not contain links, such as the title of collapsible content. */
  withoutLinks(render: () => Html): { readonly html: Html; readonly taken: readonly Html[] };
}

export interface ComponentIds {
  /**
   * Reserves an id for `text` by the site's slug rules, unique on the page, which becomes a link target.
   * With `isExact` the text is an id that the author wrote, which does not change.
   */
  claim(text: string, options?: { readonly isExact?: boolean }): string;
  /** Returns the id of a Markdown heading of the page, which is known before the heading is rendered. */
  ofHeading(heading: TreeNode): string | undefined;
}

export interface ComponentCode {
  /** Renders a highlighted block, without its title and without tabs around it. */
  render(node: MarkdownNode<"code">): Html;
  /** Returns the label of a fence for tabs: its title, or else its language. */
  label(node: MarkdownNode<"code">): string;
  /** Renders the icon of a fence; empty if it does not have one. */
  icon(node: MarkdownNode<"code">): Html;
}

/** The page's table of contents. */
export interface ComponentOutline {
  /** Adds an entry (labels of updates, steps whose titles are headings). */
  add(entry: { readonly depth: number; readonly id: string; readonly text: string }): void;
  /** Renders without adding to the table of contents. */
  without(render: () => Html): Html;
  /** Renders content that is initially hidden: its entries are shown while the content is. */
  whileHidden(render: () => Html): Html;
  /** Renders with headings one level deeper, below an entry that was just added. */
  below(render: () => Html): Html;
}

export interface ComponentChangelog {
  /** Adds an entry to the page's changelog. Returns the numbers of its tags among those of the page, from 1. */
  add(entry: ChangelogEntry): readonly number[];
}

/** Collects the problems of a page, up to a limit. */
export interface ProblemSink {
  warn(code: string, message: string, place: FilePosition): void;
}
