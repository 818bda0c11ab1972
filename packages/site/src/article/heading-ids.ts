import { layoutIds } from "../site/index.ts";
import { isElement, type ElementNode, type TreeNode } from "../page/index.ts";
import type { PageIds } from "./page-ids.ts";
import { plainText } from "./plain-text.ts";
import { slugOf } from "../text/index.ts";
import { elementId, type Survey, type SurveyedHeading } from "./survey.ts";

export interface HeadingIds {
  /** Empty if the element around the heading has the id. */
  readonly id: string;
  /** The id that the table of contents and the heading's own link point to. */
  readonly linkId: string;
  readonly aliases: readonly string[];
  /** Plain text without components. */
  readonly text: string;
}

export interface AssignedIds {
  readonly headings: Map<TreeNode, HeadingIds>;
  /** New ids of elements around headings whose own id is taken: `changes-2`, as for headings. */
  readonly wrappers: ReadonlyMap<ElementNode, string>;
}

/**
 * Assigns ids to all headings of a page before it is rendered. Authors' ids come first, then those of the
 * headings in order, then aliases that are still free: a link to a heading never ends at the alias of another,
 * or at the title of a step.
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
    const aliases = slug === undefined ? [] : aliasesOf(heading, { slug, id: id || linkId }, ids);
    // A node that occurs twice on the page has these ids only the first time.
    if (!byNode.has(heading.node)) {
      byNode.set(heading.node, { id, linkId, aliases, text: heading.text });
    }
  }
  return { headings: byNode, wrappers: allocation.wrappers };
}

function aliasesOf(
  { text, wholeText }: Heading,
  own: { readonly slug: string; readonly id: string },
  ids: PageIds,
): readonly string[] {
  const aliases = ids.reserveAliases(text, own.slug, own.id);
  return wholeText === text ? aliases : [...aliases, ...ids.reserveOtherSlugs(wholeText)];
}

interface Allocation {
  readonly ids: PageIds;
  /** Authors' ids that are assigned to a heading, or to an element around one. */
  readonly given: Map<string, TreeNode>;
  readonly wrappers: Map<ElementNode, string>;
}

interface Heading {
  readonly node: TreeNode;
  /** Without components. */
  readonly text: string;
  /** With the text of components, which readers see and some links name. */
  readonly wholeText: string;
  readonly explicitId: string | undefined;
  /** Whether the id is one of `elementIds`, and so reserved already. */
  readonly isReserved: boolean;
  readonly wrapper: ElementNode | undefined;
}

function readHeading({ node, wrapper }: SurveyedHeading): Heading {
  const { children } = node;
  const bareText = plainText(children, { withoutComponents: true });
  // Most headings are a text alone.
  const isText = bareText !== "" && children.every(({ type }) => type === "text");
  const wholeText = isText ? bareText : plainText(children);
  const text = bareText || wholeText;
  const explicitId = elementId(isElement(node) ? node.props : { id: node.id ?? null });
  return { node, text, wholeText, explicitId, isReserved: isElement(node), wrapper };
}

interface AllocatedIds {
  readonly heading: Heading;
  readonly id: string;
  readonly linkId: string;
  /** Of its text; undefined for an authored id, which needs no aliases. */
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
  // A wrapper with the same id makes one on the heading unnecessary.
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
