import { layoutIds } from "../site/index.ts";
import type { ComponentIds } from "../components/index.ts";
import type { ElementNode, TreeNode } from "../page/index.ts";
import { slugOf } from "../text/index.ts";
import { assignHeadingIds, type AssignedIds, type HeadingIds } from "./heading-ids.ts";
import { PageIds } from "./page-ids.ts";
import { plainText } from "./plain-text.ts";
import { isHeading, type HeadingNode, type Survey } from "./survey.ts";

/** The ids of one page that links can point to: those of headings, and those that components add. */
export class PageAnchors implements ComponentIds {
  readonly #ids = new PageIds();
  readonly #assigned: AssignedIds;

  constructor(survey: Survey) {
    this.#assigned = assignHeadingIds(survey, this.#ids);
  }

  /** Ids in the HTML, in order. */
  get shown(): readonly string[] {
    return this.#ids.shown;
  }

  claim(text: string, options: { readonly isExact?: boolean } = {}): string {
    const exact = options.isExact === true ? text.normalize("NFC") : undefined;
    const isFree = exact !== undefined && !layoutIds.has(exact);
    if (isFree && this.#ids.show(exact)) return exact;
    const id = this.#ids.allocate(exact ?? slugOf(text));
    this.#ids.show(id);
    return id;
  }

  ofHeading(heading: TreeNode): string | undefined {
    return isHeading(heading) ? this.#assigned.headings.get(heading)?.linkId : undefined;
  }

  /** Ids and text of a heading, for rendering it. A second call for the same node allocates new ids. */
  headingIds(node: HeadingNode): HeadingIds {
    const { headings } = this.#assigned;
    const ids = headings.get(node);
    // A node that is rendered again, or made by a component, is a heading of its own.
    headings.delete(node);
    if (ids !== undefined) return ids;
    const text = plainText(node.children, { withoutComponents: true });
    const id = this.#ids.allocate(slugOf(text));
    return { id, linkId: id, aliases: [], text };
  }

  /** The new id of an element around a heading; undefined if it keeps its author's. */
  wrapperId(element: ElementNode): string | undefined {
    return this.#assigned.wrappers.get(element);
  }

  /** Reserves a free id for `slug`, which is not in the HTML yet. */
  allocate(slug: string): string {
    return this.#ids.allocate(slug);
  }

  /** Records that the id is in the HTML. False if an earlier element has it. */
  show(id: string): boolean {
    return this.#ids.show(id);
  }
}
