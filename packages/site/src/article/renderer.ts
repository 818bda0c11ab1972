import type { Component, ComponentContext } from "../components/index.ts";
import type { Html } from "../markup/index.ts";
import type { MarkdownNode, TreeNode } from "../page/index.ts";
import type { PageAnchors } from "./page-anchors.ts";
import type { PageCode } from "./page-code.ts";
import type { PageLinks } from "./page-links.ts";

/** The state that a function for one kind of node receives: the context of components and the page's own state. */
export interface NodeRenderer extends ComponentContext {
  readonly links: PageLinks;
  readonly ids: PageAnchors;
  readonly code: PageCode;
  findComponent(name: string): Component | undefined;
  listComponentNames(): Iterable<string>;
  /** Whether a heading is shown as the page's title and not in the article. */
  isTitle(node: TreeNode): boolean;
  /** Stores the inner HTML of the heading that is the page's title. */
  setTitle(content: Html): void;
  /**
   * Numbers a footnote and returns the id of this reference to it. Returns undefined if the footnote does not exist.
   */
  referToFootnote(
    node: MarkdownNode<"footnoteReference">,
  ): { readonly number: number; readonly id: string } | undefined;
}
