import type { Component, ComponentContext } from "../components/index.ts";
import type { ContentWords } from "../markup/index.ts";
import type { HeadingNode } from "./survey.ts";
import type { ElementNode, MarkdownNode, Place, TreeNode } from "../page/index.ts";

/** What functions that render one kind of node get: all that components get, and the page's own business. */
export interface NodeRenderer extends ComponentContext {
  componentOf(name: string): Component | undefined;
  /** Address of a link, not yet escaped, and whether it leads off the site. Records the reference. */
  link(target: string, place: Place): { readonly href: string; readonly isExternal: boolean };
  /** Likewise of a picture, a video or a frame. Empty where it is on another host and not shown. */
  media(target: string, place: Place): { readonly src: string; readonly isExternal: boolean };
  /** Whether the source of a picture or a video is known not to be in the site. Records nothing. */
  isMissing(target: string, place: Place): boolean;
  /** Whether it is on another host and this bundle does not show it. Records nothing. */
  isElsewhere(target: string, place: Place): boolean;
  readonly words: ContentWords;
  /** Renders with links shown as their text: HTML allows no link inside a link. */
  withinLink(render: () => string): string;
  readonly isWithinLink: boolean;
  /** The definition that `[text][name]` refers to. */
  definitionOf(
    node: MarkdownNode<"linkReference" | "imageReference">,
  ): MarkdownNode<"definition"> | undefined;
  /** Ids and text of a heading; each heading is asked for once. */
  headingIds(node: HeadingNode): HeadingIds;
  /** The id of an element around a heading, where it could not keep the one that its author gave it. */
  wrapperId(element: ElementNode): string | undefined;
  /** Whether the heading is shown as the page's title, not where it stands. */
  isTitle(node: TreeNode): boolean;
  /** Takes the inner HTML of that heading. */
  setTitle(html: string): void;
  /** Says that the id is in the HTML. False where an earlier element has it. */
  showId(id: string): boolean;
  /** The number of a footnote and the id of this reference to it; undefined where there is no such note. */
  referToFootnote(
    node: MarkdownNode<"footnoteReference">,
  ): { readonly number: number; readonly id: string } | undefined;
  /** Whether this is the first picture of the page: the one a reader waits for. */
  isFirstPicture(): boolean;
  warn(code: string, message: string, place: Place): void;
}

export interface HeadingIds {
  /** Empty where the element around the heading has the id already. */
  readonly id: string;
  /** What the table of contents and the heading's own link lead to. */
  readonly linkId: string;
  readonly aliases: readonly string[];
  /** Plain text without components. */
  readonly text: string;
}
