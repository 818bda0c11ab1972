import type {
  ChangelogEntry,
  ElementNode,
  MarkdownNode,
  Place,
  PropValue,
  TreeNode,
} from "../page/index.ts";
import type { ContentWords, Html } from "../markup/index.ts";

/**
 * One component of the format. Components are pure: the same element and page give the same HTML.
 * They must not throw for any props or children an author can write; what makes no sense is
 * rendered as far as it goes and told by `context.problems`.
 */
export interface Component {
  /** Names it answers to, e.g. `["Card", "Tile"]`; compound ones as written, `Tree.Folder`. */
  readonly names: readonly string[];
  /** HTML of the element. Usable without JavaScript; scripts only add comfort. */
  render(element: ElementNode, context: ComponentContext): Html;
}

/** What the page renderer offers to components. */
export interface ComponentContext {
  /** What components say themselves, in the page's language. */
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
  renderValue(value: PropValue | undefined, place: Place): Html;
  /** Plain text of nodes or of a value. */
  textOf(content: readonly TreeNode[] | PropValue | undefined): string;
  /** HTML of a decorative icon by name, path, URL or JSX; empty where there is none. */
  icon(icon: PropValue | undefined, options: IconOptions, place: Place): Html;
  /** HTML of a formula in TeX: of a line of its own (`isDisplay`), or within one. */
  formula(source: string, options: { readonly isDisplay: boolean }, place: Place): Html;
}

export interface ComponentLinks {
  /** The relative, escaped value for `href`; records the reference for the link check. */
  href(target: string, place: Place): Html;
  /** Likewise for `src` of pictures, videos and frames; empty where it is on another host and not shown. */
  mediaUrl(target: string, place: Place): Html;
  /** A link is open around what is being rendered; HTML allows none within it. */
  readonly isWithinLink: boolean;
}

export interface ComponentIds {
  /**
   * An id for `text` by the site's slug rules, unique on the page and a link target from now on.
   * With `isExact` the text is an id that the author wrote: it is kept as it is.
   */
  claim(text: string, options?: { readonly isExact?: boolean }): string;
  /** The id by which a Markdown heading of the page can be linked to; asked for before it is rendered. */
  ofHeading(heading: TreeNode): string | undefined;
}

export interface ComponentCode {
  /** Highlighted block, without its title and without tabs around it. */
  render(node: MarkdownNode<"code">): Html;
  /** The label that a fence carries (its title, else its language), for tabs. */
  label(node: MarkdownNode<"code">): string;
  /** HTML of the icon that a fence asks for; empty where it asks for none. */
  icon(node: MarkdownNode<"code">): Html;
}

/** The page's table of contents. */
export interface ComponentOutline {
  /** Adds an entry (Update labels, steps with titles as the format does). */
  add(entry: { readonly depth: number; readonly id: string; readonly text: string }): void;
  /** Renders with nothing of it in the table of contents: it is not shown at first. */
  without(render: () => Html): Html;
  /** Renders with the headings of it one level deeper: below an entry of its own. */
  below(render: () => Html): Html;
}

export interface ComponentChangelog {
  /** Adds an entry to the page's changelog. Gives the numbers of its tags among those of the page, from 1. */
  add(entry: ChangelogEntry): readonly number[];
}

/** Takes what is wrong with a page, up to a limit. */
export interface ProblemSink {
  warn(code: string, message: string, place: Place): void;
}

export interface IconOptions {
  /** Pixels that the author asks for. */
  readonly size?: number;
  /** Pixels where the author asks for none and a drawing of theirs has none; else as high as the text. */
  readonly usualSize?: number;
  readonly color?: string;
  /** Font Awesome style: regular, solid, brands, ... */
  readonly type?: string;
  readonly className?: string;
}
