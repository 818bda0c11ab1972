import type { ComponentIds } from "../components/index.ts";
import type { ElementNode, TreeNode } from "../page/index.ts";
import { slugOf } from "../text/index.ts";
import { assignHeadingIds, type AssignedIds, type HeadingIds } from "./heading-ids.ts";
import { layoutIds } from "./layout-ids.ts";
import { PageIds } from "./page-ids.ts";
import { plainText } from "./plain-text.ts";
import { isHeading, type HeadingNode, type Survey } from "./survey.ts";

/** The places of one page that links can lead to: its headings, and what components make one. */
export class PageAnchors implements ComponentIds {
  readonly #ids = new PageIds();
  readonly #assigned: AssignedIds;

  constructor(survey: Survey) {
    this.#assigned = assignHeadingIds(survey, this.#ids);
  }

  /** Ids in the HTML, in its order. */
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

  /** Ids and text of a heading; each heading is asked for once. */
  headingIds(node: HeadingNode): HeadingIds {
    const { headings } = this.#assigned;
    const ids = headings.get(node);
    // A node rendered again, or made by a component, is a heading of its own.
    headings.delete(node);
    if (ids !== undefined) return ids;
    const text = plainText(node.children, { withoutComponents: true });
    const id = this.#ids.allocate(slugOf(text));
    return { id, linkId: id, aliases: [], text };
  }

  /** The id of an element around a heading, where it could not keep the one that its author gave it. */
  wrapperId(element: ElementNode): string | undefined {
    return this.#assigned.wrappers.get(element);
  }

  /** The next id for `slug` that is free; nothing shows it yet. */
  allocate(slug: string): string {
    return this.#ids.allocate(slug);
  }

  /** Says that the id is in the HTML. False where an earlier element has it. */
  show(id: string): boolean {
    return this.#ids.show(id);
  }
}
