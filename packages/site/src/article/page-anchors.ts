import { layoutIds, avoidLayoutId } from "../site/index.ts";
import type { ComponentIds } from "../components/index.ts";
import { isElement, type ElementNode, type TreeNode } from "../page/index.ts";
import { createSlug, listAliasSlugs } from "../text/index.ts";
import { getPlainText } from "./plain-text.ts";
import {
  isHeading,
  findElementId,
  type HeadingNode,
  type Survey,
  type SurveyedHeading,
} from "./survey.ts";

interface HeadingIds {
  /** The id of the heading; an empty string if the element around the heading already has that id. */
  readonly id: string;
  /** The id to which the table of contents and the heading's own link point. */
  readonly linkId: string;
  readonly aliases: readonly string[];
  /** The plain text of the heading without components. */
  readonly text: string;
}

interface AssignedIds {
  readonly headings: Map<TreeNode, HeadingIds>;
  /** The new ids of elements around headings if the authored ids are taken, e.g. `changes-2` for `changes`. */
  readonly wrappers: ReadonlyMap<ElementNode, string>;
}

/** The ids of one page to which links can point: the ids of headings, and the ids that components add. */
export class PageAnchors implements ComponentIds {
  readonly #ids = new PageIds();
  readonly #assigned: AssignedIds;

  constructor(survey: Survey) {
    this.#assigned = assignHeadingIds(survey, this.#ids);
  }

  /** The ids in the HTML, in order. */
  get shownIds(): readonly string[] {
    return this.#ids.shown;
  }

  claim(text: string, options: { readonly isExact?: boolean } = {}): string {
    const exact = options.isExact === true ? text.normalize("NFC") : undefined;
    const isFree = exact !== undefined && !layoutIds.has(exact);
    if (isFree && this.#ids.show(exact)) return exact;
    const id = this.#ids.allocate(exact ?? createSlug(text));
    this.#ids.show(id);
    return id;
  }

  findHeadingId(heading: TreeNode): string | undefined {
    return isHeading(heading) ? this.#assigned.headings.get(heading)?.linkId : undefined;
  }

  /** Returns the ids and text for rendering a heading. A second call for the same node allocates new ids. */
  takeHeadingIds(node: HeadingNode): HeadingIds {
    const { headings } = this.#assigned;
    const ids = headings.get(node);
    // A node that is rendered again, or created by a component, is a separate heading.
    headings.delete(node);
    if (ids !== undefined) return ids;
    const text = getPlainText(node.children, { withoutComponents: true });
    const id = this.#ids.allocate(createSlug(text));
    return { id, linkId: id, aliases: [], text };
  }

  /** Returns the new id of an element around a heading, or undefined if it keeps the author's id. */
  findWrapperId(element: ElementNode): string | undefined {
    return this.#assigned.wrappers.get(element);
  }

  /** Reserves a free id for `slug`. The id is not in the HTML yet. */
  allocate(slug: string): string {
    return this.#ids.allocate(slug);
  }

  /** Records that the id is in the HTML. Returns false if an earlier element has the id. */
  show(id: string): boolean {
    return this.#ids.show(id);
  }
}

/**
 * Assigns ids to all headings of a page before the page is rendered. Authored ids are assigned first, then ids for the
 * other headings in order, then aliases that are still free. A link to a heading therefore never leads to the alias of
 * a different heading, or to the title of a step.
 */
function assignHeadingIds(survey: Survey, ids: PageIds): AssignedIds {
  for (const id of survey.elementIds) ids.reserve(id);
  const headings = survey.headings.map((heading) => readHeading(heading));
  for (const { explicitId, isReserved } of headings) {
    if (explicitId !== undefined && !isReserved) ids.reserve(explicitId);
  }
  const allocation: Allocation = { ids, owners: new Map(), wrappers: new Map() };
  const allocated = headings.map((heading) => assignIds(heading, allocation));
  const byNode = new Map<TreeNode, HeadingIds>();
  for (const { heading, id, linkId, slug } of allocated) {
    const aliases =
      slug === undefined ? [] : createAliases(heading, { slug, id: id || linkId }, ids);
    // If a node occurs twice on the page, only its first occurrence has these ids.
    if (!byNode.has(heading.node)) {
      byNode.set(heading.node, { id, linkId, aliases, text: heading.text });
    }
  }
  return { headings: byNode, wrappers: allocation.wrappers };
}

function createAliases(
  { text, wholeText }: Heading,
  assigned: { readonly slug: string; readonly id: string },
  ids: PageIds,
): readonly string[] {
  const aliases = ids.reserveAliases(text, assigned.slug, assigned.id);
  return wholeText === text ? aliases : [...aliases, ...ids.reserveOtherSlugs(wholeText)];
}

interface Allocation {
  readonly ids: PageIds;
  /** The authored ids that are assigned to a heading or to an element around a heading. */
  readonly owners: Map<string, TreeNode>;
  readonly wrappers: Map<ElementNode, string>;
}

interface Heading {
  readonly node: TreeNode;
  /** The text, excluding the text of components. */
  readonly text: string;
  /** The text, including the text of components. Readers see this text, and some links are derived from it. */
  readonly wholeText: string;
  readonly explicitId: string | undefined;
  /** Whether the id is one of `elementIds` and therefore already reserved. */
  readonly isReserved: boolean;
  readonly wrapper: ElementNode | undefined;
}

function readHeading({ node, wrapper }: SurveyedHeading): Heading {
  const { children } = node;
  const bareText = getPlainText(children, { withoutComponents: true });
  // Most headings contain only text, which need not be extracted again.
  const isText = bareText !== "" && children.every(({ type }) => type === "text");
  const wholeText = isText ? bareText : getPlainText(children);
  const text = bareText || wholeText;
  const explicitId = findElementId(isElement(node) ? node.props : { id: node.id ?? null });
  return { node, text, wholeText, explicitId, isReserved: isElement(node), wrapper };
}

interface AllocatedIds {
  readonly heading: Heading;
  readonly id: string;
  readonly linkId: string;
  /** The slug of the heading's text; undefined for an authored id, which does not need aliases. */
  readonly slug?: string;
}

function assignIds(heading: Heading, allocation: Allocation): AllocatedIds {
  const { explicitId, text } = heading;
  const { ids, owners } = allocation;
  const wrapperOwnId = heading.wrapper && findElementId(heading.wrapper.props);
  const wrapperId = heading.wrapper && assignWrapperId(heading.wrapper, allocation);
  if (explicitId !== undefined) {
    const isFree = !owners.has(explicitId) && !layoutIds.has(explicitId);
    const id = isFree ? explicitId : ids.allocate(explicitId);
    owners.set(id, heading.node);
    return { heading, id, linkId: wrapperId ?? id };
  }
  // If the wrapper has the same id, the heading does not need one.
  const slug = createSlug(text);
  const id = slug === wrapperOwnId ? "" : ids.allocate(slug);
  return { heading, id, linkId: wrapperId ?? id, slug };
}

function assignWrapperId(wrapper: ElementNode, { ids, owners, wrappers }: Allocation): string {
  const authoredId = findElementId(wrapper.props) ?? "";
  const owner = owners.get(authoredId);
  if (owner === undefined) owners.set(authoredId, wrapper);
  const isFirst = owner === undefined || owner === wrapper;
  if (isFirst && !layoutIds.has(authoredId)) return authoredId;
  const id = wrappers.get(wrapper) ?? ids.allocate(authoredId);
  wrappers.set(wrapper, id);
  return id;
}

/** The ids of one page. Each id is used only once. */
class PageIds {
  readonly #taken = new Set<string>(layoutIds);
  /** The next number to try for each slug, so that equal headings take linear time. */
  readonly #nextNumber = new Map<string, number>();
  readonly #shown = new Set<string>();

  /** Reserves an id. Returns false if it is taken. */
  reserve(id: string): boolean {
    if (this.#taken.has(id)) return false;
    this.#taken.add(id);
    return true;
  }

  /** Reserves and returns the slug. Appends `-2`, `-3`, ... if it is taken, or `-section` if the layout uses it. */
  allocate(slug: string): string {
    if (this.reserve(slug)) return slug;
    if (layoutIds.has(slug) && this.reserve(avoidLayoutId(slug))) return avoidLayoutId(slug);
    let number = this.#nextNumber.get(slug) ?? 2;
    while (!this.reserve(`${slug}-${number}`)) number++;
    this.#nextNumber.set(slug, number + 1);
    return `${slug}-${number}`;
  }

  /** Reserves and returns the free aliases of a heading with this slug and id. */
  reserveAliases(text: string, slug: string, id: string): string[] {
    const isFirst = id === slug || id === avoidLayoutId(slug);
    const ordinal = isFirst ? 1 : Number(id.slice(slug.length + 1));
    return listAliasSlugs(text, ordinal).filter((alias) => this.reserve(alias));
  }

  /** Reserves and returns the free slugs of an additional text of a heading. */
  reserveOtherSlugs(text: string): string[] {
    return [createSlug(text), ...listAliasSlugs(text, 1)].filter((alias) => this.reserve(alias));
  }

  /** Records that `id` is in the HTML. Returns false if it is already there. */
  show(id: string): boolean {
    if (this.#shown.has(id)) return false;
    this.#shown.add(id);
    this.#taken.add(id);
    return true;
  }

  /** The ids in the HTML, in order. */
  get shown(): readonly string[] {
    return [...this.#shown];
  }
}
