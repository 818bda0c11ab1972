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
 * A component of the format. Components are pure: the same element and page always produce the same HTML. They must not
 * throw for any props or children that an author can write. Invalid values are rendered as far as possible and reported
 * to `context.problems`.
 */
export interface Component {
  /** The component's names, e.g. `["Card", "Tile"]`. A compound name contains a period, e.g. `Tree.Folder`. */
  readonly names: readonly string[];
  /** Renders the HTML of the element, which must be usable without JavaScript. Scripts only add convenience. */
  render(element: ElementNode, context: ComponentContext): Html;
}

/** The services that the page renderer provides to components. */
export interface ComponentContext {
  /** The components' own strings, in the page's language. */
  readonly words: ContentWords;
  readonly links: ComponentLinks;
  readonly ids: ComponentIds;
  readonly code: ComponentCode;
  readonly outline: ComponentOutline;
  readonly changelog: ComponentChangelog;
  readonly problems: ProblemSink;
  /** Renders the HTML of nodes, including paragraphs. */
  renderNodes(nodes: readonly TreeNode[]): Html;
  /** Records the links and files of nodes that only the page's Markdown contains, for the link check. */
  recordUnshownReferences(nodes: readonly TreeNode[]): void;
  /**
   * Renders the HTML of an attribute that may contain inline Markdown (e.g. a caption or a title) or JSX. Numbers and
   * booleans are shown as text. Null produces an empty string.
   */
  renderValue(value: PropValue | undefined, position: FilePosition): Html;
  /** Returns the plain text of nodes or of a value. */
  getText(content: readonly TreeNode[] | PropValue | undefined): string;
  /**
   * Renders the HTML of a decorative icon that is specified by name, path, URL or JSX. Returns an empty string if there
   * is no icon.
   */
  renderIcon(icon: PropValue | undefined, options: IconOptions, position: FilePosition): Html;
  /** Renders the HTML of a TeX formula, either on a separate line (`isDisplay`) or within a line. */
  renderFormula(
    source: string,
    options: { readonly isDisplay: boolean },
    position: FilePosition,
  ): Html;
}

export interface ComponentLinks {
  /** Returns the relative, escaped value of `href` and records the reference for the link check. */
  resolveHref(target: string, position: FilePosition): Html;
  /**
   * Returns the value of `src` for images, videos and frames, and records the reference. Returns an empty string if the
   * target is on another host and not shown.
   */
  resolveMediaUrl(target: string, position: FilePosition): Html;
  /** Whether the current content is within a link, where HTML does not allow another link. */
  readonly isWithinLink: boolean;
  /**
   * Collects a link while `renderWithoutLinks` renders content. The caller then renders only the link's content. Returns
   * false if no `renderWithoutLinks` is in progress.
   */
  collectLink(link: Html): boolean;
  /**
   * Renders content that must not contain links, such as the title of collapsible content, and returns the collected
   * links.
   */
  renderWithoutLinks(render: () => Html): {
    readonly html: Html;
    readonly collectedLinks: readonly Html[];
  };
}

export interface ComponentIds {
  /**
   * Reserves an id for a link target, which is created from `text` by the site's slug rules and unique on the page. If
   * `isExact` is true, `text` is an id that the author wrote, and it is not changed.
   */
  claim(text: string, options?: { readonly isExact?: boolean }): string;
  /** Returns the id of a Markdown heading of the page, which is known before the heading is rendered. */
  findHeadingId(heading: TreeNode): string | undefined;
}

export interface ComponentCode {
  /** Renders a highlighted block without its title and without tabs around it. */
  render(node: MarkdownNode<"code">): Html;
  /** Returns the label of a fence for tabs: its title or, if it has none, its language. */
  getLabel(node: MarkdownNode<"code">): string;
  /** Renders the icon of a fence. Returns an empty string if the fence has none. */
  renderIcon(node: MarkdownNode<"code">): Html;
}

/** The page's table of contents. */
export interface ComponentOutline {
  /** Adds an entry, e.g. for the label of an update, or for a step whose title is a heading. */
  add(entry: { readonly depth: number; readonly id: string; readonly text: string }): void;
  /** Renders content without adding its headings to the table of contents. */
  renderUnlisted(render: () => Html): Html;
  /** Renders content that is initially hidden. Its entries are shown only while the content is shown. */
  renderHidden(render: () => Html): Html;
  /** Renders content whose headings are listed one level deeper, below the entry that was just added. */
  renderBelow(render: () => Html): Html;
}

export interface ComponentChangelog {
  /**
   * Adds an entry to the page's changelog. Returns the 1-based numbers of the entry's tags among the page's tags.
   */
  add(entry: ChangelogEntry): readonly number[];
}

/** Collects a page's problems, up to a limit. */
export interface ProblemSink {
  warn(code: string, message: string, position: FilePosition): void;
}
