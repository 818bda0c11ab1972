import { findAll } from "../page.ts";

/**
 * A part of a component's first render: the nodes between two comments. Comments are not elements, so they do not
 * change how styles apply to the nodes.
 */
export interface Range {
  readonly name: string;
  readonly start: Comment;
  readonly end: Comment;
  /** The ranges within one of the format's components that show its current children and attributes, by name. */
  readonly inner: Map<string, Range>;
  /** The content while it is out of its original position. */
  nodes: readonly ChildNode[] | undefined;
}

/**
 * Reports whether a range belongs to the component around it, as its children or the content of an attribute or a part.
 */
export function isInner({ name }: Range): boolean {
  return name.startsWith("#");
}

/** Escapes a name for use in a comment. */
export function escapeName(name: string): string {
  return name.replaceAll(">", "&gt;");
}

const startMark = "slot ";
const endMark = "/slot";

/** Finds the ranges of a component, outer ranges first. Components within its content have their own ranges. */
export function findRanges(place: Element): readonly Range[] {
  for (const element of findAll("[data-slot]", place)) {
    if (element.closest("[data-module]") !== place) continue;
    element.prepend(new Comment(startMark + escapeName(element.dataset["slot"] ?? "")));
    element.append(new Comment(endMark));
    delete element.dataset["slot"];
  }
  const ranges: (Range | undefined)[] = [];
  const openRanges: { readonly start: Comment; readonly at: number }[] = [];
  const innerMaps: Map<string, Range>[] = [];
  for (const comment of listComments(place)) {
    if (comment.data.startsWith(startMark)) {
      openRanges.push({ start: comment, at: ranges.push(undefined) - 1 });
      innerMaps.push(new Map());
    }
    const last = comment.data === endMark ? openRanges.pop() : undefined;
    if (!last || last.start.parentNode !== comment.parentNode) continue;
    const { start, at } = last;
    const range: Range = {
      name: start.data.slice(startMark.length),
      start,
      end: comment,
      inner: innerMaps[at] ?? new Map<string, Range>(),
      nodes: undefined,
    };
    ranges[at] = range;
    const enclosingRanges = innerMaps[openRanges.at(-1)?.at ?? -1];
    if (isInner(range) && enclosingRanges?.has(range.name) === false)
      enclosingRanges.set(range.name, range);
  }
  return ranges.filter((range) => range !== undefined);
}

function listComments(place: Element): readonly Comment[] {
  return listNodes(place).filter((node) => node instanceof Comment);
}

/**
 * Finds the elements that a component itself renders, including those within built-in components. The component's
 * content must still be in its original position.
 */
export function findOwnElements(place: Element): readonly Element[] {
  const elements: Element[] = [];
  const openNames: string[] = [];
  for (const node of listNodes(place)) {
    if (node instanceof Element) {
      if (openNames.at(-1)?.startsWith("#") ?? true) elements.push(node);
    } else if (node.data.startsWith(startMark)) openNames.push(node.data.slice(startMark.length));
    else if (node.data === endMark) openNames.pop();
  }
  return elements;
}

function listNodes(place: Element): readonly (Comment | Element)[] {
  const nodes: (Comment | Element)[] = [];
  const shown = NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_COMMENT;
  const walker = document.createTreeWalker(place, shown, (node) => {
    // Tab lists are copies of titles, possibly from other components. An element with a slot attribute is content that
    // is not shown.
    const isOther =
      node instanceof Element && node.matches("[data-module], [data-slot], .tab-list");
    return isOther ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT;
  });
  while (walker.nextNode()) nodes.push(walker.currentNode as Comment | Element);
  return nodes;
}

/** Takes the content out of its position. */
export function takeOut(range: Range): void {
  range.nodes ??= removeContent(range);
}

/** Puts the content back and removes what was shown in its position. */
export function putBack(range: Range): void {
  if (!range.nodes) return;
  removeContent(range);
  range.end.before(...range.nodes);
  range.nodes = undefined;
}

function removeContent({ start, end }: Range): readonly ChildNode[] {
  const nodes: ChildNode[] = [];
  for (let node = start.nextSibling; node && node !== end; node = start.nextSibling) {
    node.remove();
    nodes.push(node);
  }
  return nodes;
}

/** Copies a range and its content. */
export function copyRange(range: Range): Range | undefined {
  const place = document.createElement("div");
  const nodes = range.nodes ?? [];
  place.append(...[range.start, ...nodes, range.end].map((node) => node.cloneNode(true)));
  const [copy, ...others] = findRanges(place);
  // The nodes of a range do not include the content of other ranges at its top level.
  for (const other of others.toReversed()) if (isTopLevel(other, copy)) takeOut(other);
  if (copy) takeOut(copy);
  return copy;
}

/** Reports whether a range is at the top level of another range's content. */
export function isTopLevel(range: Range, other: Range | undefined): boolean {
  return other?.nodes
    ? other.nodes.includes(range.start)
    : range.start.parentNode === other?.start.parentNode;
}
