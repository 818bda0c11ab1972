import { isElement, type TreeNode } from "../tree.ts";
import type { PageIds } from "./page-ids.ts";
import { plainText } from "./plain-text.ts";
import type { HeadingIds } from "./renderer.ts";
import { slugOf } from "./slug.ts";
import { elementId, type Survey, type SurveyedHeading } from "./survey.ts";

/**
 * Gives every heading of a page its ids before anything is rendered. Authors' own ids come first, then the
 * headings' in order, then aliases where they are still free: a link meant for a heading never ends at the
 * alias of another, nor at the title of a step.
 */
export function assignHeadingIds(survey: Survey, ids: PageIds): Map<TreeNode, HeadingIds> {
  for (const id of survey.elementIds) ids.reserve(id);
  const headings = survey.headings.map((heading) => readHeading(heading));
  for (const { explicitId, isReserved } of headings) {
    if (explicitId !== undefined && !isReserved) ids.reserve(explicitId);
  }
  const given = new Set<string>();
  const claimed = headings.map((heading) => claimIds(heading, ids, given));
  const byNode = new Map<TreeNode, HeadingIds>();
  for (const { heading, id, linkId } of claimed) {
    // An id that authors chose is what they link to; other spellings of the text are not.
    const aliases =
      heading.explicitId === undefined ? ids.claimAliases(heading.text, id || linkId) : [];
    byNode.set(heading.node, { id, linkId, aliases, text: heading.text });
  }
  return byNode;
}

interface Heading {
  readonly node: TreeNode;
  readonly text: string;
  readonly explicitId: string | undefined;
  /** Among `elementIds` already. */
  readonly isReserved: boolean;
  readonly wrapperId: string | undefined;
}

function readHeading({ node, wrapperId }: SurveyedHeading): Heading {
  const children = node.children ?? [];
  const text = plainText(children, { withoutComponents: true }) || plainText(children);
  const own = isElement(node) ? elementId(node.props) : node.id;
  const explicitId = typeof own === "string" && own !== "" ? own : undefined;
  return { node, text, explicitId, isReserved: isElement(node), wrapperId };
}

function claimIds(
  heading: Heading,
  ids: PageIds,
  given: Set<string>,
): { heading: Heading; id: string; linkId: string } {
  const { explicitId, text } = heading;
  // The second element of an id loses it: its heading is linked to by its own.
  const wrapperId = given.has(heading.wrapperId ?? "") ? undefined : heading.wrapperId;
  if (wrapperId !== undefined) given.add(wrapperId);
  if (explicitId !== undefined) {
    const id = given.has(explicitId) ? ids.claim(explicitId) : explicitId;
    given.add(id);
    return { heading, id, linkId: wrapperId ?? id };
  }
  // The wrapper's id is the heading's own: nothing is left to give.
  const slug = slugOf(text);
  const id = slug === wrapperId ? "" : ids.claim(slug);
  return { heading, id, linkId: wrapperId ?? id };
}
