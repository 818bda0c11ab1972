import type { Component, ComponentContext } from "../components/index.ts";
import type { Html } from "../markup/index.ts";
import type { MarkdownNode, TreeNode } from "../page/index.ts";
import type { PageAnchors } from "./page-anchors.ts";
import type { PageCode } from "./page-code.ts";
import type { PageLinks } from "./page-links.ts";

/** What functions that render one kind of node get: all that components get, and the page's own business. */
export interface NodeRenderer extends ComponentContext {
  readonly links: PageLinks;
  readonly ids: PageAnchors;
  readonly code: PageCode;
  componentOf(name: string): Component | undefined;
  /** Whether a heading is shown as the page's title, not where it stands. */
  isTitle(node: TreeNode): boolean;
  /** Takes the inner HTML of that heading. */
  setTitle(content: Html): void;
  /** The number of a footnote and the id of this reference to it; undefined where there is no such note. */
  referToFootnote(
    node: MarkdownNode<"footnoteReference">,
  ): { readonly number: number; readonly id: string } | undefined;
}
