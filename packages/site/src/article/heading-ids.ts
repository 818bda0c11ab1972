import { isElement, type ElementNode, type TreeNode } from "../page/index.ts";
import { layoutIds } from "./layout-ids.ts";
import type { PageIds } from "./page-ids.ts";
import { plainText } from "./plain-text.ts";
import { slugOf } from "../text/index.ts";
import { elementId, type Survey, type SurveyedHeading } from "./survey.ts";

export interface HeadingIds {
  /** Empty where the element around the heading has the id already. */
  readonly id: string;
  /** What the table of contents and the heading's own link lead to. */
  readonly linkId: string;
  readonly aliases: readonly string[];
  /** Plain text without components. */
  readonly text: string;
}

export interface AssignedIds {
  readonly headings: Map<TreeNode, HeadingIds>;
  /** Ids of elements around headings whose own id an earlier one has: `changes-2`, as headings count. */
  readonly wrappers: ReadonlyMap<ElementNode, string>;
}

/**
 * Gives every heading of a page its ids before anything is rendered. Authors' own ids come first, then the
 * headings' in order, then aliases where they are still free: a link meant for a heading never ends at the
 * alias of another, nor at the title of a step.
 */
export function assignHeadingIds(survey: Survey, ids: PageIds): AssignedIds {
  for (const id of survey.elementIds) ids.reserve(id);
  const headings = survey.headings.map((heading) => readHeading(heading));
  for (const { explicitId, isReserved } of headings) {
    if (explicitId !== undefined && !isReserved) ids.reserve(explicitId);
  }
  const allocation: Allocation = { ids, given: new Map(), wrappers: new Map() };
  const allocated = headings.map((heading) => allocateIds(heading, allocation));
  const byNode = new Map<TreeNode, HeadingIds>();
  for (const { heading, id, linkId, slug } of allocated) {
    const aliases = slug === undefined ? [] : ids.reserveAliases(heading.text, slug, id || linkId);
    // A part that stands on the page twice is one node: its first place has these ids.
    if (!byNode.has(heading.node)) {
      byNode.set(heading.node, { id, linkId, aliases, text: heading.text });
    }
  }
  return { headings: byNode, wrappers: allocation.wrappers };
}

interface Allocation {
  readonly ids: PageIds;
  /** Authors' ids that a heading, or an element around one, has by now. */
  readonly given: Map<string, TreeNode>;
  readonly wrappers: Map<ElementNode, string>;
}

interface Heading {
  readonly node: TreeNode;
  readonly text: string;
  readonly explicitId: string | undefined;
  /** Among `elementIds` already. */
  readonly isReserved: boolean;
  readonly wrapper: ElementNode | undefined;
}

function readHeading({ node, wrapper }: SurveyedHeading): Heading {
  const { children } = node;
  const text = plainText(children, { withoutComponents: true }) || plainText(children);
  const explicitId = elementId(isElement(node) ? node.props : { id: node.id ?? null });
  return { node, text, explicitId, isReserved: isElement(node), wrapper };
}

interface AllocatedIds {
  readonly heading: Heading;
  readonly id: string;
  readonly linkId: string;
  /** Of its text; undefined where authors chose the id: that is what they link to, not other spellings of the text. */
  readonly slug?: string;
}

function allocateIds(heading: Heading, allocation: Allocation): AllocatedIds {
  const { explicitId, text } = heading;
  const { ids, given } = allocation;
  const authored = heading.wrapper && elementId(heading.wrapper.props);
  const wrapperId = heading.wrapper && allocateWrapperId(heading.wrapper, allocation);
  if (explicitId !== undefined) {
    const isFree = !given.has(explicitId) && !layoutIds.has(explicitId);
    const id = isFree ? explicitId : ids.allocate(explicitId);
    given.set(id, heading.node);
    return { heading, id, linkId: wrapperId ?? id };
  }
  // The wrapper's id is the heading's own: nothing is left to give.
  const slug = slugOf(text);
  const id = slug === authored ? "" : ids.allocate(slug);
  return { heading, id, linkId: wrapperId ?? id, slug };
}

function allocateWrapperId(wrapper: ElementNode, { ids, given, wrappers }: Allocation): string {
  const own = elementId(wrapper.props) ?? "";
  const owner = given.get(own);
  if (owner === undefined) given.set(own, wrapper);
  const isFirst = owner === undefined || owner === wrapper;
  if (isFirst && !layoutIds.has(own)) return own;
  const id = wrappers.get(wrapper) ?? ids.allocate(own);
  wrappers.set(wrapper, id);
  return id;
}
